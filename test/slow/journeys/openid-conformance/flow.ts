import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { createLocalJWKSet, decodeProtectedHeader, type JWTPayload, jwtVerify } from 'jose'
import { type Browser, CALLBACK, type Reply } from './browser.ts'
import type { Client, Provider } from './provider.ts'

type Given = Record<string, string | undefined>
type Options = { browser?: Browser; client?: Client; given?: Given; method?: 'GET' | 'POST'; secret?: 'post' }
export type Tokens = Record<string, unknown> & { access_token: string; id_token: string }
export type Flow = {
  pages: string[]
  code: string
  tokens: Tokens
  claims: JWTPayload
  redeemAgain: () => Promise<Reply>
}

const random = () => randomBytes(16).toString('base64url')

/** The default request of every module: a state, a nonce, only the scope `openid`, and no PKCE. */
export const requestOf = ({ client_id }: Client, given: Given = {}): URLSearchParams =>
  new URLSearchParams(
    Object.entries({
      client_id,
      redirect_uri: CALLBACK,
      scope: 'openid',
      state: random(),
      nonce: random(),
      response_type: 'code',
      ...given,
    }).filter((pair): pair is [string, string] => pair[1] !== undefined),
  )

/** Opens the authorization endpoint and follows its pages to the end. */
export function authorize(op: Provider, request: URLSearchParams, { browser, method }: Options = {}) {
  const { authorization_endpoint: endpoint } = op.metadata
  const visitor = browser ?? op.newBrowser()
  return method === 'POST'
    ? visitor.follow(endpoint, request)
    : visitor.follow(`${endpoint}?${request.toString()}`)
}

export async function postToken(op: Provider, client: Client, fields: Given, secret?: 'post') {
  const { client_id, client_secret } = client
  const pair = Buffer.from(`${client_id}:${client_secret}`).toString('base64')
  const given = Object.entries({ ...fields, ...(secret && { client_id, client_secret }) })
  return op.send(op.metadata.token_endpoint, {
    method: 'POST',
    headers: secret ? {} : { authorization: `Basic ${pair}` },
    form: new URLSearchParams(given.filter((one): one is [string, string] => one[1] !== undefined)),
  })
}

/** A complete flow with all checks of AbstractOIDCCServerTest: callback, token response, ID token, userinfo. */
export async function runFlow(op: Provider, options: Options = {}): Promise<Flow> {
  const { client = op.client, given = {}, secret } = options
  const { code_verifier, ...asked } = given
  const request = requestOf(client, asked)
  const { pages, params, last } = await authorize(op, request, options)
  assert.ok(params, last.text)
  assert.equal(params.get('error'), null)
  assert.equal(params.get('state'), request.get('state'))
  assert.equal(params.get('iss'), op.metadata.issuer)
  const code = params.get('code') ?? ''
  const fields = { grant_type: 'authorization_code', code, redirect_uri: CALLBACK, code_verifier }
  const reply = await postToken(op, client, fields, secret)
  const tokens = readTokens(reply)
  const claims = await readIdToken(op, client, tokens.id_token, request.get('nonce'))
  assert.equal((await userInfo(op, tokens)).status, 200)
  return { pages, code, tokens, claims, redeemAgain: () => postToken(op, client, fields, secret) }
}

/** CheckTokenEndpoint…, ValidateExpiresIn, CheckTokenTypeIsBearer. */
export function readTokens({ status, headers, text }: Reply): Tokens {
  assert.equal(status, 200, text)
  assert.match(String(headers['content-type']), /^application\/json/)
  assert.match(String(headers['cache-control']), /no-store/)
  const tokens = JSON.parse(text) as Tokens
  assert.equal(String(tokens['token_type']).toLowerCase(), 'bearer')
  assert.ok(Number.isInteger(tokens['expires_in']) && Number(tokens['expires_in']) > 0)
  assert.match(tokens.access_token, /^[\x20-\x7e]{16,}$/)
  return tokens
}

/** PerformStandardIdTokenChecks. `nonce`: null where the request had none. */
export async function readIdToken(op: Provider, client: Client, id_token: string, nonce: string | null) {
  const { payload } = await jwtVerify(id_token, createLocalJWKSet(op.jwks), {
    issuer: op.metadata.issuer,
    audience: client.client_id,
    algorithms: ['RS256'],
    requiredClaims: ['iss', 'sub', 'aud', 'exp', 'iat'],
    maxTokenAge: 300,
  })
  assert.ok(decodeProtectedHeader(id_token).kid)
  assert.ok((payload.sub ?? '').length <= 255)
  assert.equal(payload['nonce'] ?? null, nonce)
  const { auth_time } = payload
  const now = Date.now() / 1_000
  assert.ok(typeof auth_time === 'number' && auth_time <= now + 300 && auth_time > now - 365 * 86_400)
  return payload
}

export const atHashOf = (access_token: string) =>
  createHash('sha256').update(access_token).digest().subarray(0, 16).toString('base64url')

export const userInfo = (op: Provider, { access_token }: Pick<Tokens, 'access_token'>, method = 'GET') =>
  op.send(op.metadata.userinfo_endpoint, { method, headers: { authorization: `Bearer ${access_token}` } })

/** ValidateErrorFromTokenEndpointResponseError and the checks around it in each module that expects `invalid_grant`. */
export function assertInvalidGrant({ status, headers, text }: Reply) {
  assert.equal(status, 400, text)
  assert.match(String(headers['content-type']), /^application\/json/)
  const { error, error_description } = JSON.parse(text) as Record<string, string>
  assert.equal(error, 'invalid_grant')
  assert.match(error_description ?? '', PLAIN)
}

/** RFC 6749 section 5.2: no CR, LF, TAB, quotation mark or backslash. */
export const PLAIN = /^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/

/** PerformGenericAuthorizationEndpointErrorResponseValidation: the error that is returned to the client. */
export async function refusalOf(op: Provider, request: URLSearchParams, options: Options = {}) {
  const { params, last } = await authorize(op, request, options)
  assert.ok(params, last.text)
  assert.equal(params.get('state'), request.get('state'))
  assert.equal(params.get('iss'), op.metadata.issuer)
  assert.match(params.get('error_description') ?? '', PLAIN)
  assert.deepEqual([...params.keys()].toSorted(), ['error', 'error_description', 'iss', 'state'])
  return params.get('error')
}
