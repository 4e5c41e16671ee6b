import { createSecretKey, type KeyObject } from 'node:crypto'
import {
  ACCESS_TOKEN_LIFE,
  type Claims,
  createMint,
  createTokenVerifier,
  type Environment,
  signToken,
  type VerifiedToken,
  type VerifyKey,
  verifyToken,
} from '#foundation/security/access-tokens.ts'
import { clock } from '#foundation/clock.ts'
import type { ServiceParts } from '#foundation/http/service.ts'
import type { KeyRing } from './key-ring.ts'

/** Minutes for which a site's previous HS256 key is still accepted after a rotation. */
export const HS_OVERLAP = 31
/** State of a site's HS256 key rotation. */
export type HsTurn = { hs_generation: number; hs_rotated_at: string | null }

export type SigningSite = {
  site_id: string
  site_code: string
  tenant_id: string
  environment: Environment
  token_signing: 'HS256' | 'RS256' | 'dual'
  hs_generation: number
}

export type Grant = {
  user_id: string
  email: string
  role: string
  permissions: string[]
  site: SigningSite
  session_id: string
  session_version: number
  auth_methods: string[]
  /** ISO 8601, as the database returns times. */
  auth_time: string
}

export type AccessTokens = { access_token: string; access_token_hs256?: string }

export type Tokens = {
  /** Signs with the site's algorithm. `dual` returns two tokens with the same claims, so one revocation ends both. */
  issue(grant: Grant): Promise<AccessTokens>
  /** Throws 401 `token_invalid` or `token_expired`. */
  verify(token: string): Promise<VerifiedToken>
  /** Like verify, but accepts an expired token, because signing out only needs its session. */
  verifyOld(token: string): Promise<VerifiedToken>
  /**
   * The site's HS256 key in base64url. The partner sees it only when the site is created and when the key is rotated.
   */
  jwtSecret(site: Pick<SigningSite, 'site_id' | 'environment' | 'hs_generation'>): string
  /** `iss` of the tokens of this environment. */
  issuer(environment: Environment): string
}

type SiteKey = {
  kid: string
  alg: 'HS256'
  environment: Environment
  secret: KeyObject
  site_code: string
  tenant_id: string
  generation: number
}
type SiteOfKey = Omit<SigningSite, 'token_signing'>

/** Size of the cache of derived keys; deriving one again takes microseconds. */
const MAX_SITE_KEYS = 10_000
const SITE_KID = /^hs-([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})-([1-9]\d{0,8})$/

/** Issues access tokens at sign-in and refresh, and verifies them on every request. */
export function createTokens({ database, keys, ssoUrl }: ServiceParts, ring: KeyRing): Tokens {
  const siteKeys = new Map<string, SiteKey>()
  const mint = createMint(keys.derive('access tokens issued here'))
  const judges = { findKey, isOurs: mint.isOurs }
  const verifier = createTokenVerifier(judges)
  ring.onGone((kid) => verifier.forgetKey(kid))

  const issuer = (environment: Environment) => (environment === 'sandbox' ? `${ssoUrl()}/sandbox` : ssoUrl())

  const secretOf = ({ site_id, environment, hs_generation }: Omit<SiteOfKey, 'site_code' | 'tenant_id'>) =>
    keys.derive(`hs256/${environment}/${site_id}/${hs_generation}`)

  function siteKey(site: SiteOfKey): SiteKey {
    const kid = `hs-${site.site_id}-${site.hs_generation}`
    const known = siteKeys.get(kid)
    if (known) return known
    const { environment, site_code, tenant_id, hs_generation: generation } = site
    const secret = createSecretKey(secretOf(site))
    const key: SiteKey = { kid, alg: 'HS256', environment, secret, site_code, tenant_id, generation }
    if (siteKeys.size >= MAX_SITE_KEYS) siteKeys.clear()
    siteKeys.set(kid, key)
    return key
  }

  async function findKey(kid: string): Promise<VerifyKey | undefined> {
    const known = siteKeys.get(kid)
    if (known) return { ...known, issuer: issuer(known.environment) }
    const [, site_id, generation] = SITE_KID.exec(kid) ?? []
    if (site_id !== undefined) return findSiteKey(site_id, Number(generation))
    const key = await ring.find(kid)
    if (!key) return undefined
    const { environment, publicKey } = key
    return { kid, alg: 'RS256', environment, publicKey, issuer: issuer(environment) }
  }

  /** The session gate checks the generation again on every request. */
  async function findSiteKey(site_id: string, generation: number): Promise<VerifyKey | undefined> {
    const [site] = await database.fast<Omit<SiteOfKey, 'hs_generation'>[]>`
      select site_id, site_code, tenant_id, environment from sso.sites
       where site_id = ${site_id} and deleted_at is null
         and (hs_generation = ${generation}
              or hs_generation = ${generation} + 1
                 and hs_rotated_at > statement_timestamp() - make_interval(mins => ${HS_OVERLAP}))`
    return site && { ...siteKey({ ...site, hs_generation: generation }), issuer: issuer(site.environment) }
  }

  return {
    async issue({ site, ...grant }) {
      const said = claimsOf(grant, site, issuer(site.environment))
      const claims = { ...said, jti: mint.jtiFor(said) }
      const ofSite = () => signToken(claims, siteKey(site))
      if (site.token_signing === 'HS256') return { access_token: await ofSite() }
      const { kid, privateKey } = ring.signer(site.environment)
      const access_token = await signToken(claims, { kid, alg: 'RS256', privateKey })
      return site.token_signing === 'dual'
        ? { access_token, access_token_hs256: await ofSite() }
        : { access_token }
    },
    verify: (token) => verifier.verify(token),
    verifyOld: (token) => verifyToken(token, judges, { mayBeExpired: true }),
    jwtSecret: (site) => secretOf(site).toString('base64url'),
    issuer,
  }
}

function claimsOf(grant: Omit<Grant, 'site'>, site: SigningSite, iss: string): Omit<Claims, 'jti'> {
  const { site_code, tenant_id, environment: env } = site
  const now = Math.floor(clock.now() / 1_000)
  return {
    sub: grant.user_id,
    ...(grant.email !== '' && { email: grant.email }),
    role: grant.role,
    permissions: grant.permissions,
    site_code,
    tenant_id,
    iss,
    aud: site_code,
    client_id: site_code,
    iat: now,
    nbf: now,
    exp: now + ACCESS_TOKEN_LIFE,
    sid: grant.session_id,
    sv: grant.session_version,
    amr: grant.auth_methods,
    auth_time: Math.floor(Date.parse(grant.auth_time) / 1_000),
    env,
  }
}
