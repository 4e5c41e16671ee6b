import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { eventually } from '#testing/eventually.ts'
import { adminHeaders, call } from '#testing/product.ts'
import { freePort, sharedProduct } from '#testing/shared-product.ts'

let partner: ReturnType<typeof spawn> | undefined
after(() => partner?.kill())

test('the example site signs in, and out when the session ends', async () => {
  const product = await sharedProduct()
  const { sso } = product
  const port = await freePort()
  const admin = await adminHeaders(product, 'console')
  const { body: site } = await call(`${sso}/api/v1/sites`, {
    headers: admin,
    body: { name: 'Partner', webhook_url: `http://127.0.0.1:${port}/webhook` },
  })
  const headers = { 'x-sso-site-key': String(site['site_key']) }
  partner = spawn(process.execPath, [join(import.meta.dirname, '../../examples/partner-site/server.mjs')], {
    env: {
      PORT: String(port),
      SSO: sso,
      SITE_KEY: String(site['site_key']),
      WEBHOOK_SECRET: String(site['webhook_secret']),
    },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  const account = { email: 'zoe@example.org', password: 'a horse of many colours' }
  await call(`${sso}/api/v1/auth/register`, { headers, body: account })
  const page = `http://127.0.0.1:${port}`
  const webhooks = `${sso}/api/v1/webhooks`
  const visit = async (cookie = '') => (await fetch(page, { headers: { cookie } })).status
  await eventually(async () => (await visit().catch(() => 0)) === 401)

  // The endpoint did not listen when it was registered, so its ADMIN requests another ping instead of waiting for it.
  const query = `?site_code=${String(site['site_code'])}`
  const endpoint = async () =>
    (await call(`${webhooks}${query}`, { headers: admin })).body.items?.[0] as Record<string, string>
  const { webhook_id } = await endpoint()
  await call(`${webhooks}/${webhook_id}/test`, { method: 'POST', headers: admin })
  await eventually(async () => (await endpoint())['status'] === 'active')

  const signIn = (password: string, type = 'application/json') =>
    fetch(`${page}/sign-in`, {
      method: 'POST',
      headers: { 'content-type': type },
      body: JSON.stringify({ ...account, password }),
    })
  assert.equal((await signIn('no')).status, 401)
  assert.equal((await signIn(account.password, 'text/plain')).status, 415, 'a form of another page')
  const signedIn = await signIn(account.password)
  assert.equal(signedIn.status, 204)
  const [cookie = ''] = signedIn.headers.getSetCookie()[0]?.split(';') ?? []
  assert.equal(await visit(cookie), 200)

  const forged = await fetch(`${page}/webhook`, {
    method: 'POST',
    body: JSON.stringify({ event_type: 'back_channel_logout', data: { session_ids: [] } }),
  })
  assert.equal(forged.status, 400)

  // The person ends the session from another device.
  const other = await call(`${sso}/api/v1/auth/login`, { headers, body: account })
  const bearer = { authorization: `Bearer ${String(other.body['access_token'])}` }
  const sessions = (await call(`${sso}/api/v1/sessions`, { headers: bearer })).body.items as {
    session_id: string
    current: boolean
  }[]
  const theirs = sessions.find(({ current }) => !current)
  const ended = await call(`${sso}/api/v1/sessions/${theirs?.session_id}`, {
    method: 'DELETE',
    headers: bearer,
  })
  assert.equal(ended.status, 204)
  await eventually(async () => (await visit(cookie)) === 401)
})
