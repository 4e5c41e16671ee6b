import { type Static, Type } from 'typebox'
import type { Database } from '#foundation/database/database.ts'
import { notFound } from '#foundation/errors.ts'
import { Nullable, OneOf, Time, Uuid } from '#foundation/http/schemas.ts'
import type { Caller } from '#foundation/security/session-gate.ts'
import { isVisibleFrom, rightsOver, sitesOfAdmin } from '../../core/access/access.ts'
import { Session } from '../sessions/list.ts'

export type Membership = Static<typeof Membership>
const Membership = Type.Object({
  site_id: Uuid,
  site_code: Type.String(),
  name: Type.String(),
  role: Type.String(),
  external_id: Nullable(Type.String()),
  status: OneOf(['active', 'suspended']),
  joined_at: Time,
  /** What the person lets the site know; empty if the site added them and they were never asked. */
  scopes: Type.Array(Type.String()),
})

/** How a person stands at the sites of which the caller is ADMIN. */
export type Standing = Static<typeof Standing>
export const Standing = Type.Object({
  is_self: Type.Boolean(),
  /** Known to no other site: the caller may change the account itself. */
  is_exclusive: Type.Boolean(),
  memberships: Type.Array(Membership),
  /** The newest that live. */
  sessions: Type.Array(Type.Omit(Session, ['user_id', 'status', 'current', 'revoked_at', 'revoke_reason'])),
})

const MOST = 200

/** The memberships and live sessions of a person, and the caller's rights over them. 404 for a person they may not see. */
export async function readStanding({ pool }: Database, caller: Caller, user_id: string): Promise<Standing> {
  const [found] = await pool<Standing[]>`
    with own as materialized (${sitesOfAdmin(pool, caller)})
    select u.user_id = ${caller.user_id} as is_self, rights.is_exclusive,
           array(select jsonb_build_object(
                          'site_id', i.site_id, 'site_code', i.site_code, 'name', i.name, 'role', m.role,
                          'external_id', m.external_id, 'joined_at', foundation.iso(m.joined_at),
                          'status', case when m.suspended_at is null then 'active' else 'suspended' end,
                          'scopes', coalesce(c.scopes, '{}'))
                   from sso.memberships m join own using (site_id) join sso.sites i using (site_id)
                   left join sso.consents c
                     on c.user_id = m.user_id and c.site_id = m.site_id and c.revoked_at is null
                  where m.user_id = u.user_id
                  order by i.site_code, i.site_id limit ${MOST}) as memberships,
           array(select jsonb_build_object(
                          'session_id', s.session_id, 'site_code', i.site_code, 'auth_methods', s.auth_methods,
                          'ip_address', s.ip_address, 'user_agent', s.user_agent, 'device_name', s.device_name,
                          'created_at', foundation.iso(s.created_at), 'last_seen_at', foundation.iso(s.last_seen_at),
                          'expires_at', foundation.iso(s.expires_at))
                   from sso.sessions s join own using (site_id) join sso.sites i using (site_id)
                  where s.user_id = u.user_id and s.revoked_at is null and s.expires_at > statement_timestamp()
                  order by s.created_at desc, s.session_id desc limit ${MOST}) as sessions
      from sso.users u cross join (${rightsOver(pool, caller, user_id)}) as rights
     where u.user_id = ${user_id} and u.status <> 'deleted' and ${isVisibleFrom(pool, caller)}
       and (rights.is_visible or u.user_id = ${caller.user_id})`
  if (!found) throw notFound()
  return found
}
