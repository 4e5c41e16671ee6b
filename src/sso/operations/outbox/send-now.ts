import { conflict, notFound } from '#foundation/errors.ts'
import { runNow } from '#foundation/jobs/jobs.ts'
import type { Caller } from '#foundation/security/session-gate.ts'
import { requirePerson } from '../../core/access/access.ts'
import { type Act, recordAct } from '../../core/audit/audit.ts'
import type { Origin, SsoParts } from '../../core/parts.ts'
import { isShown } from './outbox.ts'

type Waiting = Pick<Act, 'environment' | 'site_id'> & {
  user_id: string
  kind: string
  status: string
  job_id: string | null
  /** None yet: it waits for its turn among the mails to its address. */
  attempts: number
}

/**
 * Brings the next attempt of a waiting message forward. A repeat changes nothing, nor does it while an attempt is due or
 * under way, or before the first one. 404, 409 not_waiting.
 */
export async function sendNow(
  { database }: Pick<SsoParts, 'database'>,
  caller: Caller,
  message_id: string,
  from: Origin,
): Promise<void> {
  requirePerson(caller)
  await database.transaction(async (tx) => {
    // Not locked: the end of an attempt locks the job first, then the message.
    const [found] = await tx<Waiting[]>`
      select m.kind, m.status, m.environment, m.site_id, m.user_id, m.job_id, coalesce(j.attempts, 0) as attempts
        from sso.messages m join sso.users u using (user_id) left join foundation.jobs j using (job_id)
       where m.message_id = ${message_id} and ${isShown(tx, caller)}`
    if (!found) throw notFound()
    const { kind, status, job_id, user_id, environment, site_id, attempts } = found
    if (status !== 'queued' || job_id === null)
      throw conflict(
        'not_waiting',
        'This message does not wait: it was sent, failed, or is kept in the sandbox',
      )
    const moved = attempts === 0 ? [] : await runNow(tx, [job_id])
    if (moved.length === 0) return
    const act = { action: 'message.hurried', environment, site_id, actor_user_id: caller.user_id } as const
    await recordAct(tx, { ...act, subject_user_id: user_id, details: { message_id, kind } }, from)
  })
}
