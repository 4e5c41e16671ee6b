import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after } from 'node:test'
import type { JSONWebKeySet } from 'jose'
import { testDatabase } from '#testing/database.ts'
import { newDataDir, removeDataDir, startProduct } from '#testing/product.ts'
import { ADDRESS, CALLBACK, createBrowser, type Send, sender } from './browser.ts'

export type Client = { client_id: string; client_secret: string }
type Endpoint = 'issuer' | 'jwks_uri' | 'authorization_endpoint' | 'token_endpoint' | 'userinfo_endpoint'
export type Metadata = Record<Endpoint, string> & Record<string, unknown>
export type Provider = Awaited<ReturnType<typeof startProvider>>

const tester = { name: 'buffy@example.org', password: 'a stake of hawthorn wood' }
const PICTURE = 'https://pictures.example.org/buffy.png'
const PROFILE = {
  display_name: 'Buffy Summers',
  given_name: 'Buffy',
  family_name: 'Summers',
  username: 'buffy',
  phone: '+14155550100',
  locale: 'en-US',
  time_zone: 'America/Los_Angeles',
}

/** The program with an https address, a test account and two clients without PKCE, as the foundation's suite sets up. */
export async function startProvider() {
  const { db, url } = await testDatabase()
  const dataDir = newDataDir()
  const product = await startProduct(dataDir, {
    DATABASE_URL: url,
    MASTER_KEY: `k1:${randomBytes(32).toString('base64')}`,
    SSO_URL: ADDRESS,
    SITE_REGISTRATION: 'open',
    LEARNING_URL: 'https://learn.example.org',
  })
  after(async () => {
    await product.end()
    removeDataDir(dataDir)
  })
  const send = sender(new URL(product.sso).port)
  const api = apiOf(send)
  const site_key = { 'x-sso-site-key': product.firstRun.sites['learning']?.site_key ?? '' }
  const { email, password } = product.firstRun.admin
  const admin = await api('POST', '/api/v1/auth/login', site_key, { email, password })
  const headers = bearer(admin['access_token'])
  const account = { email: tester.name, password: tester.password }
  await api('POST', '/api/v1/auth/register', site_key, { ...account, ...PROFILE })
  const { user, access_token } = await api('POST', '/api/v1/auth/login', site_key, account)
  const { user_id } = user as { user_id: string }
  await api('PATCH', `/api/v1/users/${user_id}`, bearer(access_token), { avatar_url: PICTURE })
  const newClient = async (): Promise<Client> => {
    const { site_id } = await api('POST', '/api/v1/sites', headers, {
      name: 'Suite',
      environment: 'production',
    })
    const body = { redirect_uris: [CALLBACK], requires_pkce: false }
    return (await api('PUT', `/api/v1/sites/${String(site_id)}/openid-client`, headers, body)) as Client
  }
  const discovery = await send(`${ADDRESS}/.well-known/openid-configuration`)
  const metadata = JSON.parse(discovery.text) as Metadata
  const { text } = await send(metadata.jwks_uri)
  return {
    send,
    discovery,
    metadata,
    jwks: JSON.parse(text) as JSONWebKeySet,
    client: await newClient(),
    other: await newClient(),
    newBrowser: () => createBrowser(send, tester),
    /** A browser in which the test account is signed in at the provider. */
    async signedInBrowser() {
      const browser = createBrowser(send, tester)
      assert.deepEqual((await browser.follow('/sign-in')).pages, ['/sign-in'])
      return browser
    },
    /** Moves every sign-in this many seconds into the past. */
    pass: (seconds: number) =>
      db.transaction(async (tx) => {
        const by = `${seconds} seconds`
        await tx`update sso.sessions set auth_time = auth_time - ${by}::interval`
        await tx`
          update sso.openid_codes set created_at = created_at - ${by}::interval, spent_at = spent_at - ${by}::interval`
      }),
  }
}

const bearer = (token: unknown) => ({ authorization: `Bearer ${String(token)}` })

/** The API calls of an operator that prepare a run. */
const apiOf =
  (send: Send) => async (method: string, path: string, headers: Record<string, string>, json: object) => {
    const reply = await send(ADDRESS + path, { method, headers, json })
    assert.ok(reply.status < 300, reply.text)
    return JSON.parse(reply.text) as Record<string, unknown>
  }
