import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { CALLBACK } from './browser.ts'
import { atHashOf, authorize, PLAIN, refusalOf, requestOf, runFlow } from './flow.ts'
import type { Provider } from './provider.ts'

/** Claims allowed in an ID token without a request (EnsureIdTokenDoesNotContainNonRequestedClaims). */
const UNASKED = ['iss', 'sub', 'aud', 'exp', 'iat', 'auth_time', 'nonce', 'amr', 'at_hash', 'sid']

/** The modules that send one request and check the reply. */
export function requestModules(op: Provider) {
  test('oidcc-server: a code yields valid tokens', async () => {
    const { code, tokens, claims, pages } = await runFlow(op)
    assert.deepEqual(pages, ['/sign-in', '/sign-in/consent'])
    assert.ok(code.length >= 16)
    assert.ok(entropyOf(code) >= 96, code)
    assert.equal(claims['at_hash'], atHashOf(tokens.access_token))
    for (const name of Object.keys(claims)) assert.ok(UNASKED.includes(name), name)
  })

  test('oidcc-server-client-secret-post: the secret may stand in the body', async () => {
    const methods = op.metadata['token_endpoint_auth_methods_supported']
    assert.deepEqual(methods, ['client_secret_basic', 'client_secret_post'])
    await runFlow(op, { secret: 'post' })
  })

  test('oidcc-response-type-missing: redirects back with invalid_request', async () => {
    const request = requestOf(op.client, { response_type: undefined })
    assert.equal(await refusalOf(op, request), 'invalid_request')
  })

  test('oidcc-ensure-request-without-nonce-succeeds-for-code-flow: the ID token has no nonce', async () => {
    const { claims } = await runFlow(op, { given: { nonce: undefined } })
    assert.ok(!('nonce' in claims))
  })

  test('oidcc-alternate-happy-flow: scopes and parameters come in any order', async () => {
    const request = requestOf(op.client, { scope: 'email openid' })
    const reversed = [...request].toSorted(([a], [b]) => (a < b ? 1 : -1))
    const { params } = await authorize(op, new URLSearchParams(reversed))
    assert.ok(params?.get('code'))
    await runFlow(op, { given: { scope: 'email openid' } })
  })

  test('oidcc-ensure-request-with-valid-pkce-succeeds: a client may send PKCE unasked', async () => {
    const code_verifier = randomBytes(32).toString('base64url')
    const code_challenge = createHash('sha256').update(code_verifier).digest('base64url')
    await runFlow(op, { given: { code_challenge, code_challenge_method: 'S256', code_verifier } })
  })

  test('oidcc-ensure-post-request-succeeds: the request may be a form', async () => {
    await runFlow(op, { method: 'POST' })
  })

  // None of these parameters may change the result (Core section 15.1; RFC 6749 section 3.1).
  for (const [id, given] of Object.entries({
    'oidcc-display-page': { display: 'page' },
    'oidcc-display-popup': { display: 'popup' },
    'oidcc-ensure-request-with-unknown-parameter-succeeds': { extra: 'foobar' },
    'oidcc-login-hint': { login_hint: 'buffy@op.example.org' },
    'oidcc-ui-locales': { ui_locales: 'se' },
    'oidcc-claims-locales': { claims_locales: 'se' },
    'oidcc-ensure-request-with-acr-values-succeeds': { acr_values: '1 2' },
  }))
    test(`${id}: the person signs in as without it`, async () => {
      const { pages, claims } = await runFlow(op, { given })
      assert.equal(pages[0], '/sign-in')
      assert.equal(claims['acr'], undefined)
    })

  test('oidcc-ensure-registered-redirect-uri: an unregistered address gets a page of error', async () => {
    const request = requestOf(op.client, { redirect_uri: `${CALLBACK}/${randomBytes(5).toString('hex')}` })
    const { params, last } = await authorize(op, request)
    assert.equal(params, undefined)
    assert.equal(last.status, 400)
    assert.match(String(last.headers['content-type']), /^text\/html/)
  })

  const unsigned = (claims: object) =>
    `${['{"alg":"none"}', JSON.stringify(claims)].map((part) => Buffer.from(part).toString('base64url')).join('.')}.`

  test('oidcc-unsigned-request-object-supported-correctly-or-rejected-as-unsupported: is rejected', async () => {
    const { state, ...rest } = Object.fromEntries(requestOf(op.client))
    const request = new URLSearchParams({ ...rest, request: unsigned({ ...rest, state }) })
    assert.equal(await errorOf(op, request), 'request_not_supported')
    assert.equal(op.metadata['request_parameter_supported'], false)
  })

  test('oidcc-request-uri-unsigned-supported-correctly-or-rejected-as-unsupported: is rejected', async () => {
    const { state: _, ...rest } = Object.fromEntries(requestOf(op.client))
    const request = new URLSearchParams({ ...rest, request_uri: 'https://client.example.net/request.jwt' })
    assert.equal(await errorOf(op, request), 'request_uri_not_supported')
    assert.equal(op.metadata['request_uri_parameter_supported'], false)
  })

  test('oidcc-ensure-request-object-with-redirect-uri: an unregistered address outside it gets a page', async () => {
    const request = requestOf(op.client)
    request.set('request', unsigned(Object.fromEntries(request)))
    request.set('redirect_uri', `${CALLBACK}_invalid`)
    const { params, last } = await authorize(op, request)
    assert.deepEqual([params, last.status], [undefined, 400])
  })
}

/** Not `refusalOf`: the state is inside the request object, which the provider does not read. */
async function errorOf(op: Provider, request: URLSearchParams) {
  const { params, last } = await authorize(op, request)
  assert.ok(params, last.text)
  assert.match(params.get('error_description') ?? '', PLAIN)
  return params.get('error')
}

/** Shannon entropy over the characters, as the suite measures it. */
function entropyOf(text: string): number {
  const counts = new Map<string, number>()
  for (const char of text) counts.set(char, (counts.get(char) ?? 0) + 1)
  const each = [...counts.values()].map((count) => -(count / text.length) * Math.log2(count / text.length))
  return text.length * each.reduce((sum, part) => sum + part, 0)
}
