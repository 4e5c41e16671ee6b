import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { adminHeaders, call, type Product, startProduct } from '#testing/product.ts'
import { drive, postmasterOf } from './bench-load.ts'

/**
 * What a second core brings: `node_modules/.bin/node scripts/bench-workers.ts --workers 2`. Requests per second of one process
 * and of so many workers, in turns, and the CPU that one request costs all processes together. The load comes from this
 * machine too, so on two cores three parties share them.
 */
const WORKERS = Number(/--workers (\d+)/.exec(process.argv.slice(2).join(' '))?.[1] ?? availableParallelism())
const ROUNDS = 3
const SECONDS = 4

process.env['NODE_COMPILE_CACHE'] ??= 'node_modules/.compile-cache'
const folders = [1, WORKERS].map(() => mkdtempSync(join(tmpdir(), 'lyceum-bench-workers-')))
const rates = new Map<string, number[][]>()
try {
  const products = await Promise.all(
    [1, WORKERS].map((workers, i) =>
      startProduct(folders[i] ?? '', { WORKERS: String(workers) }, { keepsLog: false }),
    ),
  )
  const paths = await Promise.all(products.map(pathsOf))
  for (let round = 0; round < ROUNDS; round++)
    for (const name of ['keys', 'channel by id', 'channel list'] as const)
      for (const [i, product] of products.entries()) {
        const { url, headers } = paths[i]?.[name] ?? { url: '', headers: {} }
        const postmaster = postmasterOf(folders[i] ?? '')
        const before = childrenCpu(product.pid)
        const load = await drive({ pid: product.pid, postmaster }, SECONDS, { url, headers })
        const node = (childrenCpu(product.pid) - before) / Math.max(1, load.rate * SECONDS) + load.cpu.ours
        const known = rates.get(name) ?? [[], []]
        known[i]?.push(load.rate)
        rates.set(name, known)
        console.log(
          `${name.padEnd(14)} ${i === 0 ? 1 : WORKERS}: ${load.rate.toFixed(0)} req/s, p99 ${load.p99} ms, Node ${node.toFixed(0)} µs, ` +
            `PostgreSQL ${load.cpu.postgres.toFixed(0)} µs, load ${load.cpu.tool.toFixed(0)} µs, ${load.errors} errors`,
        )
      }
  for (const [name, [one = [], many = []]] of rates)
    console.log(
      `${name.padEnd(14)} ${WORKERS} workers against one: ${(median(many) / median(one)).toFixed(2)}`,
    )
  for (const product of products) await product.end()
} finally {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
}

async function pathsOf(product: Product) {
  const headers = await adminHeaders(product)
  const body = { title: 'Measured', description: 'One of many.', episodes: [] }
  const made = await call(`${product.learning}/api/channels`, { headers, body })
  return {
    keys: { url: `${product.sso}/.well-known/jwks.json`, headers: {} },
    'channel by id': { url: `${product.learning}/api/channels/${String(made.body['id'])}`, headers },
    'channel list': { url: `${product.learning}/api/channels`, headers },
  }
}

/** CPU in µs of the processes that this one has started: workers, and the embedded server, which does not grow by itself. */
function childrenCpu(pid: number): number {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    .split(' ')
    .filter(
      (child) => child !== '' && readFileSync(`/proc/${child}/cmdline`, 'utf8').includes('cli/worker.ts'),
    )
    .reduce((sum, child) => {
      const fields = readFileSync(`/proc/${child}/stat`, 'utf8')
        .replace(/^.*\) /, '')
        .split(' ')
      return sum + (Number(fields[11]) + Number(fields[12])) * 10_000
    }, 0)
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0
}
