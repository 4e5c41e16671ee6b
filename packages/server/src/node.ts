import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'

/** The host is none that we believe; only path and query are looked at. */
const ANY = 'http://localhost'

/** A request of Node as the web knows it; `body` where it was read already. */
export function requestOf(request: IncomingMessage & { originalUrl?: string }, body?: Uint8Array): Request {
  const { headers } = request
  // No Request of the web may be a TRACE; it is refused as this one is.
  const method = request.method === 'TRACE' ? 'OPTIONS' : (request.method ?? 'GET')
  const given = new Headers()
  for (const [name, value] of Object.entries(headers))
    for (const one of [value ?? []].flat()) given.append(name, one)
  const url = new URL(`${ANY}${request.originalUrl ?? request.url ?? '/'}`)
  if (method === 'GET' || method === 'HEAD') return new Request(url, { method, headers: given })
  const content = body ?? (Readable.toWeb(request) as ReadableStream)
  const init: RequestInit & { duplex: 'half' } = {
    method,
    headers: given,
    body: content as NonNullable<RequestInit['body']>,
    duplex: 'half',
  }
  return new Request(url, init)
}

/** Sends an answer of the web by Node. */
export async function answer(response: ServerResponse, reply: Response): Promise<void> {
  response.statusCode = reply.status
  for (const [name, value] of reply.headers) if (name !== 'set-cookie') response.setHeader(name, value)
  for (const cookie of reply.headers.getSetCookie()) response.appendHeader('Set-Cookie', cookie)
  response.end(new Uint8Array(await reply.arrayBuffer()))
}
