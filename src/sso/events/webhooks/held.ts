import type { Tx } from '#foundation/database/database.ts'
import type { Handler } from '#foundation/jobs/attempt.ts'
import { enqueue } from '#foundation/jobs/jobs.ts'
import { JOB_KINDS } from '../facts/events.ts'
import { wakeSenders } from './insert-deliveries.ts'

/** Deliveries per transaction: an endpoint may have been closed for weeks. */
const BATCH = 500
/** Retry delay of a failed release in seconds; it is retried until it succeeds. */
const RELEASE_AGAIN = 5

/**
 * The endpoints that are disabled or not confirmed. They stay locked until the transaction ends, so that none can be
 * opened and miss the release of what is held for it meanwhile.
 */
export async function findShut(tx: Tx, webhook_ids: readonly string[]): Promise<ReadonlySet<string>> {
  const seen = await tx<{ webhook_id: string }[]>`
    select webhook_id from sso.webhook_endpoints
     where webhook_id = any(${webhook_ids as string[]}::uuid[]) and (status <> 'active' or confirmed_at is null)`
  if (seen.length === 0) return new Set()
  const ids = seen.map(({ webhook_id }) => webhook_id)
  await tx`
    select from sso.webhook_endpoints where webhook_id = any(${ids}::uuid[]) order by webhook_id for share`
  // Check again: an endpoint may have been opened while this waited for its lock.
  const shut = await tx<{ webhook_id: string }[]>`
    select webhook_id from sso.webhook_endpoints
     where webhook_id = any(${ids}::uuid[]) and (status <> 'active' or confirmed_at is null)`
  return new Set(shut.map(({ webhook_id }) => webhook_id))
}

/** Queues the release of an endpoint's held deliveries, in the transaction that opens it. */
export const queueRelease = (tx: Tx, webhook_id: string) =>
  enqueue(tx, [
    {
      kind: JOB_KINDS.release,
      payload: { webhook_id },
      delays: [RELEASE_AGAIN],
      is_endless: true,
    },
  ])

/** Releases held deliveries, oldest first, unless the endpoint has been closed again. */
export const releaseHandler: Handler = async ({ db, job, signal }) => {
  const webhook_id = String(job.payload['webhook_id'])
  for (let released = BATCH; released === BATCH;) {
    signal.throwIfAborted()
    released = await db.transaction(async (tx) => {
      const shut = await findShut(tx, [webhook_id])
      return shut.has(webhook_id) ? 0 : releaseSome(tx, webhook_id)
    })
  }
}

async function releaseSome(tx: Tx, webhook_id: string): Promise<number> {
  const { count } = await tx`
    update sso.webhook_deliveries set state = 'pending', next_attempt_at = clock_timestamp()
     where delivery_id = any(array(
       select delivery_id from sso.webhook_deliveries
        where webhook_id = ${webhook_id} and state = 'held'
        order by delivery_id limit ${BATCH} for update))`
  wakeSenders(tx)
  return count
}
