import { ApiError } from '#foundation/errors.ts'
import type { Limiter } from '#foundation/rate-limit/limiter.ts'
import { rateLimitHeaders } from '#foundation/rate-limit/limiter.ts'
import type { Identity, Profile, Site } from '#foundation/session-gate.ts'
import { originOf } from '../identify.ts'
import { authBucket } from '../limits.ts'
import type { SsoParts } from '../parts.ts'
import { revokeSessions } from '../sessions/sessions.ts'
import { login } from './login.ts'

/** The door for the sibling services in one process: the same rules and limits as over HTTP. */
export function createIdentity(parts: SsoParts, limiter: Limiter): Identity {
  const { database, config } = parts
  return {
    async login(site_code, { email, password }, { client_ip, user_agent }) {
      const verdict = await limiter.hit([authBucket(config.SSO_RATE_LIMIT_AUTH, client_ip)])
      if (!verdict.admitted) {
        const detail = `Too many requests, come back in ${verdict.retryAfter} s`
        throw new ApiError(429, 'rate_limited', detail, { headers: rateLimitHeaders(verdict) })
      }
      const site = await requireFirstParty(parts, site_code)
      const { user, session } = await login(
        parts,
        site,
        { email, password },
        originOf({ clientIp: client_ip, headers: { 'user-agent': user_agent } }),
      )
      const { user_id, session_version } = user
      return {
        mfa_required: false,
        user_id,
        tenant_id: site.tenant_id,
        session_id: session.session_id,
        session_version,
      }
    },

    async revokeSession(session_id) {
      const [session] = await database.fast<RevocableSession[]>`
        select s.user_id, s.login_id, s.site_id, i.environment
          from sso.sessions s join sso.sites i using (site_id) where s.session_id = ${session_id}`
      if (!session) return
      const { user_id, login_id, site_id, environment } = session
      const caller = { user_id, site_id, environment }
      await revokeSessions(parts, { user_id, scope: { login_id }, reason: 'logout', caller })
    },

    async profiles(tenant_id, user_ids) {
      // mfa_enabled: a person has no second factor as long as none can be added.
      return database.fast<Profile[]>`
        select u.user_id, u.display_name, u.email, u.email_verified, false as mfa_enabled, u.status, here.role,
               u.created_at, u.last_login_at
          from sso.users u
          join lateral (
            select m.role from sso.memberships m join sso.sites i using (site_id)
              join sso.roles r using (site_id, role)
             where m.user_id = u.user_id and i.tenant_id = ${tenant_id} and i.deleted_at is null
             order by r.is_admin desc, m.joined_at, m.site_id limit 1) here on true
         where u.user_id = any(${user_ids}::uuid[]) and u.status <> 'deleted'
         order by u.user_id`
    },
  }
}

type RevocableSession = { user_id: string; login_id: string } & Pick<Site, 'site_id' | 'environment'>

async function requireFirstParty({ database }: SsoParts, site_code: string): Promise<Site> {
  const [site] = await database.fast<Site[]>`
    select site_id, site_code, tenant_id, environment, is_first_party, trust_client_ip from sso.sites
     where site_code = ${site_code} and is_first_party and deleted_at is null`
  if (!site) throw new Error(`there is no first-party site ${site_code}`)
  return site
}
