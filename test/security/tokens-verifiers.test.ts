import assert from 'node:assert/strict'
import { createHmac, createPublicKey, generateKeyPairSync, sign } from 'node:crypto'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { after, describe, test } from 'node:test'
import express, { type ErrorHandler } from 'express'
import { auth } from 'express-oauth2-jwt-bearer'
import { createRemoteJWKSet, decodeJwt, decodeProtectedHeader, jwtVerify } from 'jose'
import * as oidc from 'openid-client'
import { adminHeaders, call } from '#testing/product.ts'
import { sharedProduct } from '#testing/shared-product.ts'

/** The real program; its issuer is the address it listens on. */
const product = await sharedProduct()
const { sso } = product

type Site = { site_code: string; site_key: string; jwt_secret: string; environment: string }
type Tokens = { access_token: string; access_token_hs256?: string; session_id: string }

const account = { email: 'verifier@verifiers.example.org', password: 'correct horse battery' }

async function aSite(token_signing: string, environment = 'production') {
  const headers = await adminHeaders(product, 'console')
  const body = { name: `Partner ${token_signing}`, token_signing, environment }
  const reply = await call(`${sso}/api/v1/sites`, { headers, body })
  assert.equal(reply.status, 201)
  const site = reply.body as unknown as Site
  const asSite = { 'x-sso-site-key': site.site_key }
  await call(`${sso}/api/v1/auth/register`, { headers: asSite, body: account })
  const signIn = async () => {
    const login = await call(`${sso}/api/v1/auth/login`, { headers: asSite, body: account })
    assert.equal(login.status, 200)
    return login.body as unknown as Tokens
  }
  return { ...site, headers: asSite, signIn }
}
const [dual, hs256, sandbox] = [await aSite('dual'), await aSite('HS256'), await aSite('RS256', 'sandbox')]

const statusOf = async (token: string) =>
  (await call(`${sso}/api/v1/sessions`, { headers: { authorization: `Bearer ${token}` } })).status
const introspect = async (token: string, site = dual) =>
  (await call(`${sso}/api/v1/auth/introspect`, { headers: site.headers, body: { token } })).body

const remoteKeys = createRemoteJWKSet(new URL(`${sso}/.well-known/jwks.json`))
const verifyWithJose = (token: string, audience = dual.site_code) =>
  jwtVerify(token, remoteKeys, { issuer: sso, audience, typ: 'at+jwt', algorithms: ['RS256'] })

/** A partner's API that is configured with only the issuer and its audience. */
async function partnerApi(issuerBaseURL: string, audience: string) {
  const app = express()
  app.use(auth({ issuerBaseURL, audience, strict: true }))
  app.get('/', (request, response) => {
    response.json(request.auth?.payload)
  })
  const refuse: ErrorHandler = (error, _request, response, _next) => {
    response.status(error.status ?? 500).end()
  }
  app.use(refuse)
  const server = app.listen(0, '127.0.0.1')
  await once(server, 'listening')
  after(() => server.close())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  return async (token: string) => fetch(url, { headers: { authorization: `Bearer ${token}` } })
}
const askPartner = await partnerApi(sso, dual.site_code)
const askSandboxPartner = await partnerApi(`${sso}/sandbox`, sandbox.site_code)

const tokens = await dual.signIn()
const { access_token } = tokens

describe('independent verifiers accept our tokens', () => {
  test('jose with the remote key set', async () => {
    const { payload, protectedHeader } = await verifyWithJose(access_token)
    assert.equal(payload['email'], account.email)
    assert.equal(protectedHeader.alg, 'RS256')
  })

  test('jose with the jwt_secret of an HS256 site', async () => {
    const one = await hs256.signIn()
    for (const [site, token] of [
      [dual, tokens.access_token_hs256 ?? ''],
      [hs256, one.access_token],
    ] as const) {
      const { payload } = await jwtVerify(token, Buffer.from(site.jwt_secret, 'base64url'), {
        issuer: sso,
        audience: site.site_code,
        typ: 'at+jwt',
        algorithms: ['HS256'],
      })
      assert.equal(payload['email'], account.email)
    }
  })

  test('express-oauth2-jwt-bearer, strict, by discovery in both environments', async () => {
    const reply = await askPartner(access_token)
    assert.equal(reply.status, 200)
    assert.equal(((await reply.json()) as { sub: string }).sub, decodeJwt(access_token).sub)
    const { access_token: sandboxed } = await sandbox.signIn()
    assert.equal(decodeJwt(sandboxed).iss, `${sso}/sandbox`)
    assert.equal((await askSandboxPartner(sandboxed)).status, 200)
    assert.equal((await askPartner(sandboxed)).status, 401)
    assert.equal((await askSandboxPartner(access_token)).status, 401)
  })

  test('openid-client discovers both issuers, introspects and revokes', async () => {
    for (const [issuer, site] of [
      [sso, dual],
      [`${sso}/sandbox`, sandbox],
    ] as const) {
      const withSiteKey: oidc.ClientAuth = (_server, _client, _body, headers) =>
        headers.set('x-sso-site-key', site.site_key)
      const config = await oidc.discovery(new URL(issuer), site.site_code, undefined, withSiteKey, {
        execute: [oidc.allowInsecureRequests],
      })
      assert.equal(config.serverMetadata().issuer, issuer)
      const { access_token: token } = await site.signIn()
      const said = await oidc.tokenIntrospection(config, token)
      assert.deepEqual(
        [said.active, said.sub, said.client_id, said.iss, said.token_type],
        [true, decodeJwt(token).sub, site.site_code, issuer, 'Bearer'],
      )
      await oidc.tokenRevocation(config, token)
      assert.equal((await oidc.tokenIntrospection(config, token)).active, false)
      assert.equal(await statusOf(token), 401)
    }
  })
})

describe('forged tokens', () => {
  const claims = decodeJwt(access_token)
  const header = decodeProtectedHeader(access_token)
  const admin = { ...claims, role: 'ADMIN', permissions: ['users:write'] }
  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url')
  const token = (head: object, payload: object, signer: (input: string) => Buffer) => {
    const input = `${encode(head)}.${encode(payload)}`
    return `${input}.${signer(input).toString('base64url')}`
  }
  const hmac = (secret: Buffer | string) => (input: string) =>
    createHmac('sha256', secret).update(input).digest()
  const stranger = generateKeyPairSync('rsa', { modulusLength: 2_048 })
  const byStranger = (input: string) => sign('sha256', Buffer.from(input), stranger.privateKey)
  const jwk = stranger.publicKey.export({ format: 'jwk' })
  const secretOf = ({ jwt_secret }: Site) => Buffer.from(jwt_secret, 'base64url')
  const kidOf = (site: Tokens) => decodeProtectedHeader(site.access_token_hs256 ?? site.access_token).kid

  const forgeries: Record<string, (published: Buffer | string, other: Tokens) => string> = {
    'alg none': () => token({ ...header, alg: 'none' }, admin, () => Buffer.alloc(0)),
    'alg none under its true signature': () =>
      token({ ...header, alg: 'none' }, claims, () =>
        Buffer.from(access_token.split('.')[2] ?? '', 'base64url'),
      ),
    'another payload under its true signature': () =>
      token(header, admin, () => Buffer.from(access_token.split('.')[2] ?? '', 'base64url')),
    'the published key as an HMAC secret': (published) =>
      token({ ...header, alg: 'HS256' }, admin, hmac(published)),
    'the key of a stranger under our kid': () => token(header, admin, byStranger),
    'the key of a stranger in the header': () => token({ ...header, jwk }, admin, byStranger),
    'a jku of the attacker': () =>
      token({ ...header, kid: 'x', jku: 'http://127.0.0.1:9/jwks.json' }, admin, byStranger),
    'a kid that is a path': () =>
      token({ ...header, alg: 'HS256', kid: '../../../dev/null' }, admin, hmac('')),
    'a kid that is SQL': () =>
      token({ ...header, alg: 'HS256', kid: "x' union select 'k'--" }, admin, hmac('k')),
    'the secret of another site': (_, other) =>
      token({ ...header, alg: 'HS256', kid: kidOf(other) }, admin, hmac(secretOf(hs256))),
    'the secret of another site under the kid of this one': () =>
      token({ ...header, alg: 'HS256', kid: kidOf(tokens) }, admin, hmac(secretOf(hs256))),
    'the issuer of the sandbox': () => token(header, { ...claims, iss: `${sso}/sandbox` }, byStranger),
  }
  for (const [name, forge] of Object.entries(forgeries))
    test(`${name}: refused by API and verifiers, inactive in introspection`, async () => {
      const { keys } = (await call(`${sso}/.well-known/jwks.json`)).body as { keys?: { kid: string }[] }
      const key = keys?.find(({ kid }) => kid === header.kid)
      assert.ok(key)
      const pem = createPublicKey({ key, format: 'jwk' }).export({ format: 'pem', type: 'spki' })
      const forged = forge(pem, await hs256.signIn())
      assert.equal(await statusOf(forged), 401)
      assert.deepEqual(await introspect(forged), { active: false })
      await assert.rejects(verifyWithJose(forged))
      assert.equal((await askPartner(forged)).status, 401)
    })

  test('a role forged with the real jwt_secret is refused', async () => {
    const learner = { email: 'learner@verifiers.example.org', password: 'correct horse battery' }
    await call(`${sso}/api/v1/auth/register`, { headers: hs256.headers, body: learner })
    const login = await call(`${sso}/api/v1/auth/login`, { headers: hs256.headers, body: learner })
    const real = String(login.body['access_token'])
    const forged = token(
      decodeProtectedHeader(real),
      { ...decodeJwt(real), role: 'ADMIN', permissions: ['users:write', 'site:manage'] },
      hmac(secretOf(hs256)),
    )
    assert.equal((await introspect(real, hs256))['role'], 'USER')
    assert.deepEqual(await introspect(forged, hs256), { active: false })
    const users = await call(`${sso}/api/v1/users`, {
      headers: { authorization: `Bearer ${forged}` },
      body: { email: 'new@verifiers.example.org' },
    })
    assert.equal(users.status, 401)
  })

  test('the twin of a dual token dies with it', async () => {
    const pair = await dual.signIn()
    const both = async () => [
      await statusOf(pair.access_token),
      await statusOf(pair.access_token_hs256 ?? ''),
    ]
    assert.deepEqual(await both(), [200, 200])
    await call(`${sso}/api/v1/auth/revoke`, {
      headers: dual.headers,
      body: { token: pair.access_token_hs256 },
    })
    assert.deepEqual(await both(), [401, 401])
  })
})
