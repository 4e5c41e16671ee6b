import { isDeepStrictEqual } from 'node:util'
import { one, type Tx, violates } from '#foundation/database/database.ts'
import { notFound } from '#foundation/errors.ts'
import { foldEmail } from '#foundation/text.ts'
import { billRegistration } from '../../core/ledger.ts'
import type { SsoParts } from '../../core/parts.ts'
import { takenBy } from '../../people/person/insert.ts'
import { carryOver, findOrCreateAccount, requireDomain } from './account.ts'
import { notUnique } from './errors.ts'
import { rolesByGroup, withRoles } from './group-roles.ts'
import { type ByDirectory, holdDirectory, noteByDirectory } from './hold.ts'
import { applySteps, type PatchBody, stepsOf } from './patch.ts'
import { TYPES } from './schema.ts'
import { setActive } from './standing.ts'
import { requireMatch } from './tags.ts'
import { userIn, type UserRecord } from './user-record.ts'
import { bodyOf, storedOf, userColumns, type UserRow, usersOf, userTag } from './user-rows.ts'
import type { Resource } from './values.ts'

/** People of a directory: created, changed and detached, each in one transaction with what is told about it. */

/** 400 invalidValue; 409 uniqueness, also for an account of somebody who is no member of the site. */
export async function createUser(parts: SsoParts, by: ByDirectory, body: Resource): Promise<UserRow> {
  const record = userIn(body)
  const { active = true, email } = record
  const { connection_id, site } = by.directory
  return writing(parts, async (tx) => {
    await holdDirectory(tx, by.directory)
    await requireDomain(tx, by, email)
    await refuseTaken(tx, by, record)
    const { user_id, is_created } = await findOrCreateAccount(tx, by, record)
    await tx`
      insert into sso.scim_users (connection_id, user_id, user_name, user_name_fold, external_id, resource, is_created)
      values (${connection_id}, ${user_id}, ${record.userName}, ${foldEmail(record.userName)}, ${record.externalId},
              ${tx.json(record.resource as never)}, ${is_created})`
    if (!is_created) await carryOver(tx, parts, by, user_id, undefined, record)
    await setActive(tx, by, user_id, active)
    const row = await requireUser(tx, by, user_id)
    // Last, because every registration of the site waits for the same row.
    if (is_created) await billRegistration(tx, parts, { user_id, site_id: site.site_id, email })
    return row
  })
}

/** 404 for an id that this directory did not make. */
export async function readUser(
  { database: { fast } }: SsoParts,
  by: ByDirectory,
  user_id: string,
): Promise<UserRow> {
  const { connection_id, site } = by.directory
  const [row] = await fast<UserRow[]>`
    select ${userColumns(fast)} ${usersOf(fast, { connection_id, site_id: site.site_id })} and s.user_id = ${user_id}`
  if (!row) throw notFound()
  return row
}

type Asked = { user_id: string; if_match: string | undefined }

/** 404, 412, and the refusals of createUser. */
export const replaceUser = (parts: SsoParts, by: ByDirectory, asked: Asked, body: Resource) =>
  changeUser(parts, by, asked, () => userIn(body))

/** The same, with the faults of the operations. */
export const patchUser = (parts: SsoParts, by: ByDirectory, asked: Asked, body: PatchBody) => {
  const steps = stepsOf(TYPES.User, body)
  return changeUser(parts, by, asked, (row) => userIn(applySteps(bodyOf(row), steps)))
}

async function changeUser(
  parts: SsoParts,
  by: ByDirectory,
  { user_id, if_match }: Asked,
  change: (row: UserRow) => UserRecord,
): Promise<UserRow> {
  return writing(parts, async (tx) => {
    const rules = await holdDirectory(tx, by.directory)
    const row = await requireUser(tx, by, user_id)
    requireMatch(if_match, userTag(row))
    const [before, after] = [userIn(bodyOf(row)), change(row)]
    const isChanged = !isDeepStrictEqual(storedOf(before), storedOf(after))
    if (isChanged) await store(tx, parts, by, user_id, before, after)
    const { active = row.active } = after
    const roles = await rolesByGroup(tx, by, rules, [user_id])
    const isMoved = active !== row.active && (await setActive(tx, by, user_id, active, roles.get(user_id)))
    if (!isChanged && !isMoved) return row
    await tx`
      update sso.scim_users set version = version + 1, updated_at = clock_timestamp()
       where connection_id = ${by.directory.connection_id} and user_id = ${user_id}`
    const details = { fields: fieldsChanged(before, after), ...(isMoved && { active }) }
    await noteByDirectory(tx, by, { action: 'user.updated', user_id, details })
    return requireUser(tx, by, user_id)
  })
}

async function store(
  tx: Tx,
  parts: SsoParts,
  by: ByDirectory,
  user_id: string,
  before: UserRecord,
  after: UserRecord,
): Promise<void> {
  const { connection_id } = by.directory
  if (after.email !== before.email) await requireDomain(tx, by, after.email)
  await refuseTaken(tx, by, after, user_id)
  await tx`
    update sso.scim_users
       set user_name = ${after.userName}, user_name_fold = ${foldEmail(after.userName)},
           external_id = ${after.externalId}, resource = ${tx.json(after.resource as never)}
     where connection_id = ${connection_id} and user_id = ${user_id}`
  await carryOver(tx, parts, by, user_id, before, after)
}

/** Names of attributes only: the log outlives an erasure. */
function fieldsChanged(before: UserRecord, after: UserRecord): string[] {
  const [was, is] = [before, after].map(({ resource, userName, externalId }): Resource => ({
    ...resource,
    userName,
    externalId,
  }))
  const names = new Set([...Object.keys(was ?? {}), ...Object.keys(is ?? {})])
  return [...names].filter((name) => !isDeepStrictEqual(was?.[name], is?.[name]))
}

/**
 * Detaches a person from the directory and suspends the membership. The account stays: who is a member elsewhere keeps
 * everything there, and erasing is for the person or an ADMIN. 404, 409 last_admin, 412.
 */
export async function deleteUser(
  { database }: SsoParts,
  by: ByDirectory,
  { user_id, if_match }: Asked,
): Promise<void> {
  await database.transaction(async (tx) => {
    const rules = await holdDirectory(tx, by.directory)
    requireMatch(if_match, userTag(await requireUser(tx, by, user_id)))
    await setActive(tx, by, user_id, false)
    const { connection_id } = by.directory
    await tx`
      update sso.scim_groups g set version = version + 1, updated_at = clock_timestamp() from sso.scim_members m
       where m.connection_id = ${connection_id} and m.user_id = ${user_id} and g.connection_id = m.connection_id
         and g.group_id = m.group_id`
    await withRoles(
      tx,
      by,
      rules,
      [user_id],
      () => tx`delete from sso.scim_users where connection_id = ${connection_id} and user_id = ${user_id}`,
    )
    await noteByDirectory(tx, by, { action: 'scim.person_detached', user_id })
  })
}

async function requireUser(tx: Tx, { directory }: ByDirectory, user_id: string): Promise<UserRow> {
  const { connection_id, site } = directory
  const rows = await tx<UserRow[]>`
    select ${userColumns(tx)} ${usersOf(tx, { connection_id, site_id: site.site_id })} and s.user_id = ${user_id}`
  if (rows.length === 0) throw notFound()
  return one(rows)
}

/** Asked before writing, so that the answer names the attribute; the constraints hold in any case. */
async function refuseTaken(
  tx: Tx,
  { directory }: ByDirectory,
  { userName, externalId }: UserRecord,
  user_id: string | null = null,
): Promise<void> {
  const [taken] = await tx<{ is_name: boolean }[]>`
    select user_name_fold = ${foldEmail(userName)} as is_name from sso.scim_users
     where connection_id = ${directory.connection_id} and user_id is distinct from ${user_id}::uuid
       and (user_name_fold = ${foldEmail(userName)} or external_id = ${externalId})
     order by is_name desc limit 1`
  if (taken)
    throw notUnique(
      `${taken.is_name ? 'userName' : 'externalId'}: belongs to another person of the directory`,
    )
}

/** Runs a write and words the violation of a unique constraint as SCIM does. */
async function writing<T>({ database }: SsoParts, work: (tx: Tx) => Promise<T>): Promise<T> {
  try {
    return await database.transaction(work)
  } catch (error) {
    if (violates(error, 'scim_users_pkey'))
      throw notUnique('emails: the address belongs to another person of the directory')
    throw takenBy(error) ? notUnique('emails: the address belongs to another account') : error
  }
}
