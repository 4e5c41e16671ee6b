import { type Lane, one } from '#foundation/database/database.ts'

/**
 * Under whose name papers of a tenant leave: that of the installation for its own people (setting of the hosted pages),
 * that of the tenant for everybody else.
 */
export async function issuerOf(sql: Lane, tenant_id: string): Promise<string> {
  const rows = await sql<{ name: string }[]>`
    select case when exists (select from sso.sites s
                              where s.tenant_id = t.tenant_id and s.is_first_party and s.deleted_at is null)
                then coalesce((select b.name from sso.branding b), 'Lyceum')
                else t.name end as name
      from sso.tenants t where t.tenant_id = ${tenant_id}`
  return one(rows).name
}
