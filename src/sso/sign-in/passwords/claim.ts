import { one, type Tx } from '#foundation/database/database.ts'
import type { Site } from '#foundation/security/session-gate.ts'
import { foldEmail } from '#foundation/text.ts'
import { byNobody, recordAct } from '../../core/audit/audit.ts'
import { queueAddressClaim } from '../../people/letters/letters.ts'
import { wasWrittenToLately } from '../../core/messages/queue.ts'
import type { Origin, SsoParts } from '../../core/parts.ts'
import { insertRegistered } from '../completing/registered.ts'
import { isEmailVerified } from '../../people/person/email-claims.ts'
import { releasedAddress } from '../../people/person/fields.ts'
import { tellProfileChanged } from '../../people/person/tell.ts'
import { deadLink, type Presented, spendOneTimeToken } from '../../people/letters/one-time-tokens.ts'

/**
 * Handles a registration with a taken address. If others made the account and nobody has proven the address, whoever
 * reads its mail may claim it: a link goes there, at most once a minute. The registration is refused either way.
 */
export async function offerAddress(parts: SsoParts, site: Site, email: string): Promise<void> {
  await parts.database.transaction(async (tx) => {
    const [account] = await tx<{ user_id: string; email: string }[]>`
      select u.user_id, u.email from sso.users u
       where u.environment = ${site.environment} and u.email_fold = ${foldEmail(email)} and ${isUnclaimed(tx)}
         for no key update of u`
    if (!account || (await wasWrittenToLately(tx, account.user_id, 'address_claim'))) return
    await queueAddressClaim(tx, parts, { user: account, site })
  })
}

/** Others made the account, and neither a reader of the mailbox nor the owner of its domain has proven the address. */
const isUnclaimed = (tx: Tx) =>
  tx`u.status <> 'deleted' and not u.is_claimed and u.email_proven_at is null and not ${isEmailVerified(tx, null)}`

/**
 * Gives the address to a new account for the holder of the link, at the site they registered at. The old account stays
 * with the tenant that made it, with its history and without the address. 401 token_invalid.
 */
export async function claimAddress(
  parts: SsoParts,
  presented: Presented,
  password_hash: string,
  from: Origin,
): Promise<void> {
  await parts.database.transaction(async (tx) => {
    const link = await spendOneTimeToken(tx, presented)
    if (!link?.site_id) throw deadLink()
    if (!(await releaseAddress(tx, link.user_id))) throw deadLink()
    const { email, site_id, site_code, environment } = link
    // Following a mailed link is no consent to a partner's site. The person joins it when they sign in there.
    const site = { site_id, site_code, environment, is_first_party: await isFirstParty(tx, site_id) }
    const how = { from, joins: site.is_first_party }
    const { user_id } = await insertRegistered(tx, parts, site, { email, password_hash }, how)
    await tx`
        update sso.users set email_verified = true, email_proven_at = clock_timestamp() where user_id = ${user_id}`
    await tellProfileChanged(tx, user_id, ['email_verified'])
    await recordReleased(tx, link)
  })
}

async function isFirstParty(tx: Tx, site_id: string): Promise<boolean> {
  const [site] = await tx`select from sso.sites where site_id = ${site_id} and is_first_party`
  return site !== undefined
}

/** Nobody can ever own a domain under .invalid (RFC 2606). */
async function releaseAddress(tx: Tx, user_id: string): Promise<boolean> {
  const address = releasedAddress(user_id)
  const [released] = await tx`
    update sso.users u
       set email = ${address}, email_fold = ${address}, version = u.version + 1, updated_at = clock_timestamp()
     where u.user_id = ${user_id} and ${isUnclaimed(tx)}
    returning u.user_id`
  if (!released) return false
  await tellProfileChanged(tx, user_id, ['email', 'email_verified'])
  return true
}

/** Tells the ADMINs of every site that knew the account, by their audit log, why it has no address any more. */
async function recordReleased(
  tx: Tx,
  { user_id, environment }: { user_id: string; environment: 'sandbox' | 'production' },
): Promise<void> {
  const sites = await tx<{ site_ids: string[] }[]>`
    select array(select site_id from sso.memberships where user_id = ${user_id} order by site_id) as site_ids`
  for (const site_id of one(sites).site_ids)
    // No origin: the person who claimed the address is not one of the site's people.
    await recordAct(
      tx,
      { action: 'email.released', ...byNobody({ environment, site_id }, user_id) },
      undefined,
    )
}
