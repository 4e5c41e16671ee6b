import { type Static, Type } from 'typebox'
import { Nullable, OneOf, Time, Uuid } from '#foundation/http/schemas.ts'
import { withinScope } from '#foundation/security/scope.ts'
import type { Identity, Profile } from '#foundation/security/session-gate.ts'
import { type Actor, isVisible, type Role, ROLES, type Sql } from '../access.ts'

export const RoleWord = OneOf([...ROLES])

export type Member = Static<typeof Member>
export const Member = Type.Object({
  user_id: Uuid,
  display_name: Nullable(Type.String()),
  email: Nullable(Type.String()),
  role: RoleWord,
  direct_role: Nullable(RoleWord),
  source: OneOf(['direct', 'inherited']),
  source_collection_id: Nullable(Uuid),
  joined_at: Time,
  invited_by: Nullable(Uuid),
})

/** The fields of a member in our database. Name and e-mail come from the sso. */
export type MemberRow = Omit<Member, 'display_name' | 'email'>

/**
 * All users with access to the row `node` of collections.collections, each once, with their highest role. The source
 * is the direct membership, otherwise the highest inherited one, the nearest among equals.
 */
export const effectiveMembers = (sql: Sql) => sql`
  (select distinct on (membership.user_id) membership.user_id,
          max(membership.role) over (partition by membership.user_id) as role,
          case when line.distance = 0 then membership.role end as direct_role,
          case when line.distance = 0 then 'direct' else 'inherited' end as source,
          membership.collection_id as source_collection_id, membership.joined_at, membership.invited_by
     from collections.collection_ancestors as line
     join collections.members as membership on membership.tenant_id = line.tenant_id and membership.collection_id = line.ancestor_id
    where line.tenant_id = node.tenant_id and line.descendant_id = node.id and line.distance <= node.inherit_reach
    order by membership.user_id, line.distance > 0, membership.role desc, line.distance)`

/** The columns of a MemberRow from `member` of effectiveMembers. The source is null if the actor cannot see it. */
export const memberColumns = (sql: Sql, actor: Actor) => sql`
  member.user_id, member.role, member.direct_role, member.source,
  (select node.id from collections.collections as node
    where node.id = member.source_collection_id and ${isVisible(sql, actor)}) as source_collection_id,
  member.joined_at, member.invited_by`

/** One member of a collection, undefined without access. The caller checks the actor's right. */
export async function findMember(
  sql: Sql,
  actor: Actor,
  collection_id: string,
  user_id: string,
): Promise<MemberRow | undefined> {
  const [member] = await sql<MemberRow[]>`
    select ${memberColumns(sql, actor)}
      from collections.collections as node
      cross join lateral ${effectiveMembers(sql)} as member
     where node.id = ${collection_id} and node.tenant_id = ${actor.tenant_id} and member.user_id = ${user_id}`
  return member
}

/** Names are shown to all members; one's own address only to a token whose scope has it. */
const shownTo = ({ user_id, scope = '' }: Actor, profile: Profile) =>
  profile.user_id === user_id ? withinScope(profile, scope) : profile

/** Adds names, and e-mail addresses for admins and on the actor's own row. One call to the sso. */
export async function withProfiles(
  identity: Identity,
  actor: Actor,
  role: Role,
  members: readonly MemberRow[],
): Promise<Member[]> {
  if (members.length === 0) return []
  const profiles = await identity.profiles(
    actor.tenant_id,
    members.map(({ user_id }) => user_id),
  )
  const byId = new Map(profiles.map((profile) => [profile.user_id, profile]))
  return members.map((member) => {
    const profile = byId.get(member.user_id)
    const maySeeEmail = role === 'admin' || member.user_id === actor.user_id
    return {
      ...member,
      display_name: profile ? profile.display_name : 'Deleted user',
      email: (profile && maySeeEmail && shownTo(actor, profile).email) || null,
    }
  })
}
