import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import {
  adminHeaders,
  call,
  newDataDir,
  type Product,
  removeDataDir,
  startProduct,
} from '#testing/product.ts'

const ROWS = 6_000
const dataDir = newDataDir()
let product: Product | undefined
after(async () => {
  await product?.end('SIGTERM')
  removeDataDir(dataDir)
})

test('an import killed three times creates every person once', async () => {
  product = await startProduct(dataDir)
  // Every fifth record is invalid, every seventh repeats the one before it.
  const lines = Array.from({ length: ROWS }, (_, i) =>
    i % 5 === 4 ? `person ${i}` : i % 7 === 6 ? `person-${i - 1}@example.org` : `person-${i}@example.org`,
  )
  const isWrong = (line: string, i: number) => !line.includes('@') || lines.indexOf(line) < i
  const wrong = lines.filter(isWrong).length
  const form = new FormData()
  form.set('file', new Blob([`email\n${lines.join('\n')}\n`]), 'people.csv')
  const headers = await adminHeaders(product)
  const reply = await fetch(`${product.sso}/api/v1/bulk/register`, { method: 'POST', headers, body: form })
  assert.equal(reply.status, 202)
  const { job_id } = (await reply.json()) as { job_id: string }

  type Job = Record<'processed_rows' | 'success_count' | 'skipped_count' | 'error_count', number> & {
    status: string
    finished_at: string | null
    started_at: string | null
  }
  const look = async (at: Product, as: Record<string, string>): Promise<Job> => {
    const job = (await call(`${at.sso}/api/v1/bulk/jobs/${job_id}`, { headers: as })).body as unknown as Job
    assert.equal(job.success_count + job.skipped_count + job.error_count, job.processed_rows)
    return job
  }
  const until = async (isSo: (job: Job) => boolean): Promise<Job> => {
    assert.ok(product)
    const as = await adminHeaders(product)
    for (;;) {
      const job = await look(product, as)
      if (isSo(job)) return job
    }
  }
  let reached = 0
  for (let kill = 0; kill < 3; kill++) {
    const job = await until(
      ({ processed_rows, finished_at }) => processed_rows > reached || finished_at !== null,
    )
    assert.equal(job.finished_at, null, 'it ended before it was killed')
    assert.ok(job.processed_rows >= reached)
    reached = job.processed_rows
    assert.equal(await product.end('SIGKILL'), 'SIGKILL')
    product = await startProduct(dataDir)
  }
  const job = await until(({ finished_at }) => finished_at !== null)
  assert.deepEqual(
    [job.status, job.processed_rows, job.success_count, job.skipped_count, job.error_count],
    ['completed_with_errors', ROWS, ROWS - wrong, 0, wrong],
  )
  const as = await adminHeaders(product)
  const people = await call(`${product.sso}/api/v1/users?site_code=learning&role=USER&per_page=1`, {
    headers: as,
  })
  assert.equal(people.body['total'], ROWS - wrong)
})
