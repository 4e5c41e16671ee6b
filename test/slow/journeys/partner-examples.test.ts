import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { cpSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { keepCookies, signInOnThePage } from '#testing/hosted-page.ts'
import { compile, installPackages, type Project } from '#testing/installed-packages.ts'
import {
  adminHeaders,
  call,
  newDataDir,
  type Product,
  removeDataDir,
  startProduct,
} from '#testing/product.ts'
import { freePort } from '#testing/redis.ts'
import { eventually } from '#testing/eventually.ts'

const EXAMPLES = join(import.meta.dirname, '../../../examples')
const FRAMEWORKS = ['express', 'fastify', 'hono', '@hono/node-server', 'next', 'react', 'react-dom']
const NEXT = '../node_modules/next/dist/bin/next'
/** A build of Next takes 5 s, and many times that on a loaded machine. */
const LIMIT = { timeout: 300_000 }
const ACCOUNT = { email: 'zoe@example.org', password: 'a horse of many colours' }

const dataDir = newDataDir()
const started: ChildProcess[] = []
let project: Project
let product: Product
before(async () => {
  ;[project, product] = await Promise.all([
    installPackages(...FRAMEWORKS, '@types/node', 'undici-types'),
    startProduct(dataDir),
  ])
})
after(async () => {
  for (const child of started) child.kill()
  await product?.end()
  project?.remove()
  removeDataDir(dataDir)
})

describe('the examples', () => {
  for (const name of ['express', 'fastify', 'hono', 'next'])
    test(
      `${name} signs in, knows the caller, and forgets within a second who signed out`,
      LIMIT,
      async () => {
        const port = await freePort()
        const site = await aPartner(port)
        const folder = join(project.folder, name)
        cpSync(join(EXAMPLES, name), folder, { recursive: true })
        if (name === 'next') await buildNext(folder)
        const server = name === 'next' ? [NEXT, 'start', '--hostname=127.0.0.1'] : ['server.mjs']
        const child = start(folder, server, environmentOf(site, port))
        const send = (url: URL, init?: RequestInit) => fetch(url, { ...init, redirect: 'manual' })
        const me = new URL(`http://127.0.0.1:${port}/me`)
        await eventually(async () => (await send(me).catch(() => undefined)) !== undefined)
        await journey(send, site, port)
        child.kill()
        await once(child, 'exit')
      },
    )
})

test('the adapters fit the types of their frameworks', async () => {
  writeFileSync(
    join(project.folder, 'typed.ts'),
    `import { createServer } from 'node:http'
     import { fastify } from 'fastify'
     import { Hono } from 'hono'
     import { createLyceum } from '@lyceum/server'
     import * as express from '@lyceum/server/express'
     import * as forFastify from '@lyceum/server/fastify'
     import * as forHono from '@lyceum/server/hono'
     import * as next from '@lyceum/server/next'
     const lyceum = createLyceum({ sso: 'http://a', siteKey: 'k', siteCode: 'c' })
     const app = fastify()
     app.register(forFastify.lyceumRoutes, { lyceum })
     app.get('/me', { onRequest: forFastify.requireUser(lyceum) }, (request) => forFastify.callerOf(request).user.sub)
     new Hono()
       .all('/auth/*', forHono.lyceumRoutes(lyceum))
       .get('/me', forHono.requireUser(lyceum, (c) => c.req.raw.headers.get('x-real-ip') ?? undefined), (c) => c.json(forHono.callerOf(c).user))
     createServer((request, response) => void express.requireUser(lyceum)(request, response, () => express.callerOf(request)))
     export const { GET, POST } = next.lyceumRoutes(lyceum)
     export const PUT = next.withUser(lyceum, (_request: Request, { user, params }: { params: string } & Parameters<Parameters<typeof next.withUser>[1]>[1]) =>
       Response.json([user, params]))`,
  )
  assert.equal(await compile(project.folder, 'typed.ts'), '')
})

/** Runs Node in the folder of an example, at most until the tests end. */
function start(cwd: string, args: string[], environment: Record<string, string> = {}): ChildProcess {
  const env = { PATH: process.env['PATH'], NEXT_TELEMETRY_DISABLED: '1', ...environment }
  const child = spawn(process.execPath, args, { cwd, env, stdio: ['ignore', 'ignore', 'inherit'] })
  started.push(child)
  return child
}

/** Without the environment of the server, which the machine that builds does not know. */
async function buildNext(folder: string) {
  // The packages of Next are links here, and Turbopack follows none out of its root.
  writeFileSync(join(folder, 'next.config.mjs'), "export default { turbopack: { root: '/' } }")
  const [code] = await once(start(folder, [NEXT, 'build']), 'exit')
  assert.equal(code, 0)
}

type Site = Record<string, string>
type Send = (url: URL, init?: RequestInit) => Promise<Response>

async function aPartner(port: number): Promise<Site> {
  const headers = await adminHeaders(product)
  const callback_url = `http://127.0.0.1:${port}/auth/callback`
  const body = { name: 'Partner', callback_url, token_signing: 'RS256' }
  const site = (await call(`${product.sso}/api/v1/sites`, { headers, body })).body as Site
  const site_key = { 'x-sso-site-key': site['site_key'] ?? '' }
  await call(`${product.sso}/api/v1/auth/register`, { headers: site_key, body: ACCOUNT })
  return site
}

const environmentOf = (site: Site, port: number) => ({
  SSO: product.sso,
  SITE_KEY: site['site_key'] ?? '',
  SITE_CODE: site['site_code'] ?? '',
  JWT_SECRET: site['jwt_secret'] ?? '',
  WEBHOOK_SECRET: site['webhook_secret'] ?? '',
  COOKIE_SECRET: 'a secret of thirty-two characters',
  PORT: String(port),
})

/** What a visitor of such a site does, and what strangers try. */
async function journey(send: Send, site: Site, port: number) {
  const home = `http://127.0.0.1:${port}`
  const jar = new Map<string, string>()
  const visit = async (path: string, init: RequestInit = {}) => {
    const headers = new Headers(init.headers)
    headers.set('cookie', [...jar].map((pair) => pair.join('=')).join('; '))
    const reply = await send(new URL(path, home), { ...init, headers })
    keepCookies(jar, reply)
    return reply
  }
  const refused = await visit('/me')
  assert.deepEqual([refused.status, refused.headers.get('www-authenticate')], [401, 'Bearer'])

  const led = await visit('/auth/sign-in?return_to=/me?tab=1')
  assert.equal(led.status, 303)
  const back = await signInOnThePage(new URL(led.headers.get('location') ?? ''), ACCOUNT)
  // Another browser cannot finish what this one began.
  assert.equal((await send(back)).status, 400)
  const done = await visit(back.pathname + back.search)
  assert.deepEqual([done.status, done.headers.get('location')], [303, `${home}/me?tab=1`])
  assert.match(done.headers.getSetCookie().join('\n'), /^lyceum=.*; HttpOnly; SameSite=Lax$/m)
  assert.equal((await visit(back.pathname + back.search)).status, 400)
  assert.deepEqual(await (await visit('/me')).json(), { email: ACCOUNT.email, role: 'USER' })

  // The person ends all sessions elsewhere.
  const site_key = { 'x-sso-site-key': site['site_key'] ?? '' }
  const other = await call(`${product.sso}/api/v1/auth/login`, { headers: site_key, body: ACCOUNT })
  const bearer = { authorization: `Bearer ${String(other.body['access_token'])}` }
  assert.equal((await send(new URL('/me', home), { headers: bearer })).status, 200)
  await call(`${product.sso}/api/v1/sessions`, { method: 'DELETE', headers: bearer })
  await eventually(async () => (await send(new URL('/me', home), { headers: bearer })).status === 401)
  // The other session's end may be told before that of this one.
  await eventually(async () => (await visit('/me')).status === 401 && !jar.has('lyceum'))

  await signOutHere(visit, home)
  await receiveWebhooks((init) => send(new URL('/auth/webhook', home), init), site)
}

async function signOutHere(visit: (path: string, init?: RequestInit) => Promise<Response>, home: string) {
  const led = await visit('/auth/sign-in?return_to=//evil.example')
  const back = await signInOnThePage(new URL(led.headers.get('location') ?? ''), ACCOUNT)
  const done = await visit(back.pathname + back.search)
  assert.equal(done.headers.get('location'), `${home}/`)
  const foreign = {
    method: 'POST',
    headers: { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' },
  }
  assert.equal((await visit('/auth/sign-out', foreign)).status, 403)
  assert.equal((await visit('/me')).status, 200)
  assert.equal((await visit('/auth/sign-out')).status, 405)
  const own = { method: 'POST', headers: { 'sec-fetch-site': 'same-origin', origin: home } }
  const out = await visit('/auth/sign-out?return_to=/.//evil.example', own)
  assert.deepEqual([out.status, out.headers.get('location')], [303, `${home}//evil.example`])
  assert.equal((await visit('/me')).status, 401)
}

async function receiveWebhooks(send: (init: RequestInit) => Promise<Response>, site: Site) {
  const body = JSON.stringify({ event_type: 'ping', event_id: 'e', data: {} })
  const webhook = (timestamp: number) => {
    const secret = Buffer.from((site['webhook_secret'] ?? '').replace(/^whsec_/, ''), 'base64')
    const signature = createHmac('sha256', secret).update(`e.${timestamp}.${body}`).digest('base64')
    const dated = {
      'webhook-id': 'e',
      'webhook-timestamp': String(timestamp),
      'webhook-signature': `v1,${signature}`,
    }
    return {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json', 'x-sso-event-id': 'e', ...dated },
    }
  }
  const now = Math.floor(Date.now() / 1_000)
  const forged = { ...webhook(now), body: body.replace('ping', 'pong') }
  const statuses = []
  for (const one of [forged, webhook(now - 301), webhook(now)]) statuses.push((await send(one)).status)
  assert.deepEqual(statuses, [400, 400, 204])
}
