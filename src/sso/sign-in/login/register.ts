import { type Static, Type } from 'typebox'
import { Typed } from '#foundation/http/schemas.ts'
import type { Tx } from '#foundation/database/database.ts'
import type { Site } from '#foundation/security/session-gate.ts'
import { foldEmail } from '#foundation/text.ts'
import { byNobody, recordAct } from '../../core/audit/audit.ts'
import { wasWrittenToLately } from '../../core/messages/queue.ts'
import { queueNotice, queueSignUp, queueVerification } from '../../people/letters/letters.ts'
import { offerAddress } from '../passwords/claim.ts'
import type { Origin, SsoParts } from '../../core/parts.ts'
import { ProfileBody, profileFaults, refuseFaults } from '../../people/person/fields.ts'
import { isKnownTo, takenBy } from '../../people/person/insert.ts'
import { namesOf, PasswordBody, passwordFaults } from '../../people/person/password-rules.ts'
import type { User } from '../../people/person/users.ts'
import { insertRegistered } from '../completing/registered.ts'

export type RegisterBody = Static<typeof RegisterBody>
export const RegisterBody = Type.Object({ email: Typed(), password: PasswordBody, ...ProfileBody })

/**
 * Creates the account and its membership in the site's default role, and mails a link that proves the address. Opens no
 * session. 409 email_taken (an address that nobody has proven is offered to its mailbox), username_taken; 422 for an
 * invalid field or password.
 */
export async function register(
  parts: SsoParts,
  site: Site,
  { password, ...profile }: RegisterBody,
  from: Origin,
): Promise<User> {
  const { database, passwords } = parts
  const owner = { email: profile.email, site_id: site.site_id, names: namesOf(profile) }
  refuseFaults([...profileFaults(profile), ...(await passwordFaults(database, password, owner))])
  const account = { ...profile, password_hash: await passwords.hashPassword(password) }
  try {
    return await database.transaction(async (tx) => {
      const user = await insertRegistered(tx, parts, site, account, { from, joins: true })
      await queueVerification(tx, parts, { user, site })
      return user
    })
  } catch (error) {
    const taken = takenBy(error)
    if (taken?.code === 'email_taken') await offerAddress(parts, site, profile.email)
    throw taken ?? error
  }
}

type SignUp = {
  email: string
  display_name?: string
  locale?: string
  /** The query of the visit, which the mailed link carries on. */
  query: string
}

/**
 * Handles a sign-up on our pages. Every address gets a mail: a link to choose the password, or a notice that the
 * account exists. Content and timing of the response do not reveal which. Only the mailbox owner chooses the password,
 * so nobody can plant an account for another's address. 422 for an invalid field.
 */
export async function signUp(parts: SsoParts, site: Site, { query, ...profile }: SignUp, from: Origin) {
  refuseFaults(profileFaults(profile))
  const { database, passwords } = parts
  const account = { ...profile, password_hash: null }
  await passwords.answerInTime(from.ip_address, async () => {
    try {
      await database.transaction(async (tx) => {
        const user = await insertRegistered(tx, parts, site, account, { from, joins: site.is_first_party })
        await queueSignUp(tx, parts, { user, site }, query)
      })
    } catch (error) {
      if (!takenBy(error)) throw error
      await database.transaction(async (tx) => {
        const user_id = await writeToOwner(tx, parts, site, { ...profile, query })
        if (user_id === undefined) return
        await recordAct(tx, { action: 'user.registration_repeated', ...byNobody(site, user_id) }, from)
      })
    }
  })
}

type Owner = { user_id: string; email: string; is_theirs: boolean }

/** `is_theirs`: the address was proven, or a password was chosen. */
async function writeToOwner(
  tx: Tx,
  parts: SsoParts,
  site: Site,
  { email, query }: SignUp,
): Promise<string | undefined> {
  const [user] = await tx<Owner[]>`
    select user_id, email, password_hash is not null or email_proven_at is not null as is_theirs from sso.users
     where environment = ${site.environment} and email_fold = ${foldEmail(email)} and status = 'active'
       for no key update`
  if (!user) return undefined
  const kind = user.is_theirs ? 'account_exists_notice' : 'sign_up'
  if (!(await wasWrittenToLately(tx, user.user_id, kind))) {
    if (user.is_theirs) await queueNotice(tx, parts, 'account_exists_notice', { user, site })
    else await queueSignUp(tx, parts, { user, site }, query)
  }
  return user.user_id
}

/** Whether the site knows anyway that this address has an account. */
export const isKnownAt = ({ database: { fast } }: SsoParts, site: Site, email: string): Promise<boolean> =>
  isKnownTo(fast, (sql) => sql`${site.site_id}::uuid`, site, email)
