import { type Static, Type } from 'typebox'
import { one, type Tx } from '#foundation/database.ts'
import type { Site } from '#foundation/session-gate.ts'
import { recordAct } from '../audit.ts'
import { billRegistration } from '../billing/ledger.ts'
import { queueVerification } from '../messages/letters.ts'
import type { Origin, SsoParts } from '../parts.ts'
import { ProfileBody, profileFaults, refuseFaults } from '../users/fields.ts'
import { insertUser, takenBy } from '../users/insert.ts'
import { namesOf, PasswordBody, passwordFaults } from '../users/password-rules.ts'
import type { User } from '../users/users.ts'
import { recordFact } from '../webhooks/facts.ts'
import { userCreated } from '../webhooks/telling.ts'

export type RegisterBody = Static<typeof RegisterBody>
export const RegisterBody = Type.Object({ email: Type.String(), password: PasswordBody, ...ProfileBody })

/**
 * Creates the account and its membership of the site, in the site's default role, and mails a link that proves the
 * address. It signs nobody in.
 * 409 email_taken, username_taken; 422 for a field or a password that cannot be.
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
  const password_hash = await passwords.hashPassword(password)
  try {
    return await database.transaction(async (tx) => {
      const user = await enrol(tx, parts, site, { ...profile, password_hash }, from)
      await queueVerification(tx, parts, { user, site })
      return user
    })
  } catch (error) {
    throw takenBy(error) ?? error
  }
}

type Enrolled = Omit<RegisterBody, 'password'> & { password_hash: string | null }

/** The account, its membership in the site's default role, and whoever has to know of it. The letter is the caller's. */
export async function enrol(
  tx: Tx,
  parts: SsoParts,
  site: Site,
  profile: Enrolled,
  from: Origin,
): Promise<User> {
  const user = await insertUser(tx, site, { ...profile, source: 'register' })
  const { user_id, email } = user
  const role = await joinSite(tx, user_id, site.site_id)
  await recordFact(tx, userCreated(site, user))
  await recordAct(
    tx,
    {
      action: 'user.registered',
      environment: site.environment,
      site_id: site.site_id,
      actor_user_id: null,
      subject_user_id: user_id,
    },
    from,
  )
  await billRegistration(tx, parts, { user_id, site_id: site.site_id, email })
  return { ...user, external_id: null, roles: [{ site_code: site.site_code, role }] }
}

async function joinSite(tx: Tx, user_id: string, site_id: string): Promise<string> {
  const rows = await tx<{ role: string }[]>`
    insert into sso.memberships (user_id, site_id, role)
    select ${user_id}, site_id, role from sso.roles where site_id = ${site_id} and is_default
    returning role`
  return one(rows).role
}
