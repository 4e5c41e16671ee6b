import assert from 'node:assert/strict'
import { type Book, bookOf, formOf } from './books.ts'
import { untilFinished } from './eventually.ts'
import type { Headers } from './people.ts'
import { type World, world } from './world.ts'

export { type Book, bookOf } from './books.ts'

type Somebody = { headers: Headers }
type Sending = { options?: Record<string, string>; headers?: Headers; lyceum?: World; name?: string }

export async function upload(
  { headers }: Somebody,
  file: Buffer | undefined,
  { options, headers: more, lyceum, name }: Sending = {},
) {
  const { collections } = lyceum ?? (await world())
  const form = formOf(file, options, name)
  return collections.inject({
    method: 'POST',
    url: '/api/bulk/upload',
    headers: { ...headers, ...form.headers, ...more },
    payload: form.payload,
  })
}

/** Polls until the job has ended and returns it as its sender sees it. */
export async function ended({ headers }: Somebody, job_id: string, lyceum?: World) {
  const { collections } = lyceum ?? (await world())
  return untilFinished(async () => {
    const reply = await collections.inject({ url: `/api/bulk/jobs/${job_id}`, headers })
    assert.equal(reply.statusCode, 200, reply.body)
    return reply.json()
  })
}

/** Uploads a workbook and waits until its job has ended. */
export async function bringIn(person: Somebody, book: Book | Buffer, sending: Sending = {}) {
  const { startCollectionsJobs } = sending.lyceum ?? (await world())
  startCollectionsJobs()
  const reply = await upload(person, Buffer.isBuffer(book) ? book : bookOf(book), sending)
  assert.equal(reply.statusCode, 202, reply.body)
  return ended(person, reply.json().job_id, sending.lyceum)
}
