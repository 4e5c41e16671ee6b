import { type Static, Type } from 'typebox'
import { firstLanguage, type Language } from '#foundation/web/client/texts.ts'
import type { Site } from '#foundation/security/session-gate.ts'
import { badRequest } from '#foundation/errors.ts'
import { SCOPES } from '../consent/purpose.ts'
import type { SsoParts } from '../../core/parts.ts'

const Word = Type.Optional(Type.String({ maxLength: 2_048 }))

/** Query of the authorization endpoint (OpenID Connect Core 1.0, section 3.1.2.1). Other parameters are ignored. */
export type AuthorizationQuery = Static<typeof AuthorizationQuery>
export const AuthorizationQuery = Type.Object({
  client_id: Word,
  redirect_uri: Word,
  response_type: Word,
  response_mode: Word,
  scope: Word,
  state: Word,
  nonce: Word,
  code_challenge: Word,
  code_challenge_method: Word,
  prompt: Word,
  max_age: Word,
  login_hint: Word,
  ui_locales: Word,
  request: Type.Optional(Type.String()),
  request_uri: Type.Optional(Type.String()),
})

/** A valid authorization request. */
export type Authorization = {
  site_id: string
  site_code: string
  redirect_uri: string
  scope: string
  state: string | undefined
  nonce: string | undefined
  /** Undefined for a client without PKCE. */
  code_challenge: string | undefined
  /** Show no page; answer `login_required` where a page would be needed. */
  is_silent: boolean
  /** Ask for consent even if it was given. */
  asks_anew: boolean
  /** Maximum age in seconds of the last password entry; 0 always asks for the password. */
  max_age: number | undefined
  login_hint: string | undefined
  /** The first language that the client asks for and we have (Core, 3.1.2.1). */
  language: Language | undefined
}

/** Time that a person has to sign in (ms). */
const LIFE = 30 * 60_000

type Found = Pick<Site, 'site_id' | 'site_code' | 'environment'> & { requires_pkce: boolean }

/**
 * Validates an authorization request. A wrong client or redirect_uri throws 400, shown on a page: nobody is sent to an
 * unregistered address. Any other fault returns `refused`, the address with `error` in it (RFC 6749, 4.1.2.1).
 */
export async function readAuthorization(
  { database, tokens }: SsoParts,
  query: AuthorizationQuery,
): Promise<{ authorization: Authorization } | { refused: string }> {
  const { client_id = '', redirect_uri = '', state } = query
  const [site] = await database.fast<Found[]>`
    select i.site_id, i.site_code, i.environment, c.requires_pkce
      from sso.sites i join sso.openid_clients c using (site_id)
     where i.site_code = ${client_id} and i.deleted_at is null and i.status = 'active' and ${redirect_uri} = any(c.redirect_uris)`
  if (!site)
    throw badRequest(
      'client_unknown',
      'The link that led here names no client, or an address it did not register',
    )
  const fault = faultOf(query, site.requires_pkce)
  if (fault) {
    const [error, error_description] = fault
    const iss = tokens.issuer(site.environment)
    return { refused: addTo(redirect_uri, { error, error_description, state, iss }) }
  }
  const scope = SCOPES.filter((one) => query.scope?.split(' ').includes(one)).join(' ')
  const prompts = promptsOf(query)
  return {
    authorization: {
      site_id: site.site_id,
      site_code: site.site_code,
      redirect_uri,
      scope,
      state,
      nonce: query.nonce,
      code_challenge: query.code_challenge,
      is_silent: prompts.includes('none'),
      asks_anew: prompts.includes('consent'),
      // `select_account` also shows the form, where the person can name any account.
      max_age: prompts.some((one) => one === 'login' || one === 'select_account')
        ? 0
        : query.max_age === undefined
          ? undefined
          : Number(query.max_age),
      login_hint: query.login_hint,
      language: firstLanguage(query.ui_locales?.split(' ') ?? []),
    },
  }
}

/** What promptsOf and the pages obey; OpenID Connect Core 1.0, 3.1.2.1. */
export const PROMPTS = ['none', 'login', 'consent', 'select_account'] as const

const promptsOf = ({ prompt = '' }: AuthorizationQuery) => prompt.split(' ').filter((one) => one !== '')

/** The fault of a request whose client and address are valid. */
function faultOf(
  query: AuthorizationQuery,
  requires_pkce: boolean,
): [error: string, description: string] | undefined {
  if (query.request !== undefined) return ['request_not_supported', 'Request objects are not read']
  if (query.request_uri !== undefined) return ['request_uri_not_supported', 'Request objects are not read']
  if (query.response_type === undefined) return ['invalid_request', 'response_type is missing']
  if (query.response_type !== 'code') return ['unsupported_response_type', 'response_type must be code']
  if (query.response_mode !== undefined && query.response_mode !== 'query')
    return ['invalid_request', 'response_mode must be query']
  if (!query.scope?.split(' ').includes('openid')) return ['invalid_scope', 'scope must contain openid']
  // RFC 9700, 2.1.1: without a challenge, or with a plain one, anybody who sees the code can use it.
  const { code_challenge, code_challenge_method } = query
  if (code_challenge === undefined && (requires_pkce || code_challenge_method !== undefined))
    return ['invalid_request', 'code_challenge is missing']
  if (code_challenge !== undefined && code_challenge_method !== 'S256')
    return ['invalid_request', 'code_challenge_method must be S256']
  if (code_challenge !== undefined && !/^[\w-]{43}$/.test(code_challenge))
    return ['invalid_request', 'code_challenge must be a SHA-256 in base64url']
  const prompts = promptsOf(query)
  if (prompts.includes('none') && prompts.length > 1)
    return ['invalid_request', 'prompt none goes with nothing else']
  if (query.max_age !== undefined && !/^\d{1,9}$/.test(query.max_age))
    return ['invalid_request', 'max_age must be a number of seconds']
  return undefined
}

/** Adds the parameters to the address and keeps the query it already has. */
export function addTo(address: string, parameters: Record<string, string | undefined>): string {
  const url = new URL(address)
  for (const [name, value] of Object.entries(parameters))
    if (value !== undefined) url.searchParams.set(name, value)
  return url.href
}

const AAD = 'openid authorization'

/**
 * Seals the request into one parameter, which the pages pass on and nobody can read or change. It is valid for 30
 * minutes and leads only to the address it names.
 */
export const sealAuthorization = ({ keys }: Pick<SsoParts, 'keys'>, authorization: Authorization): string =>
  keys
    .seal(Buffer.from(JSON.stringify({ ...authorization, until: Date.now() + LIFE })), AAD)
    .toString('base64url')

/** 400 if it is not sealed by us or too old. */
export function openAuthorization({ keys }: Pick<SsoParts, 'keys'>, sealed: string): Authorization {
  try {
    const { until, ...authorization } = JSON.parse(
      keys.open(Buffer.from(sealed, 'base64url'), AAD).toString('utf8'),
    ) as Authorization & { until: number }
    if (until > Date.now()) return authorization
  } catch {
    // Not sealed by us: the error below answers.
  }
  throw badRequest(
    'authorization_expired',
    'Signing in took too long. Go back to where you came from and begin again',
  )
}
