import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout as wait } from 'node:timers/promises'
import type { Sql } from 'postgres'
import { bookOf, formOf } from '#testing/books.ts'
import { call, type Product } from '#testing/product.ts'
import { parseInWorker } from '../src/collections/workbook/reader.ts'
import { cpuTimes, type Target } from './bench-load.ts'

type Person = { tenant_id: string; user_id: string; authorization: string }
type Bench = { product: Product; sql: Sql; target: Target; person: Person; rounds: number; count: number }

/** The least ratio to the slower of the two limits B6 and B7. */
const BAR = 0.5
/** A read may take this many times as long during an import as alone. */
const BESIDE = 3
const BATCH = 1_000
const HEADER = [
  'item_key',
  'collection_keys',
  'name',
  'description',
  'meta.year',
  'meta.width_mm',
  'meta.credit',
  'meta.artist',
]

/**
 * Imports a workbook of new items, timed from the 202 to the end of the job, while a client reads a collection in a
 * loop. Limits: B6, bare inserts of the same rows in batches; B7, the parser alone in its thread; also a bare COPY into
 * a table without an index. Prints one line per round; true when the median round is below a bar.
 */
export async function benchImport({ product, sql, target, person, rounds, count }: Bench): Promise<boolean> {
  const rows = Array.from({ length: count }, (_, n) => rowOf(n))
  const file = bookOf({ Items: [HEADER, ...rows] })
  const headers = { authorization: person.authorization }
  const size = (file.length / 2 ** 20).toFixed(1)
  console.log(
    `\nimport of ${count} new items of 8 cells, ${size} MiB packed; rows per second, CPU in µs per row`,
  )
  console.log(
    cells(['ours', 'B6 insert', 'B7 parse', 'COPY', 'cpu', 'cpu pg', 'ratio', 'bar', 'GET p99', 'alone']),
  )
  const results: { ratio: number; p99: number; alone: number }[] = []
  for (let round = 0; round < rounds; round++) {
    const root = await aRoot(product, headers)
    const parse = await seconds(() => parseBare(file))
    const copy = await seconds(() => copyBare(sql, rows))
    const insert = await seconds(() => insertBare(sql, person, root, rows))
    const alone = await readFor(product, headers, root, async () => {
      await wait(2_000)
    })
    const before = cpuTimes(target)
    const { took, beside } = await importOnce(product, headers, root, file)
    const after = cpuTimes(target)
    const cpu = (name: keyof typeof before) => ((after[name] - before[name]) / count).toFixed(0)
    const result = {
      ratio: Math.max(parse, insert) / took,
      p99: percentile(beside, 0.99),
      alone: percentile(alone, 0.99),
    }
    results.push(result)
    const rate = (time: number) => (count / time).toFixed(0)
    console.log(
      cells([
        ...[took, insert, parse, copy].map(rate),
        cpu('ours'),
        cpu('postgres'),
        result.ratio.toFixed(2),
        `${BAR}`,
        ...[result.p99, result.alone].map((ms) => ms.toFixed(1)),
      ]),
    )
  }
  const { ratio, p99, alone } = results.toSorted((a, b) => a.ratio - b.ratio)[rounds >> 1] ?? {
    ratio: 0,
    p99: 0,
    alone: 0,
  }
  if (ratio < BAR) console.log(`  BELOW: ${ratio.toFixed(2)} of the slower of B6 and B7, bar ${BAR}`)
  if (p99 > BESIDE * alone) console.log(`  ABOVE: a GET takes more than ${BESIDE} times as long as alone`)
  return ratio < BAR || p99 > BESIDE * alone
}

const rowOf = (n: number) => [
  `AR${n}`,
  'root',
  `Sketch of the harbour ${n}`,
  `Pencil on paper, number ${n} of many`,
  1800 + (n % 200),
  n % 900,
  'Presented by the artist',
  `Artist ${n % 500}`,
]
type Row = ReturnType<typeof rowOf>

const cells = (line: string[]) => line.map((cell) => cell.padStart(9)).join(' ')

async function seconds(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now()
  await work()
  return (performance.now() - began) / 1_000
}

const percentile = (times: number[], share: number) =>
  times.toSorted((a, b) => a - b)[Math.floor(times.length * share)] ?? 0

/** A new tree for each round, so that its rows are new items. */
async function aRoot(product: Product, headers: Record<string, string>): Promise<string> {
  const { status, body } = await call(`${product.collections}/api/collections`, {
    headers,
    body: { name: 'Import', external_key: 'root' },
  })
  if (status !== 201) throw new Error(`a collection was answered with ${status}`)
  return String(body['id'])
}

/** B7: the parser alone, without the rules of the product. */
const parseBare = (file: Buffer) =>
  parseInWorker(file, {
    sheets: ['Items'],
    mapper: {
      module: 'data:text/javascript,export const createMapper = () => ({ rows() {}, end() {} })',
      options: null,
    },
    onRows: () => {},
  })

async function copyBare(sql: Sql, rows: Row[]) {
  await sql`create table if not exists public.bare (a text, b text, c text, d text, e int, f int, g text, h text)`
  await sql`truncate public.bare`
  const lines = rows.map((row) => `${row.join('\t')}\n`).join('')
  await pipeline(Readable.from([Buffer.from(lines)]), await sql`copy public.bare from stdin`.writable())
}

/**
 * B6: inserts into the product's tables, with their indexes, generated columns and references, but without its rules.
 */
async function insertBare(sql: Sql, { tenant_id, user_id }: Person, root: string, rows: Row[]) {
  for (let from = 0; from < rows.length; from += BATCH) {
    const batch = rows.slice(from, from + BATCH)
    const column = (place: number) => batch.map((row) => String(row[place]))
    const metadata = batch.map(([, , , , year, width_mm, credit, artist]) =>
      JSON.stringify({ year, width_mm, credit, artist }),
    )
    await sql`
      with made as (
        insert into collections.items (id, tenant_id, name, description, external_key, metadata, created_by)
        select uuidv7(), ${tenant_id}, name, description, 'bare ' || key, metadata::jsonb, ${user_id}
          from unnest(${column(0)}::text[], ${column(2)}::text[], ${column(3)}::text[], ${metadata}::text[])
                 as given(key, name, description, metadata)
        returning id, external_key),
      linked as (
        insert into collections.collection_items (tenant_id, collection_id, item_id, added_by)
        select ${tenant_id}::uuid, ${root}::uuid, id, ${user_id} from made)
      insert into collections.item_keys (tenant_id, root_id, external_key, item_id)
      select ${tenant_id}::uuid, ${root}::uuid, external_key, id from made`
  }
}

/** Reads one collection in a loop until `work` ends. Resolves to the latencies in ms. */
async function readFor(
  product: Product,
  headers: Record<string, string>,
  root: string,
  work: () => Promise<void>,
): Promise<number[]> {
  const times: number[] = []
  let isOver = false
  const reading = (async () => {
    while (!isOver) {
      const asked = performance.now()
      await call(`${product.collections}/api/collections/${root}`, { headers })
      times.push(performance.now() - asked)
      await wait(5)
    }
  })()
  try {
    await work()
  } finally {
    isOver = true
    await reading
  }
  return times
}

async function importOnce(product: Product, headers: Record<string, string>, root: string, file: Buffer) {
  const form = formOf(file, { parent_id: root })
  const sent = await fetch(`${product.collections}/api/bulk/upload`, {
    method: 'POST',
    headers: { ...headers, ...form.headers },
    body: new Uint8Array(form.payload),
  })
  if (sent.status !== 202) throw new Error(await sent.text())
  const began = performance.now()
  const { status_url } = (await sent.json()) as { status_url: string }
  const beside = await readFor(product, headers, root, async () => {
    for (;;) {
      const { body: job } = await call(`${product.collections}${status_url}`, { headers })
      if (job['state'] === 'completed') return
      if (job['finished_at'] !== null) throw new Error(JSON.stringify(job))
      await wait(50)
    }
  })
  return { took: (performance.now() - began) / 1_000, beside }
}
