import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { call, type Product, startProduct } from '#testing/product.ts'
import { openDatabase } from '#foundation/database/database.ts'
import { urlOf } from '#foundation/database/url.ts'
import { loadMasterKeys } from '#foundation/security/secrets.ts'
import { sealSecret } from '../src/sso/events/webhooks/secrets.ts'
import { drawGrowth } from './bench-grow-svg.ts'
import { cpuTimes, drive, postmasterOf } from './bench-load.ts'
import { generate, SERVICES } from './generate-all.ts'
import { explainRequest } from './bench-explain.ts'

/** `npm run bench -- --grow --most 100000 --seconds 2`: what a request costs with 1 k to 1 M rows in every large table. */
export type Growth = {
  path: string
  kind: 'list' | 'search'
  costs: { rows: number; us: number; rate: number }[]
  /** The number of rows at which requests got no answer in time. */
  unanswered?: number
}
type Who = 'learner' | 'admin'
type Site = { site_id: string; tenant_id: string; user_id: string; site_key: string }
type Target = Parameters<typeof drive>[0]

/** The cost of the largest against the smallest; a search may grow with its hits. */
const MOST = 1.25
const WARM_SECONDS = 1
/** A person's slow reads wait for each other (docs/decisions/slow-lists.md): more at once would measure the waiting. */
const CONNECTIONS = { list: 8, search: 2 }
const QUIET_US = 20_000

const paths: [kind: Growth['kind'], who: Who, path: string][] = [
  ['list', 'learner', '/api/channels'],
  ['list', 'learner', '/api/channels?mine=true'],
  ['list', 'admin', '/api/channels'],
  ['list', 'learner', '/api/enrollments'],
  ['list', 'learner', '/api/grades'],
  ['list', 'admin', '/api/v1/users'],
  ['list', 'admin', '/api/v1/audit'],
  ['list', 'admin', '/api/v1/webhooks/events'],
  ['list', 'learner', '/api/v1/sessions'],
  ['list', 'admin', '/api/v1/payments/orders'],
  ['list', 'admin', '/api/v1/users/erasures'],
  ['list', 'learner', '/api/collections'],
  ['search', 'admin', '/api/innovation/suggestions?status=pending'],
  ['search', 'learner', '/api/channels?q=fulk'],
  ['search', 'learner', '/api/channels?q=cbb'],
  ['search', 'learner', '/api/channels?category=cbbb'],
  ['search', 'learner', '/api/channels?tag=cbbb'],
  ['search', 'admin', '/api/v1/users?q=fulk'],
  ['search', 'admin', '/api/v1/users?sort=email'],
  ['search', 'learner', '/api/collections?q=fulk'],
]

/** Draws docs/proof/growth.svg. True: no path costs more than it may. */
export async function benchGrowth(most: number, seconds: number): Promise<boolean> {
  const sizes = [1_000, 10_000, 100_000, 1_000_000].filter((rows) => rows <= most)
  const growths = paths.map(([kind, who, path]): Growth => ({ kind, path: `${path} (${who})`, costs: [] }))
  let isGood = true
  for (const rows of sizes) {
    const dataDir = mkdtempSync(join(tmpdir(), 'lyceum-grow-'))
    const product = await startProduct(dataDir, {}, { keepsLog: false })
    try {
      const site = await siteOf(product)
      await fill(dataDir, site, rows)
      // A token lives 30 minutes, which a large fill may take.
      const people: Record<Who, string> = {
        admin: (await signIn(product, site.site_key, 'founder')).bearer,
        learner: (await signIn(product, site.site_key, 'learner')).bearer,
      }
      await untilQuiet(targetOf(product))
      for (const [index, [, who, path]] of paths.entries()) {
        const growth = growths[index]
        if (!growth) continue
        const cost = await measure(product, growth.kind, path, people[who], seconds)
        if (cost) growth.costs.push({ rows, ...cost })
        else growth.unanswered = rows
        if (rows !== sizes.at(-1) || !isAbove(growth)) continue
        isGood = false
        console.log(
          await explainRequest({ url: databaseUrl(dataDir), dataDir, sso: product.sso }, path, people[who]),
        )
      }
    } finally {
      await product.end()
      rmSync(dataDir, { recursive: true, force: true })
    }
  }
  for (const growth of growths)
    console.log(
      `${growth.path.padEnd(48)} ${growth.costs.map(({ us, rate }) => `${us.toFixed(0)} µs (${rate.toFixed(0)}/s)`.padStart(20)).join('')}${isAbove(growth) ? '  ABOVE' : ''}`,
    )
  const folder = join(import.meta.dirname, '../docs/proof')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'growth.svg'), drawGrowth(growths))
  return isGood
}

function isAbove({ kind, costs, unanswered }: Growth): boolean {
  if (unanswered !== undefined) return true
  const [few, many] = [costs[0], costs.at(-1)]
  if (!few || !many || few === many) return false
  const linear = (rows: number) => rows * Math.log(rows)
  const bound = kind === 'list' ? MOST : MOST * (linear(many.rows) / linear(few.rows))
  return many.us > few.us * bound
}

/** Undefined: not every request was answered in time. */
async function measure(
  product: Product,
  kind: Growth['kind'],
  path: string,
  authorization: string,
  seconds: number,
) {
  const base = path.startsWith('/api/v1/')
    ? product.sso
    : path.startsWith('/api/collections')
      ? product.collections
      : product.learning
  const target = targetOf(product)
  const options = { url: `${base}${path}`, headers: { authorization }, connections: CONNECTIONS[kind] }
  await drive(target, WARM_SECONDS, options)
  const { rate, errors, cpu } = await drive(target, seconds, options)
  return errors > 0 ? undefined : { us: cpu.ours + cpu.postgres, rate }
}

const targetOf = ({ pid, dataDir }: Product): Target => ({ pid, postmaster: postmasterOf(dataDir) })

/** Until checkpoints and vacuums of what was filled are over: they are no cost of a request. */
async function untilQuiet(target: Target) {
  for (let second = 0; second < 60; second++) {
    const before = cpuTimes(target).postgres
    await setTimeout(1_000)
    if (cpuTimes(target).postgres - before < QUIET_US) return
  }
}

async function fill(dataDir: string, { site_id, tenant_id, user_id }: Site, rows: number) {
  const db = openDatabase({ url: databaseUrl(dataDir), poolSize: SERVICES.length })
  const keys = loadMasterKeys(undefined, dataDir)
  await generate(db, { rows, seed: 7, site_id, tenant_id, user_id }, (site) =>
    sealSecret(keys, site, 'generated'),
  )
  await db.close()
}

/** A site of its own, with its ADMIN and a learner. */
async function siteOf(product: Product): Promise<Site> {
  const home = product.firstRun.sites['learning']?.site_key ?? ''
  const founder = await signIn(product, home, 'founder', true)
  const made = await post(
    product,
    '/sites',
    { authorization: founder.bearer },
    { name: 'Grown', environment: 'production' },
  )
  const site_key = String(made['site_key'])
  await signIn(product, site_key, 'founder')
  const { user_id } = await signIn(product, site_key, 'learner', true)
  const { site_id, tenant_id } = made as { site_id: string; tenant_id: string }
  return { site_id, tenant_id, user_id, site_key }
}

async function signIn(product: Product, site_key: string, name: string, isNew = false) {
  const headers = { 'x-sso-site-key': site_key }
  const person = { email: `${name}@example.org`, password: 'a bench of oak and iron' }
  if (isNew) await post(product, '/auth/register', headers, person)
  const { access_token, user } = await post(product, '/auth/login', headers, person)
  return { bearer: `Bearer ${String(access_token)}`, user_id: (user as { user_id: string }).user_id }
}

async function post({ sso }: Product, path: string, headers: Record<string, string>, body: object) {
  const reply = await call(`${sso}/api/v1${path}`, { headers, body })
  if (reply.status >= 300) throw new Error(`${path} was answered with ${reply.status}`)
  return reply.body
}

function databaseUrl(dir: string): string {
  const { app } = JSON.parse(readFileSync(join(dir, 'postgres/passwords.json'), 'utf8')) as { app: string }
  return urlOf({
    host: join(dir, 'postgres/socket'),
    port: 5432,
    username: 'lyceum',
    password: app,
    database: 'lyceum',
  })
}
