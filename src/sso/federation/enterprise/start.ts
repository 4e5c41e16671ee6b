import { badRequest } from '#foundation/errors.ts'
import { randomToken, sha256 } from '#foundation/security/secrets.ts'
import { type Asked, findDestination } from '../../sign-in/hosted/destination.ts'
import { type Answer, type Visit, withQuery } from '../../core/pages/visit.ts'
import type { SsoParts } from '../../core/parts.ts'
import { addressesOf } from './addresses.ts'
import { rememberAttempt } from './attempts.ts'
import { startingAt } from './faults.ts'
import { beginOidc, type OidcAttempt } from './oidc.ts'
import { oidcOf, type Provider, requireProvider, samlOf } from './provider.ts'
import { beginSaml } from './saml.ts'
import type { Line, ProviderCalls } from './provider-calls.ts'

type Wished = Omit<Asked, 'site_code'>
export type StartQuery = Wished & { login_hint?: string | undefined }

/** Stored while the visitor is at the provider: their destination, and what was sent. */
export type Remembered = Wished & {
  address: string
  /** Maximum age in seconds of the person's last authentication. */
  max_age?: number | undefined
  oidc?: OidcAttempt | undefined
}

/** One request of a browser, and the means to call its identity provider. */
export type ProviderVisit = { parts: SsoParts; calls: ProviderCalls; visit: Visit }

/**
 * Sends the visitor to the identity provider. 404, 403, 400 for a return address that is not allowed, 502 if the
 * provider's metadata is unavailable.
 */
export async function startSignIn(
  { parts, calls, visit }: ProviderVisit,
  connection_id: string,
  query: StartQuery,
): Promise<Answer> {
  const { database, keys } = parts
  const { address } = visit
  const provider = await requireProvider(database, connection_id)
  const destination = await findDestination(parts, { site_code: provider.site_code, ...query }, address)
  if (destination.site.site_id !== provider.site_id)
    throw badRequest('site_mismatch', 'The link that led here belongs to another site')
  const kept = visit.kept('idp')
  const browser = kept !== undefined && /^[\w-]{43}$/.test(kept) ? kept : randomToken('')
  // If an OpenID client asks for a fresh sign-in, the person signs in again at the provider.
  const max_age = destination.openid?.max_age
  try {
    const line = calls.to(provider)
    const { location, state, oidc } = await line.talk(() =>
      begin(parts, line, provider, { address, max_age, query }),
    )
    const secret: Remembered = { address, max_age, oidc, ...pickDestination(query) }
    const attempt = { connection_id, kind: provider.type, state, browser_hash: sha256(browser), secret }
    await rememberAttempt(database.pool, keys, attempt)
    return { location, cookies: [visit.set('idp', browser)] }
  } catch (error) {
    throw startingAt(error, startAddress(connection_id, query))
  }
}

type Begun = { location: string; state: string; oidc?: OidcAttempt }
type Wanted = { address: string; max_age: number | undefined; query: StartQuery }

/** The address for the browser, and the state that identifies the response. */
async function begin(
  { keys }: SsoParts,
  line: Line,
  provider: Provider,
  { address, max_age, query: { login_hint } }: Wanted,
): Promise<Begun> {
  const { redirect_uri, ...saml } = addressesOf(address, provider.connection_id)
  if (provider.type === 'oidc') {
    const state = randomToken('')
    const asked = { redirect_uri, state, login_hint, max_age }
    const { location, attempt } = await beginOidc(line, oidcOf(keys, provider), asked)
    return { location, state, oidc: attempt }
  }
  const asked = { force_authn: max_age !== undefined }
  const { location, request_id } = await beginSaml(await samlOf(line, provider), saml, asked)
  return { location, state: request_id }
}

export const pickDestination = ({
  return_to,
  openid,
  code_challenge,
  code_challenge_method,
}: Wished): Wished => ({
  return_to,
  openid,
  code_challenge,
  code_challenge_method,
})

/** The address where the same sign-in starts again. */
export function startAddress(connection_id: string, { login_hint, ...wished }: StartQuery): string {
  return withQuery(`/sso/${connection_id}/start`, { ...pickDestination(wished), login_hint })
}
