import type { Lane } from '#foundation/database/database.ts'
import type { Site } from '#foundation/security/session-gate.ts'

/** The person and the site, as the consent page shows them. */
export type Parties = {
  email: string
  /** The language of the person's profile. */
  locale: string | null
  site_name: string
  domain: string
  is_domain_verified: boolean
  /** The organisation that runs the site. */
  tenant_name: string
}

export async function findParties(
  sql: Lane,
  { site_id }: Pick<Site, 'site_id'>,
  user_id: string,
): Promise<Parties | undefined> {
  const [parties] = await sql<Parties[]>`
    select u.email, u.locale, i.name as site_name, i.domain, i.domain_verified_at is not null as is_domain_verified,
           t.name as tenant_name
      from sso.sites i join sso.tenants t using (tenant_id), sso.users u
     where i.site_id = ${site_id} and i.deleted_at is null and u.user_id = ${user_id} and u.status = 'active'`
  return parties
}
