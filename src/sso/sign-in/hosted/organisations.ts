import type { Database } from '#foundation/database/database.ts'
import type { Site } from '#foundation/security/session-gate.ts'
import { domainOf } from '../../people/person/email-claims.ts'

/** An organisation whose people sign in at its own identity provider. */
export type Organisation = { connection_id: string; name: string }

/** A longer list would reveal who the customers are, and help nobody. */
const MAX_LISTED = 3

/** The organisation of an e-mail address, by its verified domain. Undefined for any other name. */
export async function findOrganisation(
  { fast }: Database,
  { site_id }: Pick<Site, 'site_id'>,
  name: string,
): Promise<Organisation | undefined> {
  if (!name.includes('@')) return undefined
  const [organisation] = await fast<Organisation[]>`
    select c.connection_id, c.name
      from sso.connection_domains d join sso.connections c using (connection_id)
      join sso.sites i on i.site_id = c.site_id
     where d.site_id = ${site_id} and c.site_id = ${site_id} and d.domain = ${domainOf(name)}
       and d.verified_at is not null and c.status = 'active' and i.plan <> 'starter' and i.deleted_at is null`
  return organisation
}

/** The organisations that the sign-in page lists; none if the site has more than MAX_LISTED. */
export async function listOrganisations(
  { fast }: Database,
  { site_id }: Pick<Site, 'site_id'>,
): Promise<Organisation[]> {
  const organisations = await fast<Organisation[]>`
    select c.connection_id, c.name from sso.connections c join sso.sites i using (site_id)
     where c.site_id = ${site_id} and c.status = 'active' and i.plan <> 'starter' and i.deleted_at is null
     order by c.created_at, c.connection_id limit ${MAX_LISTED + 1}`
  return organisations.length > MAX_LISTED ? [] : [...organisations]
}

/** The address where the organisation's sign-in starts. `query` is the query of the visit. */
export const startOf = ({ connection_id }: Organisation, query: string, login_hint?: string) =>
  `/sso/${connection_id}/start${query}${login_hint === undefined ? '' : `&${new URLSearchParams({ login_hint }).toString()}`}`
