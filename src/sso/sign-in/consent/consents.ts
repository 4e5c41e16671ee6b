import type { Lane, Tx } from '#foundation/database/database.ts'
import type { Site } from '#foundation/security/session-gate.ts'
import { byNobody, byOneself, recordAct } from '../../core/audit/audit.ts'
import type { Origin } from '../../core/parts.ts'
import { SCOPES } from './purpose.ts'

/** How consent was given: on our page, or by giving the password to the site itself. */
type GivenBy = 'page' | 'password'

type Place = Pick<Site, 'site_id' | 'environment'>

/** Whether the person has consented to all of `needs` and not revoked it. */
export async function isGranted(
  sql: Lane,
  user_id: string,
  { site_id }: Pick<Site, 'site_id'>,
  needs: readonly string[],
): Promise<boolean> {
  const [granted] = await sql`
    select from sso.consents
     where user_id = ${user_id} and site_id = ${site_id} and revoked_at is null and scopes @> ${[...needs]}::text[]`
  return granted !== undefined
}

/**
 * Stores consent, in a transaction that holds the lock on the users row. Adds to earlier scopes; after a revocation it
 * starts anew. A repeat writes nothing.
 */
export async function grantConsent(
  tx: Tx,
  site: Place,
  user_id: string,
  { scopes, given_by }: { scopes: readonly string[]; given_by: GivenBy },
  from: Origin,
): Promise<void> {
  const [granted] = await tx<{ scopes: string[] }[]>`
    insert into sso.consents as c (user_id, site_id, scopes, given_by)
    values (${user_id}, ${site.site_id}, ${[...scopes]}, ${given_by})
    on conflict (user_id, site_id) do update
       set scopes = case when c.revoked_at is null
                         then array(select unnest(c.scopes) union select unnest(excluded.scopes) order by 1)
                         else excluded.scopes end,
           given_by = excluded.given_by,
           granted_at = case when c.revoked_at is null then c.granted_at else clock_timestamp() end,
           revoked_at = null
     where c.revoked_at is not null or not c.scopes @> excluded.scopes
    returning scopes`
  if (!granted) return
  const details = { scopes: granted.scopes, given_by }
  await recordAct(tx, { action: 'consent.granted', ...byOneself(site, user_id), details }, from)
}

/** Giving the password to the site itself counts as consent to all scopes: the site receives the whole account. */
export const grantByPassword = (tx: Tx, site: Place, user_id: string, from: Origin) =>
  grantConsent(tx, site, user_id, { scopes: SCOPES, given_by: 'password' }, from)

/**
 * Grants consent for people whose account the site's tenant made and who never proved its address: the site learns only
 * what the tenant itself supplied. Only on the first sign-in, so that a revocation stays in force.
 */
export async function grantByOrganisation(tx: Tx, site: Site, user_id: string, from: Origin) {
  if (site.is_first_party) return
  const [granted] = await tx`
    insert into sso.consents (user_id, site_id, scopes, given_by)
    select u.user_id, ${site.site_id}, ${[...SCOPES]}, 'organisation'
      from sso.users u join sso.sites r on r.site_id = u.registration_site_id
     where u.user_id = ${user_id} and u.registration_source in ('admin', 'bulk_import', 'sso_jit')
       and u.email_proven_at is null and r.tenant_id = ${site.tenant_id}
    on conflict (user_id, site_id) do nothing
    returning user_id`
  if (!granted) return
  const details = { scopes: [...SCOPES], given_by: 'organisation' }
  await recordAct(tx, { action: 'consent.granted', ...byNobody(site, user_id), details }, from)
}
