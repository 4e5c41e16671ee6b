import { type Static, Type } from 'typebox'
import { sha256 } from '#foundation/security/secrets.ts'
import { isCleanText } from '#foundation/text.ts'
import type { Site } from '#foundation/security/session-gate.ts'
import { ApiError } from '#foundation/errors.ts'
import type { Origin, SsoParts } from '../../core/parts.ts'
import { userColumns, type UserRow } from '../../people/person/users.ts'
import { refresh } from '../../sign-in/login/refresh.ts'
import type { TokensAnswer } from '../../people/sessions/answer.ts'
import { grantToClient } from './client-credentials.ts'
import { redeemCode } from '../../sign-in/openid-requests/codes.ts'
import { oauthError } from '../../sign-in/openid-requests/errors.ts'
import { signIdToken } from './id-token.ts'

const Word = Type.Optional(Type.String({ maxLength: 4_096 }))

export type TokenBody = Static<typeof TokenBody>
export const TokenBody = Type.Object({
  grant_type: Word,
  code: Word,
  redirect_uri: Word,
  code_verifier: Word,
  refresh_token: Word,
  client_id: Word,
  client_secret: Word,
  scope: Word,
})

export const TokenAnswer = Type.Object({
  access_token: Type.String(),
  token_type: Type.Literal('Bearer'),
  expires_in: Type.Integer(),
  /** Present for a person with the scope offline_access. A client that acts for itself asks for a new token instead. */
  refresh_token: Type.Optional(Type.String()),
  scope: Type.String(),
  id_token: Type.Optional(Type.String()),
})

/**
 * The token endpoint (RFC 6749, 3.2). A code and a refresh token are each accepted once, races included. Errors: 400
 * and 401 of RFC 6749, 5.2.
 */
export async function grantTokens(parts: SsoParts, site: Site, body: TokenBody, from: Origin) {
  if (body.grant_type === 'refresh_token') {
    if (!body.refresh_token) throw oauthError('invalid_request', 'refresh_token is missing')
    const session = await refreshed(parts, site, body.refresh_token, from)
    const scope = session.auth.openid_scope ?? NOT_OF_OPENID
    return answerOf(parts, site, session, { nonce: undefined, scope, keeps_refreshing: true })
  }
  if (body.grant_type === 'client_credentials') return grantToClient(parts, site, body.scope, from)
  if (body.grant_type !== 'authorization_code')
    throw body.grant_type === undefined
      ? oauthError('invalid_request', 'grant_type is missing')
      : oauthError(
          'unsupported_grant_type',
          'grant_type must be authorization_code, refresh_token or client_credentials',
        )
  const { code, redirect_uri, code_verifier } = body
  if (!code) throw oauthError('invalid_request', 'code is missing')
  // Format of RFC 7636, 4.1.
  if (code_verifier !== undefined && !/^[\w.~-]{43,128}$/.test(code_verifier))
    throw oauthError('invalid_request', 'code_verifier must be 43 to 128 unreserved characters')
  const presented = { code, redirect_uri, code_verifier }
  const { refresh_token, ...asked } = await redeemCode(parts, site, presented, from)
  const session = await refreshed(parts, site, refresh_token, from)
  // Core, 11: a client that acts while the person is away asks for this scope; any other client gets a new code
  // instead.
  const keeps_refreshing = asked.scope.split(' ').includes('offline_access')
  return answerOf(parts, site, session, { ...asked, keeps_refreshing })
}

/** A session from another kind of sign-in has no scope, so its ID token names only the person. */
const NOT_OF_OPENID = 'openid'

/** `email_verified` here is the value for everybody; `answer` holds the value for the site's tenant. */
type Auth = UserRow & { auth_time: string; auth_methods: string[]; openid_scope: string | null }

async function refreshed(parts: SsoParts, site: Site, refresh_token: string, from: Origin) {
  try {
    const { answer } = await refresh(parts, site, { refresh_token, from })
    const [auth] = await parts.database.fast<Auth[]>`
      select s.auth_time, s.auth_methods, s.openid_scope,
             ${userColumns(parts.database.fast, null)}
        from sso.sessions s join sso.users u using (user_id)
       where s.session_id = ${answer.session_id} and s.site_id = ${site.site_id}`
    if (!auth) throw oauthError('invalid_grant', 'The session has ended')
    return { answer, auth }
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) throw oauthError('invalid_grant', error.detail)
    throw error
  }
}

type Asked = { nonce: string | undefined; scope: string; keeps_refreshing: boolean }

async function answerOf(
  parts: SsoParts,
  site: Site,
  { answer, auth: user }: { answer: TokensAnswer; auth: Auth },
  { nonce, scope, keeps_refreshing }: Asked,
): Promise<Static<typeof TokenAnswer>> {
  const { access_token, refresh_token, expires_in, session_id } = answer
  const { auth_time, auth_methods } = user
  const session = { session_id, auth_time, auth_methods }
  return {
    access_token,
    token_type: 'Bearer',
    expires_in,
    ...(keeps_refreshing && { refresh_token }),
    scope,
    id_token: await signIdToken(parts, site, { user, access_token, session, nonce, scope }),
  }
}

type Credentials = { client_id: string; client_secret: string }

/**
 * Authenticates the client by `client_secret_basic` or `client_secret_post` (RFC 6749, 2.3.1). 401 invalid_client, the
 * same for a wrong secret and an unknown client; 400 for both ways at once.
 */
export async function authenticateClient(
  { database }: SsoParts,
  authorization: string | undefined,
  body: TokenBody,
): Promise<Site> {
  const given = credentialsOf(authorization, body)
  // The secret is random and looked up by its digest, so no comparison leaks it by timing.
  const [site] = await database.fast<Site[]>`
    select i.site_id, i.site_code, i.tenant_id, i.environment, i.is_first_party, i.trust_client_ip
      from sso.openid_clients c join sso.sites i using (site_id)
     where i.site_code = ${given?.client_id ?? ''} and c.secret_hash = ${sha256(given?.client_secret ?? '')}
       and i.deleted_at is null and i.status = 'active'`
  if (!site)
    throw oauthError('invalid_client', 'The client is unknown, or its secret is wrong', {
      'WWW-Authenticate': 'Basic realm="openid"',
    })
  return site
}

function credentialsOf(authorization: string | undefined, body: TokenBody): Credentials | undefined {
  const { client_id, client_secret } = body
  if (authorization === undefined)
    return client_id === undefined || client_secret === undefined ? undefined : { client_id, client_secret }
  if (client_secret !== undefined)
    throw oauthError('invalid_request', 'Send the client secret in one way only')
  const [, encoded = ''] = /^Basic ([A-Za-z0-9+/=]+)$/i.exec(authorization) ?? []
  const [id = '', ...rest] = Buffer.from(encoded, 'base64').toString('utf8').split(':')
  try {
    const named = formDecoded(id)
    if (client_id !== undefined && client_id !== named) return undefined
    return isCleanText(named) ? { client_id: named, client_secret: formDecoded(rest.join(':')) } : undefined
  } catch {
    return undefined
  }
}

const formDecoded = (text: string) => decodeURIComponent(text.replaceAll('+', ' '))
