import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from 'jose'
import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  calculatePKCECodeChallenge,
  ClientSecretBasic,
  ClientSecretPost,
  clockTolerance,
  type ClientAuth,
  Configuration,
  customFetch,
  discovery,
  enableNonRepudiationChecks,
  fetchUserInfo,
  None,
  randomNonce,
  randomPKCECodeVerifier,
  type ServerMetadata,
} from 'openid-client'
import { ssoFailed } from './faults.ts'
import { type Proof, toAttributes } from './proof.ts'
import { isJson, type Line } from './provider-calls.ts'

/** A provider, and our client at it. */
export type OidcProvider = {
  environment: 'sandbox' | 'production'
  issuer: string
  client_id: string
  /** Null for a public client, which uses PKCE alone. */
  client_secret: string | null
}

const SCOPE = 'openid email profile'
const SKEW_SECONDS = 60

/** Reads the discovery document, through the cache of the line. */
export async function discover(line: Line, provider: OidcProvider): Promise<Configuration> {
  const { issuer, client_id, client_secret } = provider
  const fetch = (url: string, asked: Parameters<Line['fetch']>[1]) => line.fetch(url, asked)
  // Only sandbox sites may use plain http; the line also refuses it for all others.
  const execute = provider.environment === 'sandbox' ? [allowInsecureRequests] : []
  const told = await discovery(new URL(issuer), client_id, undefined, None(), {
    [customFetch]: fetch,
    execute,
  })
  const server = told.serverMetadata()
  const config = new Configuration(
    server,
    client_id,
    { [clockTolerance]: SKEW_SECONDS },
    authOf(server, client_secret),
  )
  config[customFetch] = fetch
  enableNonRepudiationChecks(config)
  for (const allow of execute) allow(config)
  return config
}

/** RFC 8414, section 2: client_secret_basic is the default. */
function authOf(
  { token_endpoint_auth_methods_supported }: ServerMetadata,
  client_secret: string | null,
): ClientAuth {
  if (client_secret === null) return None()
  const methods = token_endpoint_auth_methods_supported ?? ['client_secret_basic']
  return methods.includes('client_secret_basic')
    ? ClientSecretBasic(client_secret)
    : ClientSecretPost(client_secret)
}

export type OidcAttempt = {
  redirect_uri: string
  nonce: string
  code_verifier: string
  max_age: number | undefined
}

/** The address to sign in at the provider, and what to store until the browser is back. */
export async function beginOidc(
  line: Line,
  provider: OidcProvider,
  asked: { redirect_uri: string; state: string; login_hint: string | undefined; max_age: number | undefined },
): Promise<{ location: string; attempt: OidcAttempt }> {
  const config = await discover(line, provider)
  const { redirect_uri, state, login_hint, max_age } = asked
  const [nonce, code_verifier] = [randomNonce(), randomPKCECodeVerifier()]
  const url = buildAuthorizationUrl(config, {
    redirect_uri,
    scope: SCOPE,
    state,
    nonce,
    code_challenge: await calculatePKCECodeChallenge(code_verifier),
    code_challenge_method: 'S256',
    ...(login_hint !== undefined && { login_hint }),
    ...(max_age !== undefined && { max_age: String(max_age) }),
  })
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && provider.environment === 'sandbox'))
    throw ssoFailed(new Error(`the authorization endpoint is ${url.protocol}`))
  return { location: url.href, attempt: { redirect_uri, nonce, code_verifier, max_age } }
}

/**
 * Redeems the code that the browser brought. openid-client checks state, nonce, PKCE, iss, aud, azp, times and the
 * signature of the ID token, although the token came straight from the provider.
 */
export async function finishOidc(
  line: Line,
  provider: OidcProvider,
  search: string,
  { state, redirect_uri, nonce, code_verifier, max_age }: OidcAttempt & { state: string },
): Promise<Proof> {
  const config = await discover(line, provider)
  const answer = await authorizationCodeGrant(config, new URL(redirect_uri + search), {
    expectedState: state,
    expectedNonce: nonce,
    pkceCodeVerifier: code_verifier,
    idTokenExpected: true,
    ...(max_age !== undefined && { maxAge: max_age }),
  })
  const claims = answer.claims()
  if (!claims) throw new Error('there is no ID token')
  const { userinfo_endpoint } = config.serverMetadata()
  // Many providers send addresses and groups only at UserInfo (Core, 5.4).
  const more =
    userinfo_endpoint === undefined ? {} : await fetchUserInfo(config, answer.access_token, claims.sub)
  const { iss: issuer, sub: subject, sid } = claims
  return {
    issuer,
    subject,
    attributes: toAttributes({ ...more, ...claims }),
    idp_session: typeof sid === 'string' ? sid : null,
  }
}

const LOGOUT = 'http://schemas.openid.net/event/backchannel-logout'
/** Maximum age of a logout token (s), and hence how long its jti must be stored. */
export const LOGOUT_SECONDS = 300

const KEYS_SECONDS = 30

export type OidcLogout = {
  issuer: string
  subject: string | null
  idp_session: string | null
  message_id: string
}

/**
 * Verifies the logout token that a provider posted (OpenID Connect Back-Channel Logout 1.0, section 2.6). Throws if it
 * is invalid.
 */
export async function readLogoutToken(
  line: Line,
  provider: OidcProvider,
  token: string,
): Promise<OidcLogout> {
  const config = await discover(line, provider)
  const { issuer, jwks_uri } = config.serverMetadata()
  if (jwks_uri === undefined) throw new Error('the provider publishes no keys')
  // Cached, because anybody may post here and must not make us ask the provider each time.
  const published = await line.document(jwks_uri, { fresh_seconds: KEYS_SECONDS, isUsable: isJson })
  const keys = JSON.parse(published.body) as JSONWebKeySet
  const { payload } = await jwtVerify(token, createLocalJWKSet(keys), {
    issuer,
    audience: provider.client_id,
    algorithms: ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA'],
    maxTokenAge: LOGOUT_SECONDS,
    clockTolerance: SKEW_SECONDS,
    requiredClaims: ['iat', 'jti', 'events'],
  })
  const { sub = null, sid, jti = '', events, nonce } = payload
  if (typeof events !== 'object' || events === null || !(LOGOUT in events))
    throw new Error('not a logout token')
  // Section 2.4: this keeps an ID token from passing as a logout token.
  if (nonce !== undefined) throw new Error('a logout token has no nonce')
  const idp_session = typeof sid === 'string' ? sid : null
  if (sub === null && idp_session === null) throw new Error('the logout token names nobody')
  return { issuer, subject: sub, idp_session, message_id: `jti ${jti}` }
}
