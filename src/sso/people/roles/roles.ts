import { type Static, Type } from 'typebox'
import { type Database, one } from '#foundation/database/database.ts'
import { unprocessable } from '#foundation/errors.ts'
import { offsetOf, page, PageQuery } from '#foundation/http/paging.ts'
import type { Caller } from '#foundation/security/session-gate.ts'
import { requireSite } from '../../core/access/access.ts'

export const Role = Type.Object({
  role: Type.String(),
  name: Type.String(),
  description: Type.String(),
  permissions: Type.Array(Type.String()),
  is_admin: Type.Boolean(),
  is_default: Type.Boolean(),
})

export type RoleQuery = Static<typeof RoleQuery>
export const RoleQuery = Type.Object({ ...PageQuery.properties, site_code: Type.Optional(Type.String()) })

/** The role catalogue of a site the caller is a member of, sorted by role. 404 for any other site. */
export async function listRoles({ fast }: Database, caller: Caller, query: RoleQuery) {
  const { site_id } = await requireSite(fast, caller, query.site_code)
  const [items, count] = await Promise.all([
    fast<Static<typeof Role>[]>`
      select role, name, description, permissions, is_admin, is_default
        from sso.roles where site_id = ${site_id}
       order by role limit ${query.per_page} offset ${offsetOf(query)}`,
    fast<{ total: number }[]>`select count(*) as total from sso.roles where site_id = ${site_id}`,
  ])
  return page([...items], one(count).total, query)
}

export const unknownRole = () =>
  unprocessable('role', 'unknown_role', 'must be a role of the site (GET /roles)')
