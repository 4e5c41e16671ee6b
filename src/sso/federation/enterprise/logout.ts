import { ApiError, badRequest, notFound } from '#foundation/errors.ts'
import { signedOutPage } from '../../sign-in/hosted/sign-in-pages.ts'
import type { Answer } from '../../core/pages/visit.ts'
import type { Origin, SsoParts } from '../../core/parts.ts'
import { revokeSessions } from '../../people/sessions/sessions.ts'
import { samlAddressesOf } from './addresses.ts'
import { isFirst, isKnownMessage } from './attempts.ts'
import { LOGOUT_SECONDS, readLogoutToken } from './oidc.ts'
import { isName } from './proof.ts'
import { findProvider, oidcOf, type Provider, samlOf } from './provider.ts'
import { logoutAnswer } from './saml.ts'
import { readLogoutRequest } from './saml-in-worker.ts'
import type { ProviderVisit } from './start.ts'
import type { ProviderCalls } from './provider-calls.ts'

/** Longer than a logout message is accepted, clock skew included (s). */
const SAID_SECONDS = LOGOUT_SECONDS * 3

type Logout = { issuer: string; subject: string | null; idp_session: string | null; message_id: string }

/**
 * Handles a logout from an OpenID provider (Back-Channel Logout 1.0): ends the sessions of that identity, and their
 * sites are told as of any other end. 400 for an invalid logout token, 404, 502 if the provider's keys are unavailable.
 */
export async function hearOidcLogout(
  { parts, calls, from }: { parts: SsoParts; calls: ProviderCalls; from: Origin },
  connection_id: string,
  logout_token: string,
): Promise<void> {
  const provider = await findProvider(parts.database, connection_id, 'oidc')
  if (!provider) throw notFound()
  const line = calls.to(provider)
  const logout = await line
    .talk(() => readLogoutToken(line, oidcOf(parts.keys, provider), logout_token))
    .catch(asBadRequest)
  await endSessionsOf(parts, provider, logout, from)
}

/**
 * Handles a signed logout request that a SAML provider sends through the browser, and answers it if the provider takes
 * answers. 400 for any other message, 404, 502.
 */
export async function hearSamlLogout(
  { parts, calls, visit }: ProviderVisit,
  connection_id: string,
  { SAMLRequest, RelayState }: { SAMLRequest: string; RelayState: string },
): Promise<Answer> {
  const provider = await findProvider(parts.database, connection_id, 'saml')
  if (!provider) throw notFound()
  const line = calls.to(provider)
  const addresses = samlAddressesOf(visit.address, connection_id)
  const { metadata, logout } = await line
    .talk(async () => {
      const read = await samlOf(line, provider)
      return { metadata: read, logout: await readLogoutRequest(read, addresses, SAMLRequest) }
    })
    .catch(asBadRequest)
  await endSessionsOf(parts, provider, logout, visit.from)
  const location = await logoutAnswer(metadata, addresses, logout, RelayState)
  return location === null ? { page: signedOutPage() } : { location }
}

function asBadRequest(error: unknown): never {
  if (error instanceof ApiError && error.status === 401)
    throw badRequest('invalid_request', 'This is no logout message of the provider', { cause: error.cause })
  throw error
}

type SignIn = { user_id: string; login_id: string }

/** Records the message last, so that after a crash the provider's retry still ends the sessions. */
async function endSessionsOf(
  parts: SsoParts,
  { connection_id, site_id }: Provider,
  { message_id, ...logout }: Logout,
  from: Origin,
): Promise<void> {
  const { pool } = parts.database
  if (!isName(logout.issuer, logout.subject, logout.idp_session))
    throw badRequest('invalid_request', 'This is no logout message of the provider')
  const message = { connection_id, message_id, seconds: SAID_SECONDS }
  if (await isKnownMessage(pool, message)) return
  const { issuer, subject, idp_session } = logout
  const sign_ins = await pool<SignIn[]>`
    select i.user_id, l.login_id from sso.identities i join sso.identity_sign_ins l using (identity_id)
     where i.connection_id = ${connection_id} and i.issuer = ${issuer}
       and coalesce(i.subject = ${subject}, true) and coalesce(l.idp_session = ${idp_session}, ${idp_session === null})
     order by l.created_at, l.login_id`
  for (const { user_id, login_id } of sign_ins) {
    // Also ends a sign-in that still waits for its second factor or for consent.
    await pool`delete from sso.mfa_challenges where user_id = ${user_id} and login_id = ${login_id}`
    await pool`delete from sso.proven_sign_ins where user_id = ${user_id} and login_id = ${login_id}`
    const caller = { user_id: null, site_id }
    await revokeSessions(parts, { user_id, scope: { login_id }, reason: 'logout', caller, from })
  }
  await isFirst(pool, message)
}
