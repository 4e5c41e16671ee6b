import { type Static, Type } from 'typebox'
import type { Site } from '#foundation/security/session-gate.ts'
import { queueVerification } from '../../people/letters/letters.ts'
import { offerAddress } from '../passwords/claim.ts'
import type { Origin, SsoParts } from '../../core/parts.ts'
import { ProfileBody, profileFaults, refuseFaults } from '../../people/person/fields.ts'
import { takenBy } from '../../people/person/insert.ts'
import { namesOf, PasswordBody, passwordFaults } from '../../people/person/password-rules.ts'
import type { User } from '../../people/person/users.ts'
import { insertRegistered } from '../completing/registered.ts'

export type RegisterBody = Static<typeof RegisterBody>
export const RegisterBody = Type.Object({ email: Type.String(), password: PasswordBody, ...ProfileBody })

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
  const password_hash = await passwords.hashPassword(password)
  try {
    return await database.transaction(async (tx) => {
      const user = await insertRegistered(
        tx,
        parts,
        site,
        { ...profile, password_hash },
        { from, joins: true },
      )
      await queueVerification(tx, parts, { user, site })
      return user
    })
  } catch (error) {
    const taken = takenBy(error)
    if (taken?.code === 'email_taken') await offerAddress(parts, site, profile.email)
    throw taken ?? error
  }
}
