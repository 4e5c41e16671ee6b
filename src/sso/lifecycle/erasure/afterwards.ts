import { clock } from '#foundation/clock.ts'
import type { Tx } from '#foundation/database/database.ts'
import type { Handlers, JobContext } from '#foundation/jobs/attempt.ts'
import { enqueue } from '#foundation/jobs/jobs.ts'
import type { SsoParts } from '../../core/parts.ts'
import { noteErasures, type Noted } from './list-file.ts'

export const JOB_KINDS = { note: 'erasure.note', siblings: 'erasure.tell_siblings' } as const

/** Retry delays in seconds; the last one repeats until the job succeeds. */
const DELAYS = [1, 5, 30, 120, 600]
/** Longer than any request admitted before the erasure can take to write what it had read of the person. */
const ONCE_MORE_MS = 120_000

/** Retried without limit. The lease is longer than the siblings take for BATCH people. */
const JOB = { delays: DELAYS, is_endless: true, lease_seconds: 60 }
const BATCH = 100

/**
 * Queues the follow-up of an erasure in its transaction, so that a crash cannot lose it: the entry in the list outside
 * the database, and the erasure in the sibling services.
 */
export async function queueAfterwards(tx: Tx, user_id: string): Promise<void> {
  await enqueue(tx, [{ ...JOB, kind: JOB_KINDS.note, payload: { user_id }, priority: 0 }])
  await queueForgetting(tx, [user_id])
}

/**
 * Queues the erasure in the sibling services twice, because one of their requests may still be running the first time.
 */
export async function queueForgetting(tx: Tx, user_ids: readonly string[]): Promise<void> {
  if (user_ids.length === 0) return
  const job = { ...JOB, kind: JOB_KINDS.siblings, payload: { user_ids } }
  const run_at = new Date(clock.now() + ONCE_MORE_MS).toISOString()
  await enqueue(tx, [job, { ...job, run_at }])
}

export const erasureJobs = ({ config, siblings }: Pick<SsoParts, 'config' | 'siblings'>): Handlers => ({
  [JOB_KINDS.note]: async ({ job, db }: JobContext) => {
    const erasures = await db.pool<Noted[]>`
      select user_id, environment, reason_code, ccpa_drop_request, gdpr_erasure_request, erased_at
        from sso.erasures where user_id = ${String(job.payload['user_id'])}`
    await noteErasures(config.DATA_DIR, erasures)
  },
  [JOB_KINDS.siblings]: async ({ job, signal, renew }: JobContext) => {
    for (const [place, user_id] of (job.payload['user_ids'] as string[]).entries()) {
      if (place % BATCH === BATCH - 1) await renew()
      signal.throwIfAborted()
      for (const forgetUser of siblings()) await forgetUser(user_id)
    }
  },
})
