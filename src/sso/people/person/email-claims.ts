import { domainToASCII } from 'node:url'
import type { Lane, Tx } from '#foundation/database/database.ts'

/**
 * The tenant whose view of a person is wanted: an id, an SQL expression for one, or null for the view all tenants
 * share.
 */
export type TenantId = string | null | ReturnType<Lane>

/**
 * Whether the address of `u` counts as verified for that tenant: we verified it, a tenant with the proven domain claims
 * it, or the tenant itself claims it. Uses count(*), because `exists` may be planned as a hash of the whole table.
 */
export const isEmailVerified = (sql: Lane, tenant_id: TenantId) => sql`
  (u.email_verified
    or (select count(*) from sso.email_claims c
         where c.user_id = u.user_id and c.email_fold = u.email_fold
           and (c.tenant_id = (${tenant_id})::uuid or ${isOfProvenDomain(sql)})) > 0)`

/**
 * Whether claim `c` comes from a tenant with that domain verified. On a network without public DNS, an operator's
 * confirmation replaces the DNS check.
 */
const isOfProvenDomain = (sql: Lane) => sql`
  exists (select from sso.sites s join sso.connection_domains d using (site_id)
           where s.tenant_id = c.tenant_id and s.deleted_at is null and d.domain = c.domain
             and d.verified_at is not null)`

/** SQL condition: the address is at a domain that a site of the tenant has proven. */
export const isOfOwnDomain = (sql: Lane, tenant_id: string, email_fold: ReturnType<Lane>) => sql`
  exists (select from sso.sites s join sso.connection_domains d using (site_id)
           where s.tenant_id = ${tenant_id} and s.deleted_at is null and d.verified_at is not null
             and d.domain = substring(${email_fold} from '[^@]*$'))`

export type EmailClaim = { user_id: string; email_fold: string; domain: string }

/** Records a tenant's claims that these people have proven their addresses. */
export async function claimEmails(tx: Tx, tenant_id: string, claims: readonly EmailClaim[]): Promise<void> {
  if (claims.length === 0) return
  await tx`
    insert into sso.email_claims (user_id, tenant_id, email_fold, domain)
    select user_id, ${tenant_id}, email_fold, domain
      from json_to_recordset(${JSON.stringify(claims)}::text::json) as c (user_id uuid, email_fold text, domain text)
        on conflict (user_id, tenant_id) do update set email_fold = excluded.email_fold, domain = excluded.domain`
}

/** The domain of an address in the form that connection_domains stores. */
export const domainOf = (email: string): string =>
  domainToASCII(email.slice(email.lastIndexOf('@') + 1).trim()).toLowerCase()
