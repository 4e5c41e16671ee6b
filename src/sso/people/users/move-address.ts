import type { Tx } from '#foundation/database/database.ts'
import { foldEmail } from '#foundation/text.ts'
import type { SeenSite } from '../../core/access/access.ts'
import type { SsoParts } from '../../core/parts.ts'
import { queueNotice, queueVerification } from '../letters/letters.ts'
import { emailTaken, isHeldForAnother } from '../person/insert.ts'
import { askEmailChange, cancelEmailChange } from './email-change.ts'
import { type Change, endOf } from './patch.ts'

/**
 * Changes the caller's own address once its mailbox is proven; sending the current address cancels a pending change.
 * Returns the changed fields.
 */
export async function changeAddressLater(tx: Tx, parts: SsoParts, change: Change): Promise<string[]> {
  const { caller, user_id, patch, person, from } = change
  if (patch.email === undefined) return []
  if (foldEmail(patch.email) === person.email_fold)
    return (await cancelEmailChange(tx, user_id)) ? ['pending_email'] : []
  const [waiting] = await tx`
    select from sso.email_changes
     where user_id = ${user_id} and done_at is null and new_email = ${patch.email} and expires_at > clock_timestamp()`
  const site = await senderTo(tx, change)
  const letter = { caller, old_email: person.email, new_email: patch.email, site, from }
  await askEmailChange(tx, parts, letter)
  return waiting ? [] : ['pending_email']
}

/**
 * Changes an address for an ADMIN at once: ends all sessions and pending sign-ins, mails a verification link to the new
 * address and notifies the old one.
 */
export async function moveAddress(tx: Tx, parts: SsoParts, change: Change, email: string) {
  const { user_id, person } = change
  if (await isHeldForAnother(tx, person.environment, foldEmail(email), user_id)) throw emailTaken()
  await cancelEmailChange(tx, user_id)
  await endOf(tx, change, 'everywhere', 'email_changed')
  const site = await senderTo(tx, change)
  await queueVerification(tx, parts, { user: { user_id, email }, site })
  await queueNotice(tx, parts, 'email_changed_notice', { user: { user_id, email: person.email }, site })
}

/** The site named in the mail: where the change was made if the person is a member, else a site they know. */
async function senderTo(tx: Tx, { user_id, site, person: { environment } }: Change) {
  const [known] = await tx<Pick<SeenSite, 'site_id' | 'site_code' | 'environment'>[]>`
    select i.site_id, i.site_code, i.environment from sso.memberships m join sso.sites i using (site_id)
     where m.user_id = ${user_id} and i.environment = ${environment} and i.deleted_at is null
     order by i.site_id = ${site.site_id} desc, m.joined_at, i.site_id limit 1`
  return known ?? { ...site, environment }
}
