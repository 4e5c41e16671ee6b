import { notFound } from '#foundation/errors.ts'
import type { Store, Viewer } from '../access/access.ts'
import { countChannels, saveEditors } from './counts.ts'

/** Soft delete: every row stays, but the channel and all its parts are 404 from now on, for an ADMIN too. */
export function deleteChannel(store: Store, { tenant_id }: Viewer, channel_id: string) {
  return store.db.transaction(async (tx) => {
    const [deleted] = await tx<{ id: string; deleted_at: string; was_listed: boolean }[]>`
      update learning.channels c
         set deleted_at = clock_timestamp(), updated_at = clock_timestamp(), version = c.version + 1
        from (select tenant_id, id, is_listed from learning.channels
               where tenant_id = ${tenant_id} and id = ${channel_id} and deleted_at is null for update) was
       where c.tenant_id = was.tenant_id and c.id = was.id and c.deleted_at is null
      returning c.id, c.deleted_at, was.is_listed as was_listed`
    if (!deleted) throw notFound()
    await saveEditors(tx, tenant_id, channel_id)
    await countChannels(tx, tenant_id, { listed: -Number(deleted.was_listed), live: -1 })
    return { id: deleted.id, deleted: true as const, deleted_at: deleted.deleted_at }
  })
}
