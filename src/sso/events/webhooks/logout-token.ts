import { type KeyObject, randomUUID } from 'node:crypto'
import { signToken } from '#foundation/security/access-tokens.ts'
import { clock } from '#foundation/clock.ts'

const LIFE_SECONDS = 120
const EVENT = 'http://schemas.openid.net/event/backchannel-logout'

export type Logout = {
  environment: 'sandbox' | 'production'
  site_code: string
  sso_subject_id: string
  session_ids: readonly string[]
}
/** Returns a compact JWT. */
export type SignLogout = (logout: Logout) => Promise<string>

/** The active RSA key of an environment that signs only logout tokens. */
export type LogoutKeys = {
  signer(environment: Logout['environment'], purpose: 'logout'): { kid: string; privateKey: KeyObject }
}
/** Returns the `iss` claim. */
export type Issuers = { issuer(environment: Logout['environment']): string }

/**
 * Creates the logout token of OpenID Connect Back-Channel Logout 1.0, section 2.4. `sid` is set if exactly one session
 * ended, because the token can name only one; without it the token means every session of the person at this site.
 */
export const createLogoutTokens =
  (ring: LogoutKeys, tokens: Issuers): SignLogout =>
  async ({ environment, site_code, sso_subject_id, session_ids }) => {
    const { kid, privateKey } = ring.signer(environment, 'logout')
    const iat = Math.floor(clock.now() / 1_000)
    const [sid] = session_ids
    const claims = {
      iss: tokens.issuer(environment),
      sub: sso_subject_id,
      aud: site_code,
      iat,
      exp: iat + LIFE_SECONDS,
      jti: randomUUID(),
      events: { [EVENT]: {} },
      ...(session_ids.length === 1 && { sid }),
    }
    return signToken(claims, { kid, alg: 'RS256', privateKey }, 'logout+jwt')
  }
