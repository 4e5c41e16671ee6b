import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { call, type Product, startProduct } from '#testing/product.ts'
import { openDatabase } from '#foundation/database/database.ts'
import { urlOf } from '#foundation/database/url.ts'
import { loadMasterKeys } from '#foundation/security/secrets.ts'
import { sealSecret } from '../src/sso/events/webhooks/secrets.ts'
import { drawGrowth } from './bench-grow-svg.ts'
import { drive } from './bench-load.ts'
import { generate, SERVICES } from './generate-all.ts'
import { explainRequest } from './bench-explain.ts'

/** `npm run bench -- --grow --most 100000 --seconds 2`: what a request costs with 1 k to 1 M rows in every large table. */
export type Growth = {
  path: string
  kind: 'list' | 'search'
  costs: { rows: number; us: number; rate: number }[]
}
type Who = 'learner' | 'admin'
type People = Record<Who, string> & { site_id: string; tenant_id: string; user_id: string }

/** The cost of the largest against the smallest; a search may grow with its hits. */
const MOST = 1.25
const WARM_SECONDS = 1

const paths: [kind: Growth['kind'], who: Who, path: string][] = [
  ['list', 'learner', '/api/channels'],
  ['list', 'learner', '/api/channels?mine=true'],
  ['list', 'admin', '/api/channels'],
  ['list', 'learner', '/api/enrollments'],
  ['list', 'learner', '/api/grades'],
  ['list', 'admin', '/api/innovation/suggestions?status=pending'],
  ['list', 'admin', '/api/v1/users'],
  ['list', 'admin', '/api/v1/audit'],
  ['list', 'admin', '/api/v1/webhooks/events'],
  ['list', 'learner', '/api/v1/sessions'],
  ['list', 'admin', '/api/v1/payments/orders'],
  ['list', 'admin', '/api/v1/users/erasures'],
  ['list', 'learner', '/api/collections'],
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
      const people = await peopleOf(product)
      await fill(dataDir, people, rows)
      for (const [index, [, who, path]] of paths.entries()) {
        const growth = growths[index]
        if (!growth) continue
        growth.costs.push({ rows, ...(await measure(product, path, people[who], seconds)) })
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

function isAbove({ kind, costs }: Growth): boolean {
  const [few, many] = [costs[0], costs.at(-1)]
  if (!few || !many || few === many) return false
  const linear = (rows: number) => rows * Math.log(rows)
  const bound = kind === 'list' ? MOST : MOST * (linear(many.rows) / linear(few.rows))
  return many.us > few.us * bound
}

async function measure(product: Product, path: string, authorization: string, seconds: number) {
  const base = path.startsWith('/api/v1/')
    ? product.sso
    : path.startsWith('/api/collections')
      ? product.collections
      : product.learning
  const target = { pid: product.pid, postmaster: postmasterOf(product.dataDir) }
  const options = { url: `${base}${path}`, headers: { authorization }, connections: 8 }
  await drive(target, WARM_SECONDS, options)
  const { rate, errors, cpu } = await drive(target, seconds, options)
  if (errors > 0) throw new Error(`${path}: ${errors} answers were no 200`)
  return { us: cpu.ours + cpu.postgres, rate }
}

async function fill(dataDir: string, { site_id, tenant_id, user_id }: People, rows: number) {
  const db = openDatabase({ url: databaseUrl(dataDir), poolSize: SERVICES.length })
  const keys = loadMasterKeys(undefined, dataDir)
  await generate(db, { rows, seed: 7, site_id, tenant_id, user_id }, (site) =>
    sealSecret(keys, site, 'generated'),
  )
  await db.close()
}

/** A site of its own, its ADMIN and a learner. */
async function peopleOf({ sso, firstRun }: Product): Promise<People> {
  const password = 'a bench of oak and iron'
  const post = async (path: string, headers: Record<string, string>, body: object) => {
    const reply = await call(`${sso}/api/v1${path}`, { headers, body })
    if (reply.status >= 300) throw new Error(`${path} was answered with ${reply.status}`)
    return reply.body
  }
  const signIn = async (site_key: string, email: string, isNew: boolean) => {
    const headers = { 'x-sso-site-key': site_key }
    if (isNew) await post('/auth/register', headers, { email, password })
    const { access_token, user } = await post('/auth/login', headers, { email, password })
    return { bearer: `Bearer ${String(access_token)}`, user_id: (user as { user_id: string }).user_id }
  }
  const home = firstRun.sites['learning']?.site_key ?? ''
  const founder = await signIn(home, 'founder@example.org', true)
  const made = await post(
    '/sites',
    { authorization: founder.bearer },
    { name: 'Grown', environment: 'production' },
  )
  const site_key = String(made['site_key'])
  const admin = await signIn(site_key, 'founder@example.org', false)
  const learner = await signIn(site_key, 'learner@example.org', true)
  const { site_id, tenant_id } = made as { site_id: string; tenant_id: string }
  return { admin: admin.bearer, learner: learner.bearer, site_id, tenant_id, user_id: learner.user_id }
}

const postmasterOf = (dir: string) =>
  Number(readFileSync(join(dir, 'postgres/data/postmaster.pid'), 'utf8').split('\n')[0])

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
