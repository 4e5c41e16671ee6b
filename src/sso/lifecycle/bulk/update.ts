import type { Tx } from '#foundation/database/database.ts'
import { ApiError } from '#foundation/errors.ts'
import { profileColumns, REGISTERED_FIELDS } from '../../core/profile.ts'
import { replaceRole, type Rights } from '../../people/roles/assign.ts'
import { tellProfileChanged } from '../../people/person/tell.ts'
import type { Fault } from './person.ts'
import type { Import } from './imports.ts'
import type { Candidate } from './sort-out.ts'

const PROFILE = [...REGISTERED_FIELDS, 'external_id'] as const
type Profile = Record<(typeof PROFILE)[number], string | null>
/** What the record says about a member. */
type Given = Candidate & Profile & { role: string | null }

/**
 * Updates locked, exclusive members: profile, external_id and role; an empty cell changes nothing. E-mail address,
 * verification and password never change, so that an import cannot take over an account. A no-op keeps the version.
 * Returns the refused rows.
 */
export async function updatePeople(
  tx: Tx,
  task: Import,
  candidates: readonly Candidate[],
): Promise<Map<number, Fault>> {
  const refused = new Map<number, Fault>()
  if (candidates.length === 0) return refused
  const people = await readGiven(tx, task, candidates)
  const before = await findMembers(tx, task, people)
  // The uploader's own row last: after giving up their own role here they could change nobody else's.
  const isSelf = ({ user_id }: Candidate) => Number(user_id === task.acting.user_id)
  for (const person of people.toSorted((a, b) => isSelf(a) - isSelf(b))) {
    const fault = await changeRole(tx, task, person, before.get(person.user_id))
    if (fault) refused.set(person.row, fault)
  }
  const changes = people.flatMap((person) => {
    const old = before.get(person.user_id)
    if (!old || refused.has(person.row)) return []
    const fields = PROFILE.filter((field) => person[field] !== null && person[field] !== old[field])
    if (fields.length === 0) return []
    const next = Object.fromEntries(PROFILE.map((field) => [field, person[field] ?? old[field]])) as Profile
    return [{ user_id: person.user_id, ...next, fields }]
  })
  await writeProfiles(tx, task, changes)
  if (task.emit_events)
    for (const { user_id, fields } of changes) await tellProfileChanged(tx, user_id, fields)
  return refused
}

async function readGiven(tx: Tx, { job_id }: Import, people: readonly Candidate[]): Promise<Given[]> {
  const rows = await tx<(Omit<Given, keyof Candidate> & { row: number })[]>`
    select g.row, ${profileColumns(tx, 'g', REGISTERED_FIELDS)}, g.external_id, g.role
      from sso.bulk_rows g
     where g.job_id = ${job_id} and g.row = any(${people.map(({ row }) => row)}::int[])`
  const given = new Map(rows.map((row) => [row.row, row]))
  return people.flatMap((person) => {
    const row = given.get(person.row)
    return row ? [{ ...person, ...row }] : []
  })
}

type Member = Profile & { user_id: string; role: Rights }

async function findMembers(tx: Tx, { site_id }: Import, people: readonly Candidate[]) {
  const rows = await tx<Member[]>`
    select u.user_id, ${profileColumns(tx, 'u', REGISTERED_FIELDS)}, m.external_id,
           json_build_object('role', r.role, 'is_admin', r.is_admin, 'permissions', r.permissions) as role
      from sso.memberships m join sso.users u using (user_id) join sso.roles r using (site_id, role)
     where m.site_id = ${site_id} and m.user_id = any(${people.map(({ user_id }) => user_id)}::uuid[])
       and u.status <> 'deleted'`
  return new Map(rows.map((member) => [member.user_id, member]))
}

/**
 * Role changes are always recorded and sent to partners, whatever the import's options, because partners must act on
 * them.
 */
async function changeRole(
  tx: Tx,
  task: Import,
  { user_id, role }: Given,
  before: Member | undefined,
): Promise<Fault | undefined> {
  if (role === null || !before || before.role.role === role) return undefined
  const [next] = await tx<Rights[]>`
    select r.role, r.is_admin, r.permissions from sso.roles r where r.site_id = ${task.site_id} and r.role = ${role}`
  if (!next) return { field: 'role', code: 'invalid_role' }
  try {
    await replaceRole(tx, { site: task, user_id, caller: task.acting, from: undefined }, before.role, next)
    return undefined
  } catch (error) {
    if (error instanceof ApiError && error.code === 'last_admin') return { field: 'role', code: 'last_admin' }
    throw error
  }
}

async function writeProfiles(
  tx: Tx,
  { site_id }: Import,
  changes: readonly (Profile & { user_id: string })[],
) {
  if (changes.length === 0) return
  const given = JSON.stringify(changes)
  await tx`
    update sso.users u
       set ${REGISTERED_FIELDS.map((name) => tx`${tx(name)} = g.${tx(name)},`)} username_fold = lower(g.username),
           phone_verified = u.phone_verified and u.phone is not distinct from g.phone,
           version = u.version + 1, updated_at = clock_timestamp()
      from json_populate_recordset(null::sso.users, ${given}::text::json) as g
      join sso.memberships m on m.user_id = g.user_id and m.site_id = ${site_id}
     where u.user_id = g.user_id and u.status <> 'deleted'`
  await tx`
    update sso.memberships m set external_id = g.external_id
      from json_to_recordset(${given}::text::json) as g (user_id uuid, external_id text)
     where m.user_id = g.user_id and m.site_id = ${site_id} and m.external_id is distinct from g.external_id`
}
