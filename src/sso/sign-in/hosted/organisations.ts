import type { Database } from '#foundation/database/database.ts'
import type { Site } from '#foundation/security/session-gate.ts'
import { domainOf } from '../../people/person/email-claims.ts'

/** An organisation whose people sign in at their own identity provider. */
export type Organisation = { connection_id: string; name: string }

/** With more than these a list would tell who the customers are, and help nobody. */
const MAX_LISTED = 3

/** The organisation an e-mail address belongs to, by its verified domain. Undefined for every other name. */
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

/** The organisations the sign-in page names: those of a site that has a few. */
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

/** Where its sign-in begins. `query`: of the visit, as every link of it carries it on. */
export const startOf = ({ connection_id }: Organisation, query: string, login_hint?: string) =>
  `/sso/${connection_id}/start${query}${login_hint === undefined ? '' : `&${new URLSearchParams({ login_hint }).toString()}`}`
