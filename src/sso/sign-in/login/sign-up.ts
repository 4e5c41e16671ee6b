import type { Tx } from '#foundation/database/database.ts'
import type { Site } from '#foundation/security/session-gate.ts'
import { foldEmail } from '#foundation/text.ts'
import { byNobody, recordAct } from '../../core/audit/audit.ts'
import { queueNotice, queueSignUp } from '../../people/letters/letters.ts'
import { wasWrittenToLately } from '../../core/messages/queue.ts'
import type { Origin, SsoParts } from '../../core/parts.ts'
import { profileFaults, refuseFaults } from '../../people/person/fields.ts'
import { takenBy } from '../../people/person/insert.ts'
import { insertRegistered } from '../completing/registered.ts'

type SignUp = {
  email: string
  display_name?: string
  /** Where the link leads on to, as every link of the visit says it. */
  query: string
}

/**
 * Somebody asks for an account on our pages. The address gets a message, whatever it says: a link to choose the password,
 * or that there is an account already. Nothing here tells which, the time it takes included; and the password is chosen by
 * who has the mailbox, so nobody keeps a way into an account that was made for another's address. 422 for a field that
 * cannot be.
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

/** `is_theirs`: somebody has proven the address, or chosen a password for it. */
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
