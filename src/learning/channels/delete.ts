import { notFound } from '#foundation/errors.ts'
import type { Store, Viewer } from '../access/access.ts'

/** Soft: every row stays, but the channel and all its parts are 404 from now on, for an ADMIN too. */
export function deleteChannel(store: Store, { tenant_id }: Viewer, channel_id: string) {
  return store.db.transaction(async (tx) => {
    const [deleted] = await tx<{ id: string; deleted_at: string }[]>`
      update learning.channels
         set deleted_at = clock_timestamp(), updated_at = clock_timestamp(), version = version + 1
       where tenant_id = ${tenant_id} and id = ${channel_id} and deleted_at is null
      returning id, deleted_at`
    if (!deleted) throw notFound()
    return { id: deleted.id, deleted: true as const, deleted_at: deleted.deleted_at }
  })
}
