import type { Database, Tx } from '#foundation/database/database.ts'

/**
 * Erases a person here: sessions, memberships, stored answers, and their id as an author. A collection that loses its
 * last admin promotes its longest-standing editor, or stays orphaned for site admins. Idempotent. Access goes first,
 * in its own transaction, because membership locks come last in the lock order.
 */
export async function forgetUser(db: Database, user_id: string): Promise<void> {
  await db.transaction(async (tx) => {
    await tx`delete from collections.sessions where user_id = ${user_id}`
    await tx`delete from collections.idempotency_keys where user_id = ${user_id}`
    // Job files and row errors cascade. A running attempt finds that it lost its lease.
    await tx`delete from collections.jobs where user_id = ${user_id}`
    const tenants = await tx<{ tenant_id: string }[]>`
      select distinct held.tenant_id from collections.members as held where held.user_id = ${user_id} order by 1`
    for (const { tenant_id } of tenants) await endMemberships(tx, tenant_id, user_id)
  })
  await db.transaction(async (tx) => {
    await tx`update collections.collections set created_by = null where created_by = ${user_id}`
    await tx`update collections.items set created_by = null where created_by = ${user_id}`
    await tx`update collections.collection_items set added_by = null where added_by = ${user_id}`
    await tx`update collections.item_changes set changed_by = null where changed_by = ${user_id}`
    await tx`update collections.views set created_by = null where created_by = ${user_id}`
    await tx`delete from collections.collection_changes where user_id = ${user_id}`
    await tx`update collections.members set invited_by = null where invited_by = ${user_id}`
  })
}

/** Locks admins and editors together, so that a successor cannot be removed at the same moment. */
async function endMemberships(tx: Tx, tenant_id: string, user_id: string) {
  await tx`
    select membership.user_id from collections.members as membership
     where membership.tenant_id = ${tenant_id} and membership.collection_id in (
             select own.collection_id from collections.members as own
              where own.tenant_id = ${tenant_id} and own.user_id = ${user_id})
       and (membership.role in ('admin', 'editor') or membership.user_id = ${user_id})
     order by membership.collection_id, membership.user_id for update`
  const ended = await tx<{ collection_id: string; role: string }[]>`
    delete from collections.members where tenant_id = ${tenant_id} and user_id = ${user_id} returning collection_id, role`
  const ids = ended.flatMap(({ collection_id, role }) => (role === 'admin' ? collection_id : []))
  await tx`
    update collections.members as membership set role = 'admin'
      from (select distinct on (editor.collection_id) editor.collection_id, editor.user_id
              from collections.members as editor
              join collections.collections as node
                on node.tenant_id = ${tenant_id} and node.id = editor.collection_id and node.inherit_reach = 0
             where editor.tenant_id = ${tenant_id} and editor.collection_id = any(${ids}::uuid[]) and editor.role = 'editor'
               and not exists (select from collections.members as keeper
                                where keeper.tenant_id = ${tenant_id}
                                  and keeper.collection_id = editor.collection_id and keeper.role = 'admin')
             order by editor.collection_id, editor.joined_at, editor.user_id) as heir
     where membership.tenant_id = ${tenant_id}
       and membership.collection_id = heir.collection_id and membership.user_id = heir.user_id`
}
