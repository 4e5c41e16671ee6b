import type { Tx } from '#foundation/database/database.ts'
import { ApiError, notFound } from '#foundation/errors.ts'
import type { Identity } from '#foundation/security/session-gate.ts'
import { type Actor, requireRole, type Role } from '../access.ts'
import { keepAnAdmin } from '../tree/admins.ts'
import { lockMembers } from './lock.ts'
import { findMember, type Member, type MemberRow, withProfiles } from './member.ts'

/** The change of a membership, for the log. */
export type RoleChange = { old_role: Role | null; new_role: Role | null }

/**
 * Changes a direct role. 404 for a user without access, 409 `access_inherited` without a direct role, `last_admin`.
 */
export async function changeRole(
  tx: Tx,
  identity: Identity,
  actor: Actor,
  collection_id: string,
  { user_id, role }: { user_id: string; role: Role },
): Promise<{ member: Member; change: RoleChange }> {
  const { change, ...after } = await changeMembership(tx, actor, collection_id, user_id, async () => {
    const right = await requireRole(tx, actor, collection_id, 'admin')
    const { direct_role } = await requireDirect(tx, actor, collection_id, user_id)
    if (direct_role !== role)
      await tx`
        update collections.members set role = ${role}
         where tenant_id = ${actor.tenant_id} and collection_id = ${collection_id} and user_id = ${user_id}`
    // An admin who gives up the role sees the answer with their new role.
    const left = user_id === actor.user_id ? await requireRole(tx, actor, collection_id, 'viewer') : right
    const row = await findMember(tx, actor, collection_id, user_id)
    return { change: { old_role: direct_role, new_role: role }, row, role: left.role }
  })
  const [member] = await withProfiles(identity, actor, after.role, after.row ? [after.row] : [])
  if (!member) throw new Error('a member whose role was just changed is none')
  return { member, change }
}

/**
 * Removes all of a user's access. 409 `access_inherited` for a user who would keep inherited access, so success
 * always means no access. 404, 409 `last_admin`.
 */
export const removeMember = (
  tx: Tx,
  actor: Actor,
  collection_id: string,
  user_id: string,
): Promise<RoleChange> =>
  changeMembership(tx, actor, collection_id, user_id, async () => {
    await requireRole(tx, actor, collection_id, 'admin')
    return endMembership(tx, actor, collection_id, user_id)
  })

/** Removes the actor's own access, like removeMember. 404 for a site admin who is not a member. */
export const leaveCollection = (tx: Tx, actor: Actor, collection_id: string): Promise<RoleChange> =>
  changeMembership(tx, actor, collection_id, actor.user_id, async () => {
    await requireRole(tx, actor, collection_id, 'viewer')
    return endMembership(tx, actor, collection_id, actor.user_id)
  })

async function changeMembership<T>(
  tx: Tx,
  actor: Actor,
  collection_id: string,
  user_id: string,
  change: () => Promise<T>,
): Promise<T> {
  await lockMembers(tx, actor, collection_id, user_id)
  return (await keepAnAdmin(tx, actor.tenant_id, [collection_id], change)) as T
}

async function endMembership(
  tx: Tx,
  actor: Actor,
  collection_id: string,
  user_id: string,
): Promise<RoleChange> {
  const { direct_role } = await requireDirect(tx, actor, collection_id, user_id)
  await tx`
    delete from collections.members
     where tenant_id = ${actor.tenant_id} and collection_id = ${collection_id} and user_id = ${user_id}`
  const kept = await findMember(tx, actor, collection_id, user_id)
  if (kept) throw accessInherited(kept)
  return { old_role: direct_role, new_role: null }
}

async function requireDirect(tx: Tx, actor: Actor, collection_id: string, user_id: string) {
  const member = await findMember(tx, actor, collection_id, user_id)
  if (!member) throw notFound()
  if (member.direct_role === null) throw accessInherited(member)
  return { direct_role: member.direct_role }
}

/** Names the collection the access comes from, if the actor can see it. */
function accessInherited({ source_collection_id }: MemberRow) {
  const message = 'This access comes from a collection above and can only be changed there'
  const value = source_collection_id === null ? {} : { value: source_collection_id }
  return new ApiError(409, 'access_inherited', message, {
    errors: [{ field: 'user_id', code: 'access_inherited', message, ...value }],
  })
}
