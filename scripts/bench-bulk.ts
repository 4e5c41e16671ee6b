import { randomUUID } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import postgres from 'postgres'
import { newId } from '#foundation/ids.ts'
import { adminHeaders, call, startProduct } from '#testing/product.ts'
import { splitSocketHost } from '../src/foundation/database/url.ts'

/**
 * Compares an import, from upload to end, with the bare insert of the same rows: `insert … select unnest(…)` of 500
 * people and their memberships per transaction. The two alternate for three rounds; the median counts.
 * `node_modules/.bin/node scripts/bench-bulk.ts --rows 10000`
 */
const rows = Number(/--rows (\d+)/.exec(process.argv.slice(2).join(' '))?.[1] ?? 5_000)
const ROUNDS = 3
const BATCH = 500
const BAR = 0.5

const dataDir = mkdtempSync(join(tmpdir(), 'lyceum-bench-'))
const product = await startProduct(dataDir, {}, { keepsLog: false })
const url = databaseUrl(dataDir)
const sql = postgres(splitSocketHost(url).url, { ...splitSocketHost(url), max: 1, onnotice: () => {} })
try {
  const headers = await adminHeaders(product)
  const site_id = product.firstRun.sites['learning']?.site_id ?? ''
  const ratios: number[] = []
  await ours(headers)
  for (let round = 0; round < ROUNDS; round++) {
    const before = await bare(site_id)
    const mine = await ours(headers)
    const bound = (before + (await bare(site_id))) / 2
    ratios.push(mine / bound)
    console.log(
      `${mine.toFixed(0)} people a second, bare ${bound.toFixed(0)}, ratio ${(mine / bound).toFixed(2)}`,
    )
  }
  const ratio = ratios.toSorted((a, b) => a - b)[ROUNDS >> 1] ?? 0
  console.log(
    `${rows} people an import: ratio ${ratio.toFixed(2)}, bar ${BAR}${ratio < BAR ? '  BELOW' : ''}`,
  )
  if (ratio < BAR) process.exitCode = 1
} finally {
  await sql.end()
  await product.end()
  rmSync(dataDir, { recursive: true, force: true })
}

function databaseUrl(dir: string): string {
  const { app } = JSON.parse(readFileSync(join(dir, 'postgres/passwords.json'), 'utf8')) as { app: string }
  return `postgres://lyceum:${encodeURIComponent(app)}@localhost:5432/lyceum?host=${encodeURIComponent(join(dir, 'postgres/socket'))}`
}

function people() {
  const tag = randomUUID().slice(0, 8)
  return Array.from({ length: rows }, (_, i) => ({
    email: `person-${i}-${tag}@example.org`,
    display_name: `Person ${i} of ${tag}`,
    locale: 'en-GB',
    external_id: `${tag}-${i}`,
  }))
}

/** People per second. */
async function ours(headers: Record<string, string>): Promise<number> {
  const lines = people().map((person) => Object.values(person).join(','))
  const form = new FormData()
  form.set('file', new Blob([`email,display_name,locale,external_id\n${lines.join('\n')}\n`]), 'people.csv')
  const began = performance.now()
  const reply = await fetch(`${product.sso}/api/v1/bulk/register`, { method: 'POST', headers, body: form })
  const { job_id } = (await reply.json()) as { job_id: string }
  for (;;) {
    const { body } = await call(`${product.sso}/api/v1/bulk/jobs/${job_id}`, { headers })
    if (body['finished_at'] !== null) {
      if (body['success_count'] !== rows) throw new Error(JSON.stringify(body))
      return rows / ((performance.now() - began) / 1_000)
    }
    await wait(20)
  }
}

async function bare(site_id: string): Promise<number> {
  const all = people()
  const began = performance.now()
  for (let from = 0; from < rows; from += BATCH) {
    const some = all.slice(from, from + BATCH)
    const ids = some.map(() => newId())
    const emails = some.map(({ email }) => email)
    await sql.begin(async (tx) => {
      await tx`
        insert into sso.users (user_id, environment, email, email_fold, display_name, locale, registration_site_id,
                               registration_source)
        select user_id, 'production', email, email, display_name, locale, ${site_id}, 'bulk_import'
          from unnest(${ids}::uuid[], ${emails}::text[], ${some.map((one) => one.display_name)}::text[],
                      ${some.map(({ locale }) => locale)}::text[]) as p (user_id, email, display_name, locale)`
      await tx`
        insert into sso.memberships (user_id, site_id, role, external_id)
        select user_id, ${site_id}, 'USER', external_id
          from unnest(${ids}::uuid[], ${some.map((one) => one.external_id)}::text[]) as m (user_id, external_id)`
    })
  }
  return rows / ((performance.now() - began) / 1_000)
}
