import { type Limiter, refuseOver } from '#foundation/rate-limit/limiter.ts'
import type { Identity, SignedIn, Site } from '#foundation/security/session-gate.ts'
import { originOf } from '../../core/access/identify.ts'
import { authBucket } from '../../core/limits/limits.ts'
import { toldTo } from '../../core/told/told.ts'
import { prepareSecondFactor } from '../factors/options.ts'
import { enrolmentRequired } from '../../people/sessions/required.ts'
import type { SsoParts } from '../../core/parts.ts'
import { revokeSessions } from '../../people/sessions/sessions.ts'
import { sendLetter } from '../../people/letters/send.ts'
import { issuerOf } from '../../people/person/issuer.ts'
import { personNamed, profilesOf } from '../../people/person/resolve.ts'
import type { SignIn } from '../completing/complete.ts'
import { login } from './login.ts'
import { verifySecondFactor } from './mfa.ts'

/** Sign-in for the sibling services in the same process, with the rules and limits of the HTTP API. */
export function createIdentity(parts: SsoParts, limiter: Limiter): Identity {
  const { database, config } = parts

  /** Applies the sign-in limit of the address, then finds the site. */
  async function enter(site_code: string, { client_ip }: From): Promise<Site> {
    refuseOver(await limiter.hit([authBucket(config.SSO_RATE_LIMIT_AUTH, client_ip)]))
    return requireFirstParty(parts, site_code)
  }

  return {
    async login(site_code, { email, password }, from) {
      const site = await enter(site_code, from)
      const result = await login(parts, site, { email, password }, requestOrigin(from))
      if (!('mfa_token' in result)) return signedIn(site, result)
      const { mfa_token, mfa_methods } = result
      if (mfa_methods.length === 0) throw enrolmentRequired(parts, site)
      return { mfa_required: true, mfa_token, mfa_methods }
    },

    async verifyMfa(site_code, proof, from) {
      const site = await enter(site_code, from)
      return signedIn(site, await verifySecondFactor(parts, site, proof, requestOrigin(from)))
    },

    async sendMfaCode(site_code, asked, from) {
      const site = await enter(site_code, from)
      const { sent_to = '', resend_after = 0 } = await prepareSecondFactor(parts, site, asked)
      return { sent_to, resend_after }
    },

    async revokeSession(session_id) {
      const [session] = await database.fast<RevocableSession[]>`
        select user_id, login_id from sso.sessions where session_id = ${session_id}`
      if (!session) return
      const { user_id, login_id } = session
      await revokeSessions(parts, { user_id, scope: { login_id }, reason: 'logout', caller: { user_id } })
    },

    profiles: (tenant_id, user_ids) => profilesOf(database.fast, tenant_id, user_ids),
    personNamed: (tenant_id, name, asked_by) =>
      parts.told.found(toldTo.finder(asked_by), () => personNamed(database.fast, tenant_id, name)),
    issuerOf: (tenant_id) => issuerOf(database.fast, tenant_id),
    sendLetter: (letter) => sendLetter(parts, letter),
  }
}

type From = { client_ip: string; user_agent: string }
const requestOrigin = ({ client_ip, user_agent }: From) =>
  originOf({ clientIp: client_ip, headers: { 'user-agent': user_agent } })

const signedIn = ({ tenant_id }: Site, { user, session }: SignIn): SignedIn => ({
  mfa_required: false,
  user_id: user.user_id,
  tenant_id,
  session_id: session.session_id,
  session_version: user.session_version,
})

type RevocableSession = { user_id: string; login_id: string }

async function requireFirstParty({ database }: SsoParts, site_code: string): Promise<Site> {
  const [site] = await database.fast<Site[]>`
    select site_id, site_code, tenant_id, environment, is_first_party, trust_client_ip from sso.sites
     where site_code = ${site_code} and is_first_party and deleted_at is null`
  if (!site) throw new Error(`there is no first-party site ${site_code}`)
  return site
}
