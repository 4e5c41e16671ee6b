import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createRemoteJWKSet, jwtVerify } from 'jose'
import * as oidc from 'openid-client'
import { eventually } from '#testing/eventually.ts'
import { adminHeaders, call } from '#testing/product.ts'
import { answers, startReceiver } from '#testing/receiver.ts'
import { sharedProduct } from '#testing/shared-product.ts'

const product = await sharedProduct()
const receiver = await startReceiver(answers(200))
after(() => receiver.close())
const { sso } = product
const account = { email: 'zoe-of-the-club@example.org', password: 'a horse of many colours' }
const REDIRECT = 'http://127.0.0.1:3999/callback'

/** An HTTP client that signs in on the page it is redirected to. Returns the last address. */
async function signInOnThePage(start: URL): Promise<URL> {
  const cookies = new Map<string, string>()
  const visit = async (url: URL, body?: URLSearchParams) => {
    const reply = await fetch(url, {
      redirect: 'manual',
      headers: {
        cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; '),
        ...(body && { origin: url.origin, 'sec-fetch-site': 'same-origin' }),
      },
      ...(body && { method: 'POST', body }),
    })
    for (const line of reply.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      cookies.set(name, value)
    }
    return reply
  }
  const led = await visit(start)
  assert.equal(led.status, 303)
  const page = new URL(led.headers.get('location') ?? '', start)
  const form = await (await visit(page)).text()
  const form_token = /name="form_token" value="([^"]+)"/.exec(form)?.[1] ?? ''
  const done = await visit(
    page,
    new URLSearchParams({ form_token, name: account.email, password: account.password }),
  )
  assert.equal(done.status, 303)
  return new URL(done.headers.get('location') ?? '')
}

test('openid-client signs in, refreshes, signs out and hears of it', async () => {
  const headers = await adminHeaders(product, 'console')
  const { body: site } = await call(`${sso}/api/v1/sites`, {
    headers,
    body: { name: 'Club', environment: 'sandbox' },
  })
  const asSite = { 'x-sso-site-key': String(site['site_key']) }
  assert.equal((await call(`${sso}/api/v1/auth/register`, { headers: asSite, body: account })).status, 201)
  const made = await call(`${sso}/api/v1/sites/${String(site['site_id'])}/openid-client`, {
    method: 'PUT',
    headers,
    body: {
      redirect_uris: [REDIRECT],
      post_logout_redirect_uris: ['http://127.0.0.1:3999/'],
      backchannel_logout_uri: receiver.url,
    },
  })
  assert.equal(made.status, 201)

  const issuer = new URL(`${sso}/sandbox`)
  const client = await oidc.discovery(
    issuer,
    String(made.body['client_id']),
    String(made.body['client_secret']),
    undefined,
    {
      execute: [oidc.allowInsecureRequests],
    },
  )
  assert.equal(client.serverMetadata().supportsPKCE(), true)
  const signIn = async () => {
    const pkceCodeVerifier = oidc.randomPKCECodeVerifier()
    const [expectedState, expectedNonce] = [oidc.randomState(), oidc.randomNonce()]
    const start = oidc.buildAuthorizationUrl(client, {
      redirect_uri: REDIRECT,
      scope: 'openid email profile offline_access',
      code_challenge: await oidc.calculatePKCECodeChallenge(pkceCodeVerifier),
      code_challenge_method: 'S256',
      state: expectedState,
      nonce: expectedNonce,
    })
    const back = await signInOnThePage(start)
    return oidc.authorizationCodeGrant(client, back, {
      pkceCodeVerifier,
      expectedState,
      expectedNonce,
      maxAge: 60,
    })
  }

  const tokens = await signIn()
  const claims = tokens.claims()
  assert.ok(claims)
  assert.equal(claims['email'], account.email)
  const info = await oidc.fetchUserInfo(client, tokens.access_token, claims.sub)
  assert.equal(info.email, account.email)

  const refreshed = await oidc.refreshTokenGrant(client, tokens.refresh_token ?? '')
  assert.equal(refreshed.claims()?.sub, claims.sub)
  await assert.rejects(oidc.refreshTokenGrant(client, tokens.refresh_token ?? ''), { error: 'invalid_grant' })

  const out = oidc.buildEndSessionUrl(client, {
    id_token_hint: tokens.id_token ?? '',
    post_logout_redirect_uri: 'http://127.0.0.1:3999/',
    state: 'bye',
  })
  const signedOut = await fetch(out, { redirect: 'manual' })
  assert.equal(signedOut.headers.get('location'), 'http://127.0.0.1:3999/?state=bye')
  await assert.rejects(oidc.refreshTokenGrant(client, refreshed.refresh_token ?? ''))

  const told = await eventually(() => receiver.requests[0])
  assert.equal(told?.headers['content-type'], 'application/x-www-form-urlencoded')
  const logout_token = new URLSearchParams(told.body.toString()).get('logout_token') ?? ''
  const keys = createRemoteJWKSet(new URL(client.serverMetadata().jwks_uri ?? ''))
  const { payload } = await jwtVerify(logout_token, keys, {
    issuer: issuer.href,
    audience: String(made.body['client_id']),
    typ: 'logout+jwt',
    requiredClaims: ['jti', 'iat'],
  })
  assert.deepEqual([payload.sub, payload['sid']], [claims.sub, claims['sid']])
  assert.deepEqual(payload['events'], { 'http://schemas.openid.net/event/backchannel-logout': {} })
  assert.equal(payload['nonce'], undefined)
})
