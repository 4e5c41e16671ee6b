import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { eventually } from '#testing/eventually.ts'
import { bookOf, formOf } from '#testing/books.ts'
import { call, newDataDir, type Product, removeDataDir, startProduct } from '#testing/product.ts'

const dataDir = newDataDir()
let product: Product | undefined
after(async () => {
  await product?.end('SIGTERM')
  removeDataDir(dataDir)
})

const ROWS = Number(process.env['LYCEUM_ROWS'] ?? 6_000)
const FILE = bookOf({
  Collections: [
    ['collection_key', 'name'],
    ['root', 'Root'],
  ],
  Items: [
    ['item_key', 'collection_keys', 'name'],
    ...Array.from({ length: ROWS }, (_, number) => [`i${number}`, 'root', `Item ${number}`]),
  ],
} as Record<string, (string | number)[][]>)

type Job = {
  state: string
  finished_at: string | null
  progress: { percent: number | null }
  counts: { items: { created: number } }
}

async function send(
  { collections }: Product,
  token: string,
  options: Record<string, string>,
): Promise<string> {
  const { payload, headers } = formOf(FILE, options)
  const reply = await fetch(`${collections}/api/bulk/upload`, {
    method: 'POST',
    headers: { ...headers, authorization: `Bearer ${token}` },
    body: new Uint8Array(payload),
  })
  const body = (await reply.json()) as { job_id: string }
  assert.equal(reply.status, 202, JSON.stringify(body))
  return body.job_id
}

const read = async <T>({ collections }: Product, token: string, path: string): Promise<T> =>
  (
    await fetch(`${collections}${path}`, { headers: { authorization: `Bearer ${token}` } })
  ).json() as Promise<T>

async function until(is: (job: Job) => boolean, at: Product, token: string, job_id: string): Promise<Job> {
  return eventually(() => read<Job>(at, token, `/api/bulk/jobs/${job_id}`), is)
}

for (const mode of ['atomic', 'partial'])
  test(`an import (${mode}) killed midway finishes after the restart`, async () => {
    product = await startProduct(dataDir)
    const headers = { 'x-sso-site-key': product.firstRun.sites['learning']?.site_key ?? '' }
    const account = { email: `anna-${mode}@school.example.org`, password: 'battery staple 7' }
    assert.equal((await call(`${product.sso}/api/v1/auth/register`, { headers, body: account })).status, 201)
    const login = await call(`${product.collections}/api/auth/login`, { body: account })
    assert.equal(login.status, 200)
    const token = (login.body as { access_token: string }).access_token
    const job_id = await send(product, token, { mode })
    await until(({ progress }) => (progress.percent ?? 0) > 0, product, token, job_id)
    const seen = await read<{ items: { item_count: number }[] }>(product, token, '/api/collections')
    assert.equal(await product.end('SIGKILL'), 'SIGKILL')
    if (mode === 'atomic') assert.deepEqual(seen.items, [])

    product = await startProduct(dataDir)
    const job = await until(({ finished_at }) => finished_at !== null, product, token, job_id)
    assert.equal(job.state, 'completed', JSON.stringify(job))
    assert.equal(job.counts.items.created, ROWS)
    const { items } = await read<{ items: { item_count: number }[] }>(product, token, '/api/collections')
    assert.deepEqual(
      items.map(({ item_count }) => item_count),
      [ROWS],
    )
    assert.equal(await product.end('SIGTERM'), 0)
    product = undefined
  })
