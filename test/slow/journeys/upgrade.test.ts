import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Balancer, startBalancer } from '#testing/balancer.ts'
import { runCommand } from '#testing/command.ts'
import { emptyDatabase, type TestDatabase } from '#testing/database.ts'
import { checkOut, previousRelease } from '#testing/previous-release.ts'
import { call, newDataDir, type Product, removeDataDir, startProduct } from '#testing/product.ts'
import { eventually } from '#testing/eventually.ts'

const SERVICES = ['sso', 'learning', 'collections'] as const
const PEOPLE = 3
/** So often each person goes round before a step of the upgrade counts as seen. */
const ROUNDS = 2
/** Between two requests of a person, so that the load leaves the starts a share of the processor. */
const THINK_MS = 50
/** One round in so many begins with a sign-in, which costs far more than a renewal. */
const SIGN_IN_EVERY = 4

describe('an upgrade from the previous release and back, under load', () => {
  const dataDir = newDataDir()
  const release = checkOut(previousRelease())
  const running = new Set<Product>()
  let database: TestDatabase
  let balancers: Record<(typeof SERVICES)[number], Balancer>
  let settings: Record<string, string>
  let load: Load | undefined

  before(async () => {
    database = await emptyDatabase()
    const [sso, learning, collections] = [await startBalancer(), await startBalancer(), await startBalancer()]
    balancers = { sso, learning, collections }
    settings = {
      DATABASE_URL: database.url,
      MASTER_KEY: `k1:${randomBytes(32).toString('base64')}`,
      SSO_URL: sso.url,
      LEARNING_URL: learning.url,
      COLLECTIONS_URL: collections.url,
      DRAIN_SECONDS: '1',
    }
  })
  after(async () => {
    load?.stop()
    await Promise.all([...running].map((node) => node.end()))
    for (const balancer of Object.values(balancers)) balancer.close()
    removeDataDir(dataDir)
    release.remove()
  })

  /** Starts a node of the previous release or of this one; resolves when the balancers send it requests. */
  async function start(which: 'previous' | 'this'): Promise<Product> {
    const { folder: root } = release
    const isOurs = which === 'this'
    const cache = isOurs ? {} : { NODE_COMPILE_CACHE: join(root, '.compile-cache') }
    const node = await startProduct(dataDir, { ...settings, ...cache }, isOurs ? {} : { root })
    running.add(node)
    for (const name of SERVICES) balancers[name].add(node[name])
    await eventually(() => SERVICES.every((name) => balancers[name].isReady(node[name])))
    return node
  }

  /** Ends a node as an operator does, by SIGTERM and nothing else. */
  async function end(node: Product) {
    assert.equal(await node.end('SIGTERM'), 0)
    running.delete(node)
    for (const name of SERVICES) balancers[name].remove(node[name])
  }

  /** The least of what its three services have answered. */
  const served = (node: Product) => Math.min(...SERVICES.map((name) => balancers[name].served(node[name])))

  // Three starts, which take long on a busy machine.
  test('loses no write, refuses no valid token and answers no 5xx', { timeout: 300_000 }, async () => {
    const old = await start('previous')
    load = startLoad({ balancers, site_key: old.firstRun.sites['collections']?.site_key ?? '' })
    await load.goOn()
    const { code, stderr } = await runCommand(['migrate'], settings)
    assert.deepEqual([code, stderr], [0, ''])
    await load.goOn()

    let node = old
    for (const which of ['this', 'previous'] as const) {
      const next = await start(which)
      await load.goOn()
      const before = served(node)
      await end(node)
      await load.goOn()
      assert.ok(before > 0 && served(next) > 0)
      node = next
    }

    const { faults, written } = await load.finish()
    assert.deepEqual(faults, [])
    assert.ok(written >= PEOPLE * ROUNDS * 6 * 2, `only ${written} writes`)
    await end(node)
  })
})

type Load = {
  /** Resolves when each person has gone round ROUNDS more times. */
  goOn: () => Promise<void>
  /** Ends the load and reads every acknowledged write again. */
  finish: () => Promise<{ faults: string[]; written: number }>
  stop: () => void
}

type Given = { balancers: Record<(typeof SERVICES)[number], Balancer>; site_key: string }

/** People who register, sign in, write, read and renew their tokens. A fault is every answer that is not as promised. */
function startLoad({ balancers, site_key }: Given): Load {
  const [sso, learning, collections] = SERVICES.map((name) => balancers[name].url)
  const atSite = { 'x-sso-site-key': site_key }
  const faults: string[] = []
  const rounds = Array.from({ length: PEOPLE }, () => 0)
  let isOver = false
  let hasFailed = false
  const people = rounds.map((_, index) => live(index))
  const all = Promise.all(people)
  all.catch(() => (hasFailed = true))

  async function ask(wanted: number, url: string, options: Parameters<typeof call>[1] = {}) {
    await sleep(THINK_MS)
    const { status, body } = await call(url, options)
    if (status === wanted) return body
    faults.push(
      `${options.method ?? (options.body ? 'POST' : 'GET')} ${url}: ${status} ${JSON.stringify(body)}`,
    )
    throw new Error(faults.at(-1))
  }

  /** Returns how many writes were acknowledged, when each of them was read again. */
  async function live(index: number): Promise<number> {
    const account = { email: `person-${index}@example.org`, password: `correct horse battery ${index}` }
    const auth = `${sso}/api/v1/auth`
    const written = new Map<string, string>()
    let headers = {}
    let refresh_token: unknown
    const take = (tokens: Record<string, unknown>) => {
      headers = { authorization: `Bearer ${String(tokens['access_token'])}` }
      refresh_token = tokens['refresh_token']
    }
    const signIn = async () => take(await ask(200, `${auth}/login`, { headers: atSite, body: account }))
    const renew = async () =>
      take(await ask(200, `${auth}/refresh`, { headers: atSite, body: { refresh_token } }))
    const signOut = async () => {
      await ask(200, `${auth}/logout`, { headers: atSite, body: { refresh_token } })
      await ask(401, `${sso}/api/v1/sessions`, { headers })
    }
    const write = async (url: string, name: string, body: object) => {
      const { id } = await ask(201, url, { headers, body })
      written.set(`${url}/${String(id)}`, name)
      await ask(200, `${url}/${String(id)}`, { headers })
      return String(id)
    }

    await ask(201, `${auth}/register`, { headers: atSite, body: account })
    await signIn()
    for (let round = 0; !isOver; round++) {
      const name = `${index} in round ${round}`
      const channel = { title: name, episodes: [{ title: name }] }
      const channel_id = await write(`${learning}/api/channels`, name, channel)
      await ask(200, `${learning}/api/device/feed/${channel_id}`)
      await renew()
      await write(`${collections}/api/collections`, name, { name })
      await ask(200, `${learning}/api/channels?mine=1`, { headers })
      await ask(200, `${sso}/api/v1/sessions`, { headers })
      rounds[index] = round + 1
      if (round % SIGN_IN_EVERY !== index) continue
      await signOut()
      await signIn()
    }
    for (const [url, wanted] of written) {
      const { title, name = title } = await ask(200, url, { headers })
      if (name !== wanted) faults.push(`${url} is called ${String(name)}`)
    }
    return written.size
  }

  return {
    async goOn() {
      const wanted = rounds.map((round) => round + ROUNDS)
      await eventually(() => hasFailed || rounds.every((round, index) => round >= (wanted[index] ?? 0)))
      if (hasFailed) await all
    },
    async finish() {
      isOver = true
      const written = (await all).reduce((sum, count) => sum + count, 0)
      return { faults, written }
    },
    stop: () => (isOver = true),
  }
}
