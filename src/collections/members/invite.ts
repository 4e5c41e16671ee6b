import { type Static, Type } from 'typebox'
import type { Tx } from '#foundation/database/database.ts'
import { ApiError, conflict, missingField } from '#foundation/errors.ts'
import { Nullable, Uuid } from '#foundation/http/schemas.ts'
import type { Identity } from '#foundation/security/session-gate.ts'
import {
  type Actor,
  insufficientRole,
  isAtLeast,
  requireRole,
  type Right,
  type Role,
  type Sql,
} from '../access.ts'
import { lockMembers } from './lock.ts'
import { findMember, type Member, withProfiles } from './member.ts'

export const MAX_DIRECT_MEMBERS = 5_000

export type Invitation = { user_id: string; role: Role }

/**
 * Gives a user of the tenant a direct role, also beside an inherited one. Needs at least the role `inviters`, and
 * nobody grants more than their own role. `is_new` is false if that direct role existed. 404 `user_not_found`, 409
 * `already_member`, `too_many_members`.
 */
export async function inviteMember(
  tx: Tx,
  { identity, inviters }: { identity: Identity; inviters: Role },
  actor: Actor,
  collection_id: string,
  invitation: Invitation,
): Promise<{ member: Member; is_new: boolean }> {
  // Checked before the sso is asked, so the answer tells an outsider nothing about the user. Checked again under the
  // locks.
  await requireInviter(tx, actor, collection_id, invitation.role, inviters)
  const profiles = await identity.profiles(actor.tenant_id, [invitation.user_id])
  if (profiles.length === 0) throw new ApiError(404, 'user_not_found', 'There is no such user')
  await lockMembers(tx, actor, collection_id, invitation.user_id)
  // Serializes additions, so that the member count below stays true.
  await tx`select pg_advisory_xact_lock(hashtextextended('members of ' || ${collection_id}, 0))`
  const right = await requireInviter(tx, actor, collection_id, invitation.role, inviters)
  const is_new = await add(tx, actor, collection_id, invitation)
  const row = await findMember(tx, actor, collection_id, invitation.user_id)
  const [member] = await withProfiles(identity, actor, right.role, row ? [row] : [])
  if (!member) throw new Error('a member who was just added is none')
  return { member, is_new }
}

async function requireInviter(
  sql: Sql,
  actor: Actor,
  collection_id: string,
  given: Role,
  inviters: Role,
): Promise<Right> {
  const right = await requireRole(sql, actor, collection_id, inviters)
  if (!isAtLeast(right.role, given)) throw insufficientRole(given)
  return right
}

async function add(
  tx: Tx,
  actor: Actor,
  collection_id: string,
  { user_id, role }: Invitation,
): Promise<boolean> {
  const added = await tx`
    insert into collections.members (tenant_id, collection_id, user_id, role, invited_by)
    select node.tenant_id, node.id, ${user_id}, ${role}, ${actor.user_id} from collections.collections as node
     where node.id = ${collection_id} and node.tenant_id = ${actor.tenant_id}
       and (select count(*) from collections.members as held
             where held.tenant_id = node.tenant_id and held.collection_id = node.id) < ${MAX_DIRECT_MEMBERS}
    on conflict do nothing`
  if (added.count > 0) return true
  const [held] = await tx<{ role: Role }[]>`
    select role from collections.members
     where tenant_id = ${actor.tenant_id} and collection_id = ${collection_id} and user_id = ${user_id}`
  if (!held)
    throw conflict('too_many_members', `A collection can have at most ${MAX_DIRECT_MEMBERS} direct members`)
  if (held.role !== role)
    throw conflict('already_member', `This person is already a direct member, as ${held.role}`)
  return false
}

export const Invitee = Type.Object({
  user_id: Uuid,
  display_name: Nullable(Type.String()),
  email_verified: Type.Boolean(),
})

/**
 * Whom an invitation would reach, by the whole e-mail address or user name: one person or none. Only who may invite here
 * gets an answer. 403, 404.
 */
export async function findInvitees(
  sql: Sql,
  { identity, inviters }: { identity: Identity; inviters: Role },
  actor: Actor,
  { collection_id, name }: { collection_id: string; name: string | undefined },
): Promise<Static<typeof Invitee>[]> {
  await requireRole(sql, actor, collection_id, inviters)
  if (name === undefined) throw missingField('name')
  const person = await identity.personNamed(actor.tenant_id, name.trim(), actor)
  return person && person.role !== null ? [person] : []
}
