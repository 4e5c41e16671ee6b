import { type Static, Type } from 'typebox'
import type { Database, Lane } from '#foundation/database/database.ts'
import { Nullable } from '#foundation/http/schemas.ts'
import { isUuid } from '#foundation/ids.ts'
import type { Profile } from '#foundation/security/session-gate.ts'
import { fold } from '#foundation/text.ts'
import type { Viewer } from '../access/access.ts'
import { addressFor, type Names, profilesById } from '../names.ts'
import { isStaff, requireStaff } from './staff.ts'

const Person = Type.Object({
  user_id: Type.String(),
  display_name: Nullable(Type.String()),
  email: Nullable(Type.String()),
})
type Person = Static<typeof Person>

/** Who teaches a channel, the owner first; with `q` also people who could. `may_change`: the owner, and an ADMIN. */
export const Teachers = Type.Object({
  items: Type.Array(Type.Object({ ...Person.properties, is_owner: Type.Boolean() })),
  may_change: Type.Boolean(),
  found: Type.Array(Person),
})
export type Teachers = Static<typeof Teachers>

export const TeachersQuery = Type.Object({ q: Type.Optional(Type.String({ maxLength: 200 })) })

/** People whose names are looked at, and those that are shown. */
const [KNOWN, SHOWN] = [1_000, 10]

/**
 * Found by a part of their name or address are people of the channels that the viewer teaches, who see each other
 * anyway; everybody else of the tenant only by a whole address or user name, so that nobody leafs through the people.
 * 404, and 403 to learners.
 */
export async function readTeachers(
  { db, names }: { db: Database; names: Names },
  viewer: Viewer,
  channel_id: string,
  q = '',
): Promise<Teachers> {
  const { tenant_id, user_id } = viewer
  const [channel] = await db.fast<{ owner_id: string; instructor_ids: string[] }[]>`
    select owner_id, instructor_ids from learning.channels c
     where c.tenant_id = ${tenant_id} and c.id = ${channel_id} and ${isStaff(db.fast, viewer)}`
  if (!channel) {
    await requireStaff(db.fast, viewer, channel_id)
    throw new Error('a channel that its staff does not see')
  }
  const ids = [channel.owner_id, ...channel.instructor_ids.filter((id) => id !== channel.owner_id)]
  const profiles = await profilesById(names, tenant_id, ids.filter(isUuid))
  const may_change = viewer.is_admin || channel.owner_id === user_id
  const words = fold(q).split(/\s+/).filter(Boolean)
  const found = may_change && words.length > 0 ? await candidates({ db, names }, viewer, channel_id, q) : []
  return {
    items: ids.map((id) => ({
      ...personOf(viewer, id, profiles.get(id)),
      is_owner: id === channel.owner_id,
    })),
    may_change,
    found: found.filter((one) => !ids.includes(one.user_id)).slice(0, SHOWN),
  }
}

const personOf = (viewer: Viewer, user_id: string, profile: Profile | undefined): Person => ({
  user_id,
  display_name: profile?.display_name ?? null,
  email: addressFor(viewer, profile),
})

async function candidates(
  { db, names }: { db: Database; names: Names },
  viewer: Viewer,
  channel_id: string,
  q: string,
): Promise<Person[]> {
  const { tenant_id, user_id } = viewer
  const [around, named] = await Promise.all([
    db.lists(user_id, peopleAround(db.pool, viewer, channel_id)),
    names.personNamed(tenant_id, q.trim(), { user_id }),
  ])
  const profiles = await profilesById(names, tenant_id, around.map((one) => one.user_id).filter(isUuid))
  if (named) profiles.set(named.user_id, named)
  const words = fold(q).split(/\s+/).filter(Boolean)
  const isMeant = (one: Profile) => {
    const said = `${fold(one.display_name ?? '')} ${fold(one.email ?? '')}`
    return one === named || words.every((word) => said.includes(word))
  }
  return [...profiles.values()]
    .filter((one) => one.status === 'active' && one.role !== null && isMeant(one))
    .map((one) => personOf(viewer, one.user_id, one))
    .toSorted((a, b) => labelOf(a).localeCompare(labelOf(b)))
}

const labelOf = ({ display_name, email, user_id }: Person) => display_name ?? email ?? user_id

/** Who teaches or learns in a channel that the viewer teaches, those who were here last first. */
const peopleAround = (sql: Lane, { tenant_id, user_id }: Viewer, channel_id: string) => sql<
  { user_id: string }[]
>`
  with mine as (
    select x.channel_id from learning.channel_editors x where x.tenant_id = ${tenant_id} and x.user_id = ${user_id}
    union select ${channel_id}::uuid)
  select user_id from (
    select y.user_id, now() as at from mine
      join learning.channel_editors y on y.tenant_id = ${tenant_id} and y.channel_id = mine.channel_id
    union all
    select n.user_id, n.last_activity_at from mine
      join learning.enrollments n on n.tenant_id = ${tenant_id} and n.channel_id = mine.channel_id) as every
   group by user_id order by max(at) desc, user_id limit ${KNOWN}`
