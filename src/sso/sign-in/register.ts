import { type Static, Type } from 'typebox'
import { one, type Tx, violates } from '#foundation/database.ts'
import { conflict } from '#foundation/errors.ts'
import { newId } from '#foundation/ids.ts'
import type { Site } from '#foundation/session-gate.ts'
import { foldEmail } from '#foundation/text.ts'
import { recordAct } from '../audit.ts'
import { queueVerification } from '../messages/letters.ts'
import type { Origin, SsoParts } from '../parts.ts'
import { PasswordBody, passwordFaults, ProfileBody, profileFaults, refuseFaults } from '../users/fields.ts'
import { type User, userColumns, type UserRow } from '../users/users.ts'

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
  refuseFaults([...profileFaults(profile), ...passwordFaults(password, profile.email)])
  const password_hash = await passwords.hashPassword(password)
  try {
    return await database.transaction(async (tx) => {
      const user = await insertUser(tx, site, profile, password_hash)
      const role = await joinSite(tx, user.user_id, site.site_id)
      await queueVerification(tx, parts, { user, site })
      await recordAct(
        tx,
        {
          action: 'user.registered',
          environment: site.environment,
          site_id: site.site_id,
          actor_user_id: null,
          subject_user_id: user.user_id,
        },
        from,
      )
      return { ...user, external_id: null, roles: [{ site_code: site.site_code, role }] }
    })
  } catch (error) {
    if (violates(error, 'users_by_email'))
      throw conflict('email_taken', 'This e-mail address is already registered')
    if (violates(error, 'users_by_username'))
      throw conflict('username_taken', 'This username is already taken')
    throw error
  }
}

type Profile = Omit<RegisterBody, 'password'>

async function insertUser(tx: Tx, site: Site, profile: Profile, password_hash: string): Promise<UserRow> {
  const { email, username = null, phone = null, locale = null, time_zone = null, metadata = {} } = profile
  const { display_name = null, given_name = null, family_name = null } = profile
  const rows = await tx<UserRow[]>`
    insert into sso.users as u (user_id, environment, email, email_fold, username, username_fold, password_hash, phone,
                                display_name, given_name, family_name, locale, time_zone, metadata,
                                registration_site_id, registration_source)
    values (${newId()}, ${site.environment}, ${email}, ${foldEmail(email)}, ${username},
            ${username?.toLowerCase() ?? null}, ${password_hash}, ${phone}, ${display_name}, ${given_name},
            ${family_name}, ${locale}, ${time_zone}, ${tx.json(metadata as never)}, ${site.site_id}, 'register')
    returning ${userColumns(tx)}`
  return one(rows)
}

async function joinSite(tx: Tx, user_id: string, site_id: string): Promise<string> {
  const rows = await tx<{ role: string }[]>`
    insert into sso.memberships (user_id, site_id, role)
    select ${user_id}, site_id, role from sso.roles where site_id = ${site_id} and is_default
    returning role`
  return one(rows).role
}
