import type { Tx } from '#foundation/database/database.ts'

/** Days of continuous failure after which an endpoint with auto_disable is disabled. */
const PATIENCE_DAYS = 5

/** Disables endpoints with auto_disable that have failed for days; their new events are held from then on. */
export async function disableDead(tx: Tx, webhook_ids: readonly string[]): Promise<void> {
  if (webhook_ids.length === 0) return
  await tx`
    update sso.webhook_endpoints set status = 'disabled', updated_at = clock_timestamp()
     where webhook_id = any(${webhook_ids as string[]}::uuid[]) and auto_disable and status = 'active'
       and failing_since < clock_timestamp() - make_interval(days => ${PATIENCE_DAYS})`
}
