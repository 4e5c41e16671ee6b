import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Sql } from 'postgres'
import { openDatabase } from '#foundation/database/database.ts'
import { call, type Product } from '#testing/product.ts'
import { cpuTimes, drive, type Target } from './bench-load.ts'
import { generate } from './generate-all.ts'

type Person = {
  tenant_id: string
  user_id: string
  authorization: string
  site: { site_id: string }
}
type Bench = {
  product: Product
  sql: Sql
  url: string
  target: Target
  person: Person
  seconds: number
  rounds: number
}
type Cost = { node: number; postgres: number }

/** Rows of generated data. The goals are those of 1,000 channels and 100,000 items. */
const CHANNELS = 1_000
const ITEMS = 20_000
const FAR = { pages: 50, per_page: 100 }
/** Connections: no person may read more than three lists at once. */
const AT_ONCE = 2
/** A page by cursor may cost this many times the first one. */
const DEEP = 1.2
const EXPORTS = { first_ms: 1_000, xlsx_ms: 8_000, csv_ms: 4_000 }

/**
 * What people wait for, in ms of CPU per request, Node and PostgreSQL together, with the goal as bar; an export also
 * by the clock. Prints one line each; true when one is above its bar.
 */
export async function benchWaits(bench: Bench): Promise<boolean> {
  const { product, person, sql } = bench
  const db = openDatabase({ url: bench.url, poolSize: 1 })
  const { tenant_id, user_id, site } = person
  const fill = { seed: 7, site_id: site.site_id, tenant_id, user_id }
  const seal = () => Buffer.alloc(0)
  await generate(db, { ...fill, rows: CHANNELS }, seal, ['learning'])
  await generate(db, { ...fill, rows: ITEMS }, seal, ['collections'])
  await db.close()

  const [large] = await sql<
    { id: string; external_key: string; root_id: string; rare: string; count: number }[]
  >`
    with largest as (select id, root_id, item_count from collections.collections where tenant_id = ${tenant_id}
                      order by item_count desc limit 1)
    select largest.id, largest.root_id, largest.item_count as count, i.external_key, split_part(i.description, ' ', 8) as rare
      from largest join collections.collection_items l on l.collection_id = largest.id
      join collections.items i on i.id = l.item_id order by length(split_part(i.description, ' ', 8)) desc, i.id limit 1`
  if (!large) throw new Error('no item was generated')
  const [channel] = await sql<{ rare: string }[]>`
    select split_part(description, ' ', 8) as rare from learning.channels
     where tenant_id = ${tenant_id} and is_listed order by length(split_part(description, ' ', 8)) desc, id limit 1`
  const items = `${product.collections}/api/collections/${large.id}/items`
  console.log(
    `\nwhat people wait for, ${CHANNELS} channels, ${ITEMS} items, ${large.count} in one collection; ms of CPU per request`,
  )
  console.log(line('path', ['node', 'pg', 'sum', 'bar']))
  const deep = await deepCursor(items, person)
  const lines: [what: string, url: string, bar: number][] = [
    ['channels, q=', `${product.learning}/api/channels?q=${channel?.rare}`, 2],
    ['items, plain', items, 15],
    ['items, external_key=', `${items}?external_key=${large.external_key}`, 5],
    ['items, rare q=', `${items}?q=${large.rare}`, 50],
    ['items, sort by name', `${items}?sort=name`, 20],
    ['tree node', `${product.collections}/api/collections?parent_id=${large.root_id}`, 5],
    ['collections', `${product.collections}/api/collections`, 25],
    ['collections, sort by name', `${product.collections}/api/collections?sort=name`, 25],
  ]
  let isAbove = false
  for (const [what, url, bar] of lines) isAbove = say(what, await cost(bench, url), bar) || isAbove
  const first = await cost(bench, `${items}?per_page=${FAR.per_page}`)
  const far = await cost(bench, `${items}?per_page=${FAR.per_page}&cursor=${deep}`)
  const most = DEEP * (first.node + first.postgres)
  isAbove = say(`items, page ${FAR.pages} by cursor`, far, most) || isAbove
  for (const format of ['xlsx', 'csv'] as const)
    isAbove = (await benchExport(bench, large.root_id, format)) || isAbove
  return isAbove
}

/** Runs another bench with its own product. True when it misses a bar. */
export async function benchAlone(script: string, words: string[]): Promise<boolean> {
  console.log(`\n${script}`)
  const child = spawn(process.execPath, [join(import.meta.dirname, script), ...words], { stdio: 'inherit' })
  const [code] = (await once(child, 'exit')) as [number | null]
  return code !== 0
}

const line = (what: string, cells: string[]) =>
  [what.padEnd(32), ...cells.map((cell) => cell.padStart(8))].join(' ')

function say(what: string, { node, postgres }: Cost, bar: number): boolean {
  const isAbove = node + postgres > bar
  const cells = [node, postgres, node + postgres, bar].map((ms) => ms.toFixed(2))
  console.log(`${line(what, cells)}${isAbove ? '  ABOVE' : ''}`)
  return isAbove
}

const median = (numbers: number[]) => numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? Infinity

/** The median of the rounds, after a warm-up. */
async function cost({ target, person, seconds, rounds }: Bench, url: string): Promise<Cost> {
  const { authorization } = person
  const options = { url, headers: { authorization }, connections: AT_ONCE }
  const costs: Cost[] = []
  for (let round = 0; round <= rounds; round++) {
    const { cpu, errors } = await drive(target, round === 0 ? 1 : seconds, options)
    if (errors > 0) throw new Error(`${url}: ${errors} answers were no 200`)
    if (round > 0) costs.push({ node: cpu.ours / 1_000, postgres: cpu.postgres / 1_000 })
  }
  return {
    node: median(costs.map(({ node }) => node)),
    postgres: median(costs.map(({ postgres }) => postgres)),
  }
}

/** The cursor of a page far behind the first, or of the last one before the end. */
async function deepCursor(items: string, { authorization }: Person): Promise<string> {
  let cursor = ''
  for (let page = 1; page < FAR.pages; page++) {
    const { status, body } = await call(`${items}?per_page=${FAR.per_page}${cursor && `&cursor=${cursor}`}`, {
      headers: { authorization },
    })
    if (status !== 200) throw new Error(`items were answered with ${status}`)
    if (typeof body['next_cursor'] !== 'string') break
    cursor = encodeURIComponent(body['next_cursor'])
  }
  return cursor
}

/** Exports the whole tree: the first byte and the last by the clock, and CPU. */
async function benchExport(
  { product, person, target, rounds }: Bench,
  root: string,
  format: 'xlsx' | 'csv',
): Promise<boolean> {
  const { authorization } = person
  const url = `${product.collections}/api/collections/${root}/export?format=${format}&include_subtree=true`
  const results: { first: number; whole: number; node: number; postgres: number; bytes: number }[] = []
  for (let round = 0; round < rounds; round++) {
    const before = cpuTimes(target)
    const began = performance.now()
    const reply = await fetch(url, { headers: { authorization } })
    if (!reply.ok || !reply.body) throw new Error(`an export was answered with ${reply.status}`)
    let [first, bytes] = [0, 0]
    for await (const chunk of reply.body) {
      first ||= performance.now() - began
      bytes += chunk.length
    }
    const whole = performance.now() - began
    const after = cpuTimes(target)
    results.push({
      first,
      whole,
      bytes,
      node: (after.ours - before.ours) / 1_000,
      postgres: (after.postgres - before.postgres) / 1_000,
    })
  }
  const of = (name: 'first' | 'whole' | 'node' | 'postgres') => median(results.map((one) => one[name]))
  const most = EXPORTS[`${format}_ms`]
  const isAbove = of('first') > EXPORTS.first_ms || of('whole') > most
  console.log(
    `export of the tree, .${format}: first byte ${of('first').toFixed(0)} ms of ${EXPORTS.first_ms}, whole ${of('whole').toFixed(0)} ms of ${most}; CPU ${of('node').toFixed(0)} ms of Node, ${of('postgres').toFixed(0)} of PostgreSQL; ${((results[0]?.bytes ?? 0) / 2 ** 20).toFixed(1)} MiB${isAbove ? '  ABOVE' : ''}`,
  )
  return isAbove
}
