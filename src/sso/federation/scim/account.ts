import { one, type Tx } from '#foundation/database/database.ts'
import { foldEmail } from '#foundation/text.ts'
import type { SsoParts } from '../../core/parts.ts'
import { PROFILE_FIELDS, profileColumns, type Profile } from '../../core/profile.ts'
import { recordFact } from '../../events/facts/facts.ts'
import { userCreated } from '../../events/facts/telling.ts'
import { queueNotice } from '../../people/letters/letters.ts'
import { claimEmails, domainOf } from '../../people/person/email-claims.ts'
import { emailTaken, insertUser, isHeldForAnother } from '../../people/person/insert.ts'
import { tellProfileChanged } from '../../people/person/tell.ts'
import { lockUser, userColumns, type UserRow } from '../../people/person/users.ts'
import { giveRole } from '../../people/roles/provider-roles.ts'
import { endSessions } from '../../people/sessions/sessions.ts'
import { deleteChallenges } from '../../people/sessions/waiting.ts'
import { cancelEmailChange } from '../../people/users/email-change.ts'
import { notUnique, refused } from './errors.ts'
import { type ByDirectory, noteByDirectory } from './hold.ts'
import { profileOf, type UserRecord } from './user-record.ts'

/** 400 for an address outside of the domains that the connection has proven. */
export async function requireDomain(tx: Tx, { directory }: ByDirectory, email: string): Promise<void> {
  if (!(await isOwnDomain(tx, directory.connection_id, email)))
    throw refused('invalid_value', 'emails: the address is not at a proven domain of this connection')
}

async function isOwnDomain(tx: Tx, connection_id: string, email: string): Promise<boolean> {
  const rows = await tx`
    select from sso.connection_domains
     where connection_id = ${connection_id} and domain = ${domainOf(email)} and verified_at is not null`
  return rows.length > 0
}

/**
 * The account for a new person of the directory: a member of the site who has the address, or a new account. An account
 * of somebody who is no member stays untouched, so that no tenant takes over what another one made: 409 uniqueness.
 */
export async function findOrCreateAccount(
  tx: Tx,
  by: ByDirectory,
  record: UserRecord,
): Promise<{ user_id: string; is_created: boolean }> {
  const { site } = by.directory
  const [known] = await tx<{ user_id: string; is_member: boolean }[]>`
    select u.user_id, exists (select from sso.memberships m
                               where m.user_id = u.user_id and m.site_id = ${site.site_id}) as is_member
      from sso.users u
     where u.environment = ${site.environment} and u.email_fold = ${foldEmail(record.email)} and u.status <> 'deleted'
       for no key update of u`
  if (!known) return { user_id: await createAccount(tx, by, record), is_created: true }
  if (!known.is_member)
    throw notUnique(
      'emails: the address has an account that is no member of this site; its owner signs in once',
    )
  await noteByDirectory(tx, by, { action: 'scim.person_linked', user_id: known.user_id })
  return { user_id: known.user_id, is_created: false }
}

async function createAccount(tx: Tx, by: ByDirectory, record: UserRecord): Promise<string> {
  const { site } = by.directory
  const { email } = record
  const account = { ...profileOf(record), email, password_hash: null, source: 'sso_jit' } as const
  const { user_id } = await insertUser(tx, site, account)
  await claimAddress(tx, by, user_id, email)
  await giveRole(tx, site, user_id, null, by.from)
  const user = one(
    await tx<UserRow[]>`
      select ${userColumns(tx, site.tenant_id)} from sso.users u where u.user_id = ${user_id}`,
  )
  await recordFact(tx, userCreated(site, user))
  await noteByDirectory(tx, by, { action: 'user.created', user_id })
  return user_id
}

/** The tenant's word that the address is the person's, since its domain is proven. */
const claimAddress = (tx: Tx, { directory: { site } }: ByDirectory, user_id: string, email: string) =>
  claimEmails(tx, site.tenant_id, [{ user_id, email_fold: foldEmail(email), domain: domainOf(email) }])

type Held = Profile & { email: string; email_fold: string; is_exclusive: boolean; is_email_proven: boolean }

/**
 * Carries what the directory changed over to the account, if the person is a member of this site only. The rest of what
 * they have is theirs or other tenants' to change (docs/decisions/exclusive-people.md).
 */
export async function carryOver(
  tx: Tx,
  parts: SsoParts,
  by: ByDirectory,
  user_id: string,
  before: UserRecord | undefined,
  after: UserRecord,
): Promise<void> {
  await lockUser(tx, user_id)
  // After the lock, which whoever adds a membership takes as well.
  const held = one(
    await tx<Held[]>`
      select ${profileColumns(tx, 'u')}, u.email, u.email_fold, u.email_proven_at is not null as is_email_proven,
             not exists (select from sso.memberships m join sso.sites i using (site_id)
                          where m.user_id = u.user_id and i.deleted_at is null
                            and m.site_id <> ${by.directory.site.site_id}) as is_exclusive
        from sso.users u where u.user_id = ${user_id}`,
  )
  if (!held.is_exclusive) return
  const profile = changedProfile(held, before, after)
  const fields = Object.keys(profile)
  const isMoved =
    before !== undefined &&
    foldEmail(after.email) !== foldEmail(before.email) &&
    foldEmail(after.email) !== held.email_fold &&
    (await mayMove(tx, by, held))
  if (isMoved) fields.push('email', ...(await moveAddress(tx, parts, by, user_id, held, after.email)))
  if (fields.length === 0) return
  await tx`
    update sso.users set ${PROFILE_FIELDS.map((name) => tx`${tx(name)} = ${{ ...held, ...profile }[name]},`)}
           version = version + 1, updated_at = clock_timestamp()
     where user_id = ${user_id} and status <> 'deleted'`
  await tellProfileChanged(tx, user_id, fields)
}

/** Only what the directory changed now: what a person wrote themselves stays until the directory says something new. */
function changedProfile(held: Held, before: UserRecord | undefined, after: UserRecord): Partial<Profile> {
  const [was, is] = [before ? profileOf(before) : {}, profileOf(after)]
  const names = new Set([...Object.keys(was), ...Object.keys(is)]) as Set<keyof typeof is>
  const changed = [...names].filter((name) => was[name] !== is[name] && held[name] !== (is[name] ?? null))
  return Object.fromEntries(changed.map((name) => [name, is[name] ?? null]))
}

/** Whose mailbox it is owns the account; the owner of a proven domain can read its mail anyway. */
const mayMove = async (tx: Tx, { directory }: ByDirectory, { email, is_email_proven }: Held) =>
  !is_email_proven || (await isOwnDomain(tx, directory.connection_id, email))

async function moveAddress(
  tx: Tx,
  parts: SsoParts,
  by: ByDirectory,
  user_id: string,
  held: Held,
  email: string,
): Promise<string[]> {
  const { site } = by.directory
  if (await isHeldForAnother(tx, site.environment, foldEmail(email), user_id)) throw emailTaken()
  await cancelEmailChange(tx, user_id)
  await tx`
    update sso.users set email = ${email}, email_fold = ${foldEmail(email)}, email_verified = false,
           email_proven_at = null, is_claimed = false
     where user_id = ${user_id} and status <> 'deleted'`
  await claimAddress(tx, by, user_id, email)
  await deleteChallenges(tx, user_id)
  await endSessions(tx, {
    user_id,
    scope: 'everywhere',
    reason: 'email_changed',
    always_bump: true,
    caller: { user_id: null, site_id: site.site_id },
    from: by.from,
  })
  await queueNotice(tx, parts, 'email_changed_notice', { user: { user_id, email: held.email }, site })
  return held.is_email_proven ? ['email_verified'] : []
}
