import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { existsSync, readFileSync, readdirSync, rmSync, statSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { eventually } from '#testing/eventually.ts'
import { world } from '#testing/world.ts'
import { createApp } from './http.ts'
import { acceptMultipart, readUpload } from './multipart.ts'
import { createLimiter } from '../rate-limit/limiter.ts'

const { parts } = await world()
const folder = await mkdtemp(join(tmpdir(), 'upload-'))
const MAX = 100_000

const app = await createApp({
  service: 'collections',
  version: '0',
  log: parts.log,
  database: parts.database,
  limiter: createLimiter({ service: 'test', log: parts.log }),
  metrics: parts.metrics.http('upload-test'),
  isOwnHost: () => true,
  trustedProxies: [],
  isStopping: () => false,
  identify: async () => {},
  bucketsOf: () => [],
  isText: () => true,
})
acceptMultipart(app)
app.post('/upload', { config: { auth: 'public', upload: true } }, (request) =>
  readUpload(request, {
    maxBytes: MAX,
    fields: ['mode', 'dry_run'],
    refuseUnknownFields: true,
    path: join(folder, request.id),
  }),
)
app.post('/json', { config: { auth: 'public' } }, () => ({}))
app.post('/soon', { config: { auth: 'public' }, handlerTimeout: 200 }, () => ({}))
await app.listen({ port: 0, host: '127.0.0.1' })
const { port } = app.server.address() as AddressInfo
after(async () => {
  await app.close()
  await rm(folder, { recursive: true })
})

const send = async (path: string, form: FormData) => {
  const reply = await fetch(`http://127.0.0.1:${port}${path}`, { method: 'POST', body: form })
  return { status: reply.status, body: (await reply.json()) as Record<string, unknown> }
}

function aForm(bytes: Buffer, fields: [string, string][] = [], files = 1): FormData {
  const form = new FormData()
  for (const [name, value] of fields) form.append(name, value)
  for (let number = 0; number < files; number++)
    form.append(`file${number}`, new Blob([Uint8Array.from(bytes)]), 'C:\\people\\Käse.csv')
  return form
}

/** Sends what no HTTP library would send; resolves with the status line and everything after it. */
const sendRaw = (head: string, body: string) =>
  new Promise<string>((resolve, reject) => {
    const socket = connect(port, '127.0.0.1')
    socket.write(`POST /upload HTTP/1.1\r\nHost: a\r\n${head}\r\n\r\n${body}`)
    let answer = ''
    socket.on('data', (chunk: Buffer) => {
      answer += chunk.toString()
      if (answer.includes('request_id')) socket.destroy()
    })
    socket.on('close', () => resolve(answer))
    socket.on('error', reject)
  })

describe('readUpload', () => {
  test('streams the upload to a private file with hash and fields', async () => {
    const bytes = randomBytes(MAX)
    const { status, body } = await send('/upload', aForm(bytes, [['mode', 'atomic']]))
    assert.equal(status, 200)
    const file = body['file'] as { path: string; name: string; size: number; sha256: string }
    assert.deepEqual(readFileSync(file.path), bytes)
    assert.equal(statSync(file.path).mode & 0o777, 0o600)
    assert.equal(file.name, 'Käse.csv')
    assert.equal(file.size, MAX)
    assert.equal(file.sha256, createHash('sha256').update(bytes).digest('hex'))
    assert.deepEqual(body['fields'], { mode: 'atomic' })
    await rm(file.path)
  })

  test('reports a missing file', async () => {
    assert.deepEqual(await send('/upload', aForm(Buffer.alloc(0), [['mode', 'x']], 0)), {
      status: 200,
      body: { fields: { mode: 'x' } },
    })
  })

  const small = Buffer.from('a,b')
  for (const [what, form, status, code] of [
    ['one byte too many', aForm(Buffer.alloc(MAX + 1)), 413, 'file_too_large'],
    ['far too many bytes', aForm(Buffer.alloc(MAX * 20)), 413, 'file_too_large'],
    ['two files', aForm(small, [], 2), 400, 'malformed_multipart'],
    ['an unknown field', aForm(small, [['colour', 'red']]), 422, 'unknown_field'],
    [
      'a field twice',
      aForm(small, [
        ['mode', 'a'],
        ['mode', 'b'],
      ]),
      422,
      'repeated',
    ],
    ['a field with a control character', aForm(small, [['mode', 'a\u0000b']]), 422, 'invalid_character'],
    ['a long field', aForm(small, [['mode', 'x'.repeat(5_000)]]), 422, 'too_long'],
    [
      'forty fields',
      aForm(
        small,
        Array.from({ length: 40 }, (_, n) => [`f${n}`, 'x']),
      ),
      422,
      'unknown_field',
    ],
  ] as const)
    test(`refuses ${what} with ${status} ${code} and leaves no file`, async () => {
      const reply = await send('/upload', form as FormData)
      assert.equal(reply.status, status)
      const { code: top, errors } = reply.body as { code: string; errors?: { code: string }[] }
      assert.deepEqual([top, errors?.[0]?.code ?? top], [errors ? 'validation' : code, code])
      assert.deepEqual(readdirSync(folder), [])
    })

  test('leaves no file of a hundred uploads that are refused before their file', async () => {
    const refused = Array.from({ length: 100 }, () => send('/upload', aForm(small, [['colour', 'red']])))
    assert.deepEqual(new Set((await Promise.all(refused)).map(({ status }) => status)), new Set([422]))
    // A file could be made after the answer, but not after the file of a later request.
    assert.equal((await send('/upload', aForm(small))).status, 200)
    const left = readdirSync(folder)
    assert.equal(left.length, 1)
    for (const name of left) rmSync(join(folder, name))
  })

  test('accepts multipart here only, and nothing else here', async () => {
    assert.equal((await send('/json', aForm(small))).status, 415)
    assert.equal((await app.inject({ method: 'POST', url: '/upload', payload: { a: 1 } })).statusCode, 415)
  })

  const type = 'Content-Type: multipart/form-data; boundary=x'
  const part = '--x\r\nContent-Disposition: form-data; name="f"; filename="a.csv"\r\n\r\nabc'
  for (const [what, head, body] of [
    ['no boundary', 'Content-Type: multipart/form-data\r\nContent-Length: 3', 'abc'],
    ['a body without parts', `${type}\r\nContent-Length: 3`, 'abc'],
    ['a body that ends within the file', `${type}\r\nContent-Length: ${part.length}`, part],
    ['an empty body', `${type}\r\nContent-Length: 0`, ''],
  ] as const)
    test(`answers 400 to ${what}`, async () => {
      const answer = await sendRaw(head, body)
      assert.match(answer, /^HTTP\/1\.1 400 /)
      assert.match(answer, /malformed_multipart/)
      assert.deepEqual(readdirSync(folder), [])
    })

  test('answers 408 to a slow body and hangs up', async () => {
    const socket = connect(port, '127.0.0.1')
    socket.write(
      'POST /soon HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{',
    )
    let text = ''
    for await (const chunk of socket) text += String(chunk)
    assert.match(text, /^HTTP\/1\.1 408 /)
    assert.match(text, /\r\nconnection: close\r\n/i)
  })

  test('removes the file when the sender hangs up', async () => {
    const socket = connect(port, '127.0.0.1')
    socket.write(`POST /upload HTTP/1.1\r\nHost: a\r\n${type}\r\nContent-Length: 50000\r\n\r\n${part}`)
    await eventually(() => readdirSync(folder).length > 0)
    const [name = ''] = readdirSync(folder)
    socket.destroy()
    await eventually(() => !existsSync(join(folder, name)))
  })
})
