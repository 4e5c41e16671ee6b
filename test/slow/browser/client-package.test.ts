import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { createClient, memoryTokens, type Tokens } from '../../../packages/client/src/index.ts'
import { aWindow, problemsOf } from '#testing/browser.ts'
import { installPackages } from '#testing/installed-packages.ts'
import { adminHeaders, call, newDataDir, removeDataDir, startProduct } from '#testing/product.ts'

const ACCOUNT = { email: 'zoe@example.org', password: 'a horse of many colours' }
const PAGE = `<!doctype html><html lang="en"><title>Partner</title><link rel="icon" href="data:,">
<script type="importmap">{"imports": {
  "@lyceum/client": "/modules/@lyceum/client/dist/index.js",
  "openapi-fetch": "/modules/openapi-fetch/dist/index.mjs"}}</script>
<script type="module">
  import { createClient, LyceumError, storedTokens } from '@lyceum/client'
  const renew = async () => {
    const reply = await fetch('/renew', { method: 'POST' })
    return reply.ok ? reply.json() : undefined
  }
  const zoe = createClient({ sso: location.origin, tokens: storedTokens(localStorage), renew })
  window.ask = async () => {
    const calls = Array.from({ length: 5 }, () => zoe.sso.GET('/api/v1/sessions'))
    const done = await Promise.allSettled(calls)
    return done.map(({ value, reason }) => (reason instanceof LyceumError ? reason.code : (reason ?? value.response.status)))
  }
</script>`

const dataDir = newDataDir()
const [product, project] = await Promise.all([startProduct(dataDir), installPackages()])
after(async () => {
  server.closeAllConnections()
  server.close()
  await product.end()
  project.remove()
  removeDataDir(dataDir)
})

const headers = await adminHeaders(product)
const { body: site } = await call(`${product.sso}/api/v1/sites`, { headers, body: { name: 'Partner' } })
const options = { sso: product.sso, siteKey: String(site['site_key']) }
const partner = createClient(options)
await partner.sso.POST('/api/v1/auth/register', { body: ACCOUNT })
const signIn = async () =>
  (await partner.sso.POST('/api/v1/auth/login', { body: ACCOUNT })).data as Required<Tokens>

/** The partner's own server: the page, the calls of the page, and the renewal, for which it keeps the refresh token. */
let session: ReturnType<typeof createClient<typeof options>>
let renewals = 0
const server = createServer((incoming, outgoing) => {
  const { url = '/', method } = incoming
  if (url === '/') return void outgoing.setHeader('content-type', 'text/html').end(PAGE)
  if (url.startsWith('/modules/'))
    return void outgoing
      .setHeader('content-type', 'text/javascript')
      .end(readFileSync(join(project.folder, 'node_modules', url.slice('/modules/'.length))))
  if (url === '/renew') {
    renewals++
    return void session
      .renew()
      .then((access_token) =>
        access_token ? outgoing.end(JSON.stringify({ access_token })) : outgoing.writeHead(401).end(),
      )
  }
  const { hostname, port } = new URL(product.sso)
  const onward = request({
    hostname,
    port,
    method,
    path: url,
    headers: { authorization: incoming.headers.authorization },
  })
  onward.on('response', (answer) => answer.pipe(outgoing.writeHead(answer.statusCode ?? 502, answer.headers)))
  incoming.pipe(onward)
})
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))

test('two tabs renew a session once, and both learn when it is over', async () => {
  const tokens = await signIn()
  session = createClient({ ...options, tokens: memoryTokens(tokens) })
  const { page, problems } = await aWindow()
  const other = await page.context().newPage()
  const noise = [problems, problemsOf(other)]
  const home = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  await page.goto(home)
  await page.evaluate(
    `localStorage.setItem('lyceum', JSON.stringify({ access_token: '${tokens.access_token}' }))`,
  )
  await other.goto(home)
  const ask = () => Promise.all([page, other].map((tab) => tab.evaluate('window.ask()')))
  assert.deepEqual(await ask(), [Array(5).fill(200), Array(5).fill(200)])
  assert.equal(renewals, 0)

  // The end of another session kills this one's access token.
  await partner.sso.POST('/api/v1/auth/logout', { body: { refresh_token: (await signIn()).refresh_token } })
  assert.deepEqual(await ask(), [Array(5).fill(200), Array(5).fill(200)])
  assert.equal(renewals, 1)

  const { access_token } = await signIn()
  await partner.sso.DELETE('/api/v1/sessions', { headers: { Authorization: `Bearer ${access_token}` } })
  for (const codes of (await ask()) as string[][])
    assert.ok(
      codes.every((code) => ['token_revoked', 'token_missing'].includes(code)),
      codes.join(),
    )
  assert.equal(renewals, 2)
  assert.equal(await page.evaluate(`localStorage.getItem('lyceum')`), null)
  assert.deepEqual(noise, [[], []])
})
