import type { Tx } from '#foundation/database/database.ts'
import type { Handler } from '#foundation/jobs/attempt.ts'
import { enqueue } from '#foundation/jobs/jobs.ts'
import type { Announcements, TenantEvent } from '#foundation/security/session-gate.ts'

const KIND = 'collections.tell'
const PER_JOB = 100
/** Seconds until the sso, which may have a database of its own, is asked again; it is until it has taken them. */
const AGAIN = 5

/** Hands events to the sso after this transaction, once each: the job keeps their ids. */
export async function tellLater(tx: Tx, tenant_id: string, events: readonly TenantEvent[]): Promise<void> {
  const parts = Array.from({ length: Math.ceil(events.length / PER_JOB) }, (_, n) =>
    events.slice(n * PER_JOB, (n + 1) * PER_JOB),
  )
  await enqueue(
    tx,
    parts.map((part) => ({
      kind: KIND,
      payload: { tenant_id, events: part },
      delays: [AGAIN],
      is_endless: true,
    })),
  )
}

export const tellJobs = (announcements: Announcements): Record<string, Handler> => ({
  [KIND]: async ({ job }) => {
    const { tenant_id, events } = job.payload as { tenant_id: string; events: TenantEvent[] }
    await announcements.announce(tenant_id, events)
  },
})
