import type { FastifyRequest } from 'fastify'
import { canonical } from '#foundation/outbound/addresses.ts'
import type { Database } from '#foundation/database/database.ts'
import { forbidden, unauthorized } from '#foundation/errors.ts'
import { bearerToken, tokenMissing, WWW_AUTHENTICATE } from '#foundation/security/identity.ts'
import type { SessionGate } from '#foundation/security/session-gate.ts'
import type { Origin } from '../parts.ts'
import { findDirectory } from './directory-tokens.ts'
import { findSiteByKey } from './site-keys.ts'

const SITE_KEY_WANTED = { headers: { 'WWW-Authenticate': 'X-SSO-Site-Key' } }
const USER_AGENT_LENGTH = 512

/**
 * Authenticates the request as the route's `auth` requires: the site by its site key, the directory of a connection by
 * its SCIM token, or the person by the Bearer token.
 */
export const identifyWith =
  (database: Database, gate: SessionGate) =>
  async (request: FastifyRequest): Promise<void> => {
    const { auth } = request.policy
    if (auth === 'site' || (auth === 'site_or_admin' && hasSiteKey(request)))
      return identifySite(database, request)
    const token = bearerToken(request)
    if (token === undefined) throw tokenMissing()
    if (auth === 'connection') return identifyDirectory(database, request, token)
    request.caller = await gate.verifyAccessToken(token)
  }

const hasSiteKey = ({ headers }: FastifyRequest) => headers['x-sso-site-key'] !== undefined

async function identifySite(database: Database, request: FastifyRequest) {
  const key = request.headers['x-sso-site-key']
  if (typeof key !== 'string')
    throw unauthorized('site_key_missing', 'This needs a site key', SITE_KEY_WANTED)
  const site = await findSiteByKey(database, key)
  if (!site) throw unauthorized('site_key_invalid', 'The site key is not valid', SITE_KEY_WANTED)
  if (site.is_pending) throw forbidden('site_pending', 'The site waits for the approval of an operator')
  request.site = site
  if (site.trust_client_ip) request.clientIp = namedAddress(request) ?? request.clientIp
}

/** A token opens its own connection only; it is no better than an unknown one at any other. */
async function identifyDirectory(database: Database, request: FastifyRequest, token: string) {
  const found = await findDirectory(database, token)
  const { connection_id = '' } = request.params as { connection_id?: string }
  if (!found || found.connection_id !== connection_id.toLowerCase())
    throw unauthorized('token_invalid', 'The SCIM token is not valid for this connection', WWW_AUTHENTICATE)
  const { is_pending, is_disabled, plan, ...directory } = found
  if (is_pending) throw forbidden('site_pending', 'The site waits for the approval of an operator')
  if (plan === 'starter') throw forbidden('plan_required', 'SCIM needs the plan Business or Enterprise')
  if (is_disabled) throw forbidden('connection_disabled', 'This connection is switched off')
  request.directory = directory
}

/**
 * The end user's IP address from X-SSO-Client-IP, sent by a trusted partner. Any value that is not a single IP address
 * is ignored.
 */
function namedAddress({ headers }: FastifyRequest): string | undefined {
  const named = headers['x-sso-client-ip']
  return (typeof named === 'string' && canonical(named.trim())) || undefined
}

/** IP address and user agent of the request, as stored in sessions and the audit log. */
export const originOf = ({ clientIp, headers }: Pick<FastifyRequest, 'clientIp' | 'headers'>): Origin => ({
  ip_address: canonical(clientIp) || clientIp,
  user_agent: (headers['user-agent'] ?? '').slice(0, USER_AGENT_LENGTH),
})
