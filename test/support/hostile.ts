import assert from 'node:assert/strict'
import { connect, type AddressInfo } from 'node:net'
import type { App, DeclaredRoute } from '#foundation/http/http.ts'
import type { ServiceName } from './contract.ts'

/** The part of an inject() reply that the checks read. */
type Reply = { statusCode: number; headers: Record<string, unknown>; body: string }

/** Signs of leaked internals: stack frames, source files, dependencies, SQL statements. */
const INSIDE = /\n\s+at |node_modules|\.ts\b|postgres|\b(?:select|insert into|update|delete from) /i

/** Fails unless the reply has one of these statuses and the error shape of its service, and leaks no internals. */
export function assertRefused(
  service: ServiceName,
  reply: Reply,
  statuses: number[],
  what: string,
  isPage = false,
) {
  const { statusCode, headers, body } = reply
  assert.ok(statuses.includes(statusCode), `${what}: ${statusCode} ${body.slice(0, 300)}`)
  assert.match(String(headers['content-type']), isPage ? /^text\/html/ : /^application\/json/, what)
  assert.doesNotMatch(body, INSIDE, what)
  if (isPage) {
    assert.match(body, /<p class="lead" role="alert">[^<]+<\/p>/, what)
    return
  }
  const answer = JSON.parse(body) as Record<string, unknown>
  assert.ok(typeof answer['detail'] === 'string' && answer['detail'] !== '', what)
  if (service === 'learning') {
    assert.deepEqual(Object.keys(answer), ['detail'], what)
    return
  }
  assert.match(String(answer['request_id']), /^[0-9a-f-]{36}$/, what)
  if (headers['x-request-id'] !== undefined) assert.equal(answer['request_id'], headers['x-request-id'], what)
  assert.match(String(answer['code']), /^[a-z_]+$/, what)
}

/** The path of the route with every parameter replaced by this value. */
export const pathOf = ({ url }: DeclaredRoute, value: string) => url.replaceAll(/:\w+/g, value)

/** The body without the request id, which differs in every reply. */
export const withoutRequestId = ({ body }: Reply) =>
  body.replace(/"request_id":"[0-9a-f-]{36}"/, '"request_id":""')

/** The port of the app on loopback; the first call starts listening. */
export async function portOf(app: App): Promise<number> {
  if (!app.server.listening) await app.listen({ host: '127.0.0.1', port: 0 })
  return (app.server.address() as AddressInfo).port
}

type RawReply = { text: string; statuses: number[]; isClosed: boolean }

/** Sends raw bytes and collects the reply until the server closes or stays silent for half a second. */
export function sendRaw(port: number, bytes: string | Buffer): Promise<RawReply> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes))
    let text = ''
    const finish = (isClosed: boolean) => {
      socket.destroy()
      const statuses = Array.from(text.matchAll(/(?:^|\r\n|\})HTTP\/1\.1 (\d{3}) /g), ([, status]) =>
        Number(status),
      )
      resolve({ text, statuses, isClosed })
    }
    socket.setTimeout(500, () => finish(false))
    socket.on('data', (chunk) => (text += chunk.toString('latin1')))
    socket.on('error', () => {})
    socket.on('close', () => finish(true))
  })
}

export const JSON_TYPE = 'application/json'

/** Bodies that every route must refuse. */
export const UNREADABLE: [name: string, body: string | Buffer, type: string, statuses: number[]][] = [
  ['half an object', '{', JSON_TYPE, [400]],
  ['a trailing comma', '{"a": 1,}', JSON_TYPE, [400]],
  ['a comment', '{"a": 1 /* one */}', JSON_TYPE, [400]],
  ['no JSON at all', 'email=a&password=b', JSON_TYPE, [400]],
  ['bytes that are not UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]), JSON_TYPE, [400]],
  ['UTF-16', Buffer.from('\ufeff{"a": 1}', 'utf16le'), JSON_TYPE, [400]],
  ['a raw NUL', '{"a": "\u0000"}', JSON_TYPE, [400]],
  ['__proto__', '{"__proto__": {"role": "ADMIN"}}', JSON_TYPE, [400]],
  ['__proto__ spelled with escapes', '{"\\u005f_proto__": {"role": "ADMIN"}}', JSON_TYPE, [400]],
  ['constructor.prototype', '{"constructor": {"prototype": {"role": "ADMIN"}}}', JSON_TYPE, [400]],
  ['five megabytes', `{"a": "${'x'.repeat(5 * 1_048_576)}"}`, JSON_TYPE, [413]],
  ['text/plain', '{"a": 1}', 'text/plain', [415]],
  ['XML', '<a/>', 'application/xml', [415]],
  ['multipart', '--x--', 'multipart/form-data; boundary=x', [415]],
  ['a type that is none', '{"a": 1}', 'json', [415]],
]

/** Valid JSON that a route with a schema refuses by its shape. */
export const MISSHAPEN: [name: string, body: string][] = [
  ['an array', '[]'],
  ['a number', '5'],
  ['a string', '"email"'],
  ['true', 'true'],
  ['null', 'null'],
  ['nothing', ''],
  ['5,000 arrays inside each other', '['.repeat(5_000) + ']'.repeat(5_000)],
  [
    '20,000 arrays in a field, beside a letter in escapes',
    `{"a": "\\u0041", "metadata": ${'['.repeat(20_000)}${']'.repeat(20_000)}}`,
  ],
]
