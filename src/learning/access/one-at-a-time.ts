import type { Tx } from '#foundation/database/database.ts'
import type { Viewer } from './access.ts'

/** Until the end of the transaction, other calls of the same person and purpose wait: limits are counted exactly. */
export async function oneAtATime(tx: Tx, { tenant_id, user_id }: Viewer, purpose: string): Promise<void> {
  await tx`select pg_advisory_xact_lock(hashtextextended(${`${purpose} ${tenant_id} ${user_id}`}, 3))`
}
