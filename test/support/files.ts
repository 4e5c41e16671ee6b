import assert from 'node:assert/strict'
import { formOf } from './books.ts'
import type { Who } from './exams.ts'
import { world } from './world.ts'

/** The smallest PNG: one pixel. */
export const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

/** Uploads a file as a browser does; the part says a type that the service must not believe. */
export async function upload(path: string, who: Who, content: Buffer | string, name = 'file') {
  const { learning } = await world()
  const { payload, headers } = formOf(Buffer.from(content), {}, name)
  const reply = await learning.inject({
    method: 'POST',
    url: path,
    headers: { ...who.headers, ...headers },
    payload,
  })
  // oxlint-disable-next-line typescript/no-explicit-any -- tests read any field of any reply
  return { status: reply.statusCode, text: reply.body, body: reply.json() as any }
}

/** Like `upload`, but fails on any other answer than 201. Returns the stored file. */
export async function mustUpload(...request: Parameters<typeof upload>) {
  const { status, text, body } = await upload(...request)
  assert.equal(status, 201, `${request[0]}: ${text}`)
  return body as { id: string; url: string; name: string; mime_type: string; size_bytes: number }
}

/** Reads a file. */
export async function download(url: string, { headers }: Who, more: Record<string, string> = {}) {
  const { learning } = await world()
  const reply = await learning.inject({ url, headers: { ...headers, ...more } })
  return { status: reply.statusCode, bytes: reply.rawPayload, headers: reply.headers, text: reply.body }
}
