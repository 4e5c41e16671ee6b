import type { Database, Tx } from '#foundation/database/database.ts'

/**
 * Takes a person who was erased at the sso out of everything here: sign-ins, memberships, stored answers, and their id
 * wherever it says who made something. A collection that loses its last admin by it gets its longest-standing editor as
 * admin; without one it stays, orphaned, for site admins. Repeating it changes nothing. Access goes first, in a transaction
 * of its own: memberships are the last of all locks, so no row of a collection may be wanted after them.
 */
export async function forgetUser(db: Database, user_id: string): Promise<void> {
  await db.transaction(async (tx) => {
    await tx`delete from collections.sessions where user_id = ${user_id}`
    await tx`delete from collections.idempotency_keys where user_id = ${user_id}`
    // Their files and row errors go with them; an attempt under way finds that its lease counts no longer.
    await tx`delete from collections.jobs where user_id = ${user_id}`
    await endMemberships(tx, user_id)
  })
  await db.transaction(async (tx) => {
    await tx`update collections.collections set created_by = null where created_by = ${user_id}`
    await tx`update collections.items set created_by = null where created_by = ${user_id}`
    await tx`update collections.collection_items set added_by = null where added_by = ${user_id}`
    await tx`update collections.members set invited_by = null where invited_by = ${user_id}`
  })
}

/** Who may become admin is locked with those who are, so that an heir is not removed at the same moment. */
async function endMemberships(tx: Tx, user_id: string) {
  await tx`
    select membership.user_id from collections.members as membership
     where membership.collection_id in (
             select collection_id from collections.members where user_id = ${user_id})
       and (membership.role in ('admin', 'editor') or membership.user_id = ${user_id})
     order by membership.collection_id, membership.user_id for update`
  const ended = await tx<{ collection_id: string }[]>`
    delete from collections.members where user_id = ${user_id} and role = 'admin' returning collection_id`
  await tx`delete from collections.members where user_id = ${user_id}`
  const ids = ended.map(({ collection_id }) => collection_id)
  await tx`
    update collections.members as membership set role = 'admin'
      from (select distinct on (editor.collection_id) editor.collection_id, editor.user_id
              from collections.members as editor
              join collections.collections as node on node.id = editor.collection_id and node.inherit_reach = 0
             where editor.collection_id = any(${ids}::uuid[]) and editor.role = 'editor'
               and not exists (select from collections.members as keeper
                                where keeper.collection_id = editor.collection_id and keeper.role = 'admin')
             order by editor.collection_id, editor.joined_at, editor.user_id) as heir
     where membership.collection_id = heir.collection_id and membership.user_id = heir.user_id`
}
