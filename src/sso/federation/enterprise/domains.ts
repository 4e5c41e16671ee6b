import { randomBytes } from 'node:crypto'
import { Resolver } from 'node:dns/promises'
import type { Lane } from '#foundation/database/database.ts'
import { conflict, forbidden, notFound, unprocessable } from '#foundation/errors.ts'
import type { Caller } from '#foundation/security/session-gate.ts'
import { isOperator, isOperatorNow } from '../../core/access/access.ts'
import type { SsoParts } from '../../core/parts.ts'
import { isHostName } from '../../people/person/fields.ts'
import { lockPlanned, requirePlanned } from './access.ts'
import { type By, type Ids, lockConnection, note, readConnection } from './connections.ts'
import type { Domain } from './fields.ts'
import { domainOf } from '../../people/person/email-claims.ts'

const MAX_DOMAINS = 50

/** The TXT records of a name, each joined to one text; empty if the name does not exist. */
export type ResolveTxt = (name: string) => Promise<string[]>

/**
 * Claims an e-mail domain for a connection; it counts once verified. A repeat returns the existing claim. 403, 404, 409
 * domain_taken by another connection of the site, domain_limit; 422.
 */
export async function addDomain({ database }: SsoParts, by: By, ids: Ids, given: string): Promise<Domain> {
  const { caller } = by
  const domain = domainOf(given)
  if (given.includes('@') || !isHostName(given) || domain === '')
    throw unprocessable('domain', 'invalid_domain', 'must be a host name such as school.example.org')
  return database.transaction(async (tx) => {
    const site = await lockPlanned(tx, caller, ids.site_id)
    await lockConnection(tx, ids)
    const { connection_id, site_id } = ids
    const [added] = await tx`
      insert into sso.connection_domains (site_id, domain, connection_id, challenge)
      select ${site_id}, ${domain}, ${connection_id}, ${randomBytes(24).toString('base64url')}
       where (select count(*) from sso.connection_domains where connection_id = ${connection_id}) < ${MAX_DOMAINS}
      on conflict (site_id, domain) do nothing
      returning domain`
    if (added)
      await note(tx, by, site, { action: 'connection.domain_added', details: { connection_id, domain } })
    const found = await findDomain(tx, caller, ids, domain)
    if (found) return found
    const [elsewhere] = await tx`
      select from sso.connection_domains where site_id = ${site_id} and domain = ${domain}`
    throw elsewhere
      ? conflict('domain_taken', 'This domain leads to another connection of the site')
      : conflict('domain_limit', `A connection has at most ${MAX_DOMAINS} domains`)
  })
}

/**
 * Verifies a domain by its TXT record, or by an operator's word, since an operator may run a network without public
 * names. 403, 404, 409 domain_unverified while the record is missing.
 */
export async function verifyDomain(
  { database }: Pick<SsoParts, 'database'>,
  by: By,
  { domain: given, ...ids }: Ids & { domain: string },
  { is_override, resolveTxt = askNameServers }: { is_override: boolean; resolveTxt?: ResolveTxt },
): Promise<Domain> {
  const { caller } = by
  const domain = domainOf(given)
  await requirePlanned(database.fast, caller, ids.site_id)
  if (is_override && !isOperator(caller))
    throw forbidden('operator_required', 'Only an operator may vouch for a domain')
  const claimed = await findDomain(database.fast, caller, ids, domain)
  if (!claimed) throw notFound()
  if (claimed.verified_at !== null) return claimed
  const { txt_name, txt_value } = claimed
  const records = is_override ? [txt_value] : await resolveTxt(txt_name).catch((): string[] => [])
  if (!records.includes(txt_value))
    throw conflict('domain_unverified', `The TXT record ${txt_name} does not hold ${txt_value} yet`)
  return database.transaction(async (tx) => {
    const site = await lockPlanned(tx, caller, ids.site_id)
    const { connection_id, site_id } = ids
    const verified_by = is_override ? 'operator' : 'dns'
    const challenge = txt_value.slice(txt_value.indexOf('=') + 1)
    // Compares the challenge again: if the domain was claimed anew meanwhile, the record that was read proves nothing.
    const [verified] = await tx`
      update sso.connection_domains
         set verified_at = clock_timestamp(), verified_by = ${verified_by}
       where site_id = ${site_id} and domain = ${domain} and connection_id = ${connection_id}
         and challenge = ${challenge} and verified_at is null
         and (not ${is_override}::boolean or ${isOperatorNow(tx, caller)})
      returning domain`
    const details = { connection_id, domain, by: verified_by }
    if (verified) await note(tx, by, site, { action: 'connection.domain_verified', details })
    const found = await findDomain(tx, caller, ids, domain)
    if (!found) throw notFound()
    return found
  })
}

/** Removes a domain of a connection. 403, 404. */
export async function removeDomain(
  { database }: SsoParts,
  by: By,
  { site_id, connection_id, ...given }: Ids & { domain: string },
): Promise<void> {
  const domain = domainOf(given.domain)
  await database.transaction(async (tx) => {
    const site = await lockPlanned(tx, by.caller, site_id)
    const [removed] = await tx`
      delete from sso.connection_domains
       where site_id = ${site_id} and domain = ${domain} and connection_id = ${connection_id}
      returning domain`
    if (!removed) throw notFound()
    await note(tx, by, site, { action: 'connection.domain_removed', details: { connection_id, domain } })
  })
}

async function findDomain(sql: Lane, caller: Caller, ids: Ids, domain: string): Promise<Domain | undefined> {
  const { domains } = await readConnection(sql, caller, ids)
  return domains.find((one) => one.domain === domain)
}

/** Asks the configured name servers; results are not cached. */
async function askNameServers(name: string): Promise<string[]> {
  const records = await new Resolver({ timeout: 1_500, tries: 2 }).resolveTxt(name)
  return records.map((parts) => parts.join(''))
}
