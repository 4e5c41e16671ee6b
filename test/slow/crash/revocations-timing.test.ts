import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { eventually } from '#testing/eventually.ts'
import {
  adminHeaders,
  call,
  newDataDir,
  type Product,
  removeDataDir,
  startProduct,
} from '#testing/product.ts'
import { freePort } from '#testing/redis.ts'

/** `npm run nightly` makes a hundred. */
const KILLS = Number(process.env['LYCEUM_STREAM_KILLS'] ?? 8)
/** How late a revoked token may still be accepted, after both sides are up and the sign-out was answered (ms). */
const LATEST_MS = 1_000
const SSO_URL = 'http://127.0.0.1:8064'
const PARTNER = join(import.meta.dirname, 'revocations-partner.ts')

const dataDir = newDataDir()
const sockets = new Set<Socket>()
let product: Product
let partner: ChildProcess | undefined
/** Between the partner and the program, so that connections can be cut; its port stays when the program starts again. */
let isDown = false
const line = createServer((near) => {
  if (isDown) return void near.destroy()
  const far = connect(Number(new URL(product.sso).port), '127.0.0.1')
  for (const [one, other] of [
    [near, far],
    [far, near],
  ] as const) {
    sockets.add(one)
    one.on('error', () => other.destroy()).on('close', () => other.destroy() && sockets.delete(one))
    one.pipe(other)
  }
})
const cut = () => sockets.forEach((socket) => socket.destroy())
/** Cuts all connections, and lets none through for so long (ms). */
async function cutFor(ms: number, meanwhile: () => Promise<unknown>) {
  isDown = true
  cut()
  await Promise.all([wait(ms), meanwhile()])
  isDown = false
}
after(async () => {
  partner?.kill('SIGKILL')
  line.close()
  cut()
  await product?.end()
  removeDataDir(dataDir)
})

type Kind = 'program' | 'connection' | 'partner'
const oneOf = <T>(list: readonly T[]) => list[Math.floor(Math.random() * list.length)] as T

test('no revoked token is accepted a second after both sides are up', async (t) => {
  const site = await begin()
  const port = await freePort()
  const { port: through } = line.address() as AddressInfo
  const { site_key, site_code, jwt_secret, environment } = site
  const issuer = environment === 'sandbox' ? `${SSO_URL}/sandbox` : SSO_URL
  const options = {
    sso: `http://127.0.0.1:${through}`,
    siteKey: site_key,
    siteCode: site_code,
    jwtSecret: jwt_secret,
    issuer,
  }
  const startPartner = async () => {
    partner = spawn(process.execPath, [PARTNER, JSON.stringify(options), String(port)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    if (partner.stdout) await once(partner.stdout, 'data')
  }
  const isGood = async (token: string) => {
    const { status } = await fetch(`http://127.0.0.1:${port}/`, {
      headers: { authorization: `Bearer ${token}` },
    })
    assert.ok([200, 401, 503].includes(status), String(status))
    return status === 200
  }
  await startPartner()
  const { signIn, signOut } = await people(String(site_key))
  const counts = { program: 0, connection: 0, partner: 0 }
  let slowest = 0
  for (let kill = 0; kill < KILLS; kill++) {
    const kind = oneOf<Kind>(['program', 'connection', 'connection', 'partner'])
    const [early, late, stays] = await Promise.all([signIn(0), signIn(1), signIn(2)])
    assert.ok(await isGood(stays))
    // Some sign out before the kill, some while one side is away, some after it.
    const isEarly = Math.random() < 0.5
    const leaving = isEarly ? signOut(early) : undefined
    await wait(Math.random() * 300)
    await leaving
    if (kind === 'program') {
      await product.end('SIGKILL')
      await wait(Math.random() * 500)
      product = await startProduct(dataDir, { SSO_URL })
      if (!isEarly) await signOut(early)
    } else if (kind === 'connection')
      await cutFor(Math.random() * 800, async () => isEarly || (await signOut(early)))
    else {
      partner?.kill('SIGKILL')
      if (!isEarly) await signOut(early)
      await wait(Math.random() * 300)
      await startPartner()
    }
    const up = performance.now()
    await signOut(late)
    const lateOut = performance.now()
    for (const [token, out] of [
      [early, up],
      [late, lateOut],
    ] as const)
      for (;;) {
        const asked = performance.now()
        if (!(await isGood(token))) break
        const lateness = asked - out
        assert.ok(lateness < LATEST_MS, `kill ${kill}, of the ${kind}: accepted after ${lateness} ms`)
        slowest = Math.max(slowest, lateness)
      }
    // Whoever did not sign out is let in, at the latest when the sso can be asked.
    await eventually(() => isGood(stays))
    counts[kind]++
  }
  t.diagnostic(`${JSON.stringify(counts)} kills; accepted for ${Math.round(slowest)} ms at most`)
})

async function begin() {
  product = await startProduct(dataDir, { SSO_URL })
  await new Promise<void>((resolve) => line.listen(0, '127.0.0.1', resolve))
  const headers = await adminHeaders(product)
  return (await call(`${product.sso}/api/v1/sites`, { headers, body: { name: 'Partner' } })).body
}

/** Three people with calls that sign in and end all sessions of one of them. */
async function people(site_key: string) {
  const headers = { 'x-sso-site-key': site_key }
  const accounts = [0, 1, 2].map((n) => ({ email: `p${n}@example.org`, password: `a horse of ${n} colours` }))
  for (const body of accounts) await call(`${product.sso}/api/v1/auth/register`, { headers, body })
  return {
    signIn: async (n: number) => {
      const { status, body } = await call(`${product.sso}/api/v1/auth/login`, { headers, body: accounts[n] })
      assert.equal(status, 200, JSON.stringify(body))
      return String(body['access_token'])
    },
    signOut: async (token: string) => {
      const bearer = { authorization: `Bearer ${token}` }
      const { status } = await call(`${product.sso}/api/v1/sessions`, { method: 'DELETE', headers: bearer })
      assert.equal(status, 204)
    },
  }
}
