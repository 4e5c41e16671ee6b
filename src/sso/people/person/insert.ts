import { type Lane, one, type Tx, violates } from '#foundation/database/database.ts'
import { type ApiError, conflict } from '#foundation/errors.ts'
import { newId } from '#foundation/ids.ts'
import type { sitesOfAdmin } from '../../core/access/access.ts'
import { isOfOwnDomain } from './email-claims.ts'
import type { Site } from '#foundation/security/session-gate.ts'
import { foldEmail } from '#foundation/text.ts'
import { type Profile, PROFILE_FIELDS, profileColumns, profileIn } from '../../core/profile.ts'
import { type User, userColumns, type UserRow } from './users.ts'

export const emailTaken = () => conflict('email_taken', 'This e-mail address is already registered')

/** Maps a unique violation to its 409; undefined for any other error. */
export function takenBy(error: unknown): ApiError | undefined {
  if (violates(error, 'users_by_email')) return emailTaken()
  if (violates(error, 'users_by_username'))
    return conflict('username_taken', 'This username is already taken')
  if (violates(error, 'memberships_by_external_id'))
    return conflict('external_id_taken', 'This external_id already belongs to another member of the site')
  return undefined
}

/** Runs `write`, with a unique violation as its 409. */
export async function orTaken<T>(write: () => Promise<T>): Promise<T> {
  try {
    return await write()
  } catch (error) {
    throw takenBy(error) ?? error
  }
}

/**
 * Whether who asks may know anyway that this address has an account: it is one of their people, or its domain is proven for
 * their tenant. `theirs`: ids of the sites whose people they know.
 */
export async function isKnownTo(
  sql: Lane,
  theirs: (sql: Lane) => ReturnType<typeof sitesOfAdmin>,
  { environment, tenant_id }: Pick<Site, 'environment' | 'tenant_id'>,
  email: string,
): Promise<boolean> {
  const fold = foldEmail(email)
  const rows = await sql`
    select where ${isOfOwnDomain(sql, tenant_id, sql`${fold}`)} or exists (
      select from sso.users u join sso.memberships m using (user_id)
       where u.environment = ${environment} and u.email_fold = ${fold} and u.status <> 'deleted'
         and m.site_id in (${theirs(sql)}))`
  return rows.length > 0
}

type NewAccount = Partial<Profile> & {
  email: string
  password_hash: string | null
  metadata?: Record<string, unknown>
  source: User['registration_source']
}

/** Inserts only the account, in the environment of its site. The caller adds the membership. */
export async function insertUser(
  tx: Tx,
  { site_id, environment }: Pick<Site, 'site_id' | 'environment'>,
  { email, password_hash, source, metadata = {}, ...texts }: NewAccount,
): Promise<UserRow> {
  const profile = profileIn(texts)
  if (await isHeldForAnother(tx, environment, foldEmail(email), null)) throw emailTaken()
  const rows = await tx<UserRow[]>`
    insert into sso.users as u (user_id, environment, email, email_fold, username_fold, password_hash, metadata,
                                registration_site_id, registration_source, is_claimed, ${profileColumns(tx)})
    values (${newId()}, ${environment}, ${email}, ${foldEmail(email)}, ${profile.username?.toLowerCase() ?? null},
            ${password_hash}, ${tx.json(metadata as never)}, ${site_id}, ${source}, ${source === 'register'}
            ${PROFILE_FIELDS.map((name) => tx`, ${profile[name]}`)})
    returning ${userColumns(tx, null)}`
  return one(rows)
}

/**
 * Whether the address is reserved for its previous owner, who can still undo an e-mail change. Otherwise a thief could
 * register the old address and make the undo impossible.
 */
export async function isHeldForAnother(
  tx: Tx,
  environment: Site['environment'],
  email_fold: string,
  user_id: string | null,
): Promise<boolean> {
  const rows = await tx`
    select where ${isHeld(tx, environment, tx`${email_fold}`, tx`and c.user_id is distinct from ${user_id}::uuid`)}`
  return rows.length > 0
}

/** The same as an SQL condition, for any previous owner. */
export const isHeld = (
  sql: Lane,
  environment: Site['environment'],
  email_fold: ReturnType<Lane>,
  more = sql``,
) => sql`
  exists (select from sso.email_changes c
           where c.environment = ${environment} and c.old_fold = ${email_fold} and c.done_at is not null
             and c.undo_until > statement_timestamp() ${more})`
