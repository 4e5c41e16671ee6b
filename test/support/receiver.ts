import { createServer as createTcpServer, type AddressInfo, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'

/** A received request: header names in lower case, the body as bytes, and the number of its connection (1, 2, …). */
export type Received = {
  method: string
  path: string
  headers: Record<string, string>
  body: Buffer
  connection: number
}
/** How the receiver answers on a socket once it has a complete request. */
export type Behaviour = (socket: Socket, request: Received) => void
export type Receiver = Awaited<ReturnType<typeof startReceiver>>

type Options = {
  host?: string
  /** Default: a free port. */
  port?: number
  tls?: { key: string; cert: string }
  /** Requests to answer with 204 and leave out of `requests`. */
  isIgnored?: (request: Received) => boolean
  /** Runs on each connection, before any byte is read. */
  onConnect?: (socket: Socket) => void
}

/** A partner's server on a raw socket: it sends exactly what the test writes, so it can also send invalid HTTP. */
export async function startReceiver(
  behave: Behaviour,
  { host = '127.0.0.1', port: wanted = 0, tls, isIgnored = () => false, onConnect }: Options = {},
) {
  const requests: Received[] = []
  const sockets = new Set<Socket>()
  let connections = 0

  const serve = (socket: Socket) => {
    const connection = ++connections
    let unread: Buffer = Buffer.alloc(0)
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket)).on('error', () => {})
    onConnect?.(socket)
    socket.on('data', (chunk: Buffer) => {
      unread = Buffer.concat([unread, chunk])
      for (let next = takeRequest(unread); next; next = takeRequest(unread)) {
        unread = next.rest
        const request = { ...next.request, connection }
        if (isIgnored(request)) {
          answers(204)(socket, request)
          continue
        }
        requests.push(request)
        behave(socket, request)
      }
    })
  }

  const server = tls ? createTlsServer(tls, serve).on('tlsClientError', () => {}) : createTcpServer(serve)
  await new Promise<void>((listening) => server.listen(wanted, host, listening))
  const { port } = server.address() as AddressInfo
  return {
    port,
    url: `${tls ? 'https' : 'http'}://${host.includes(':') ? `[${host}]` : host}:${port}/hook`,
    requests,
    connections: () => connections,
    open: () => sockets.size,
    async close() {
      for (const socket of sockets) socket.destroy()
      await new Promise((closed) => server.close(closed))
    },
  }
}

/** Sends a valid HTTP reply and leaves the connection open. */
export const answers =
  (status: number, body = '', headers: Record<string, string> = {}): Behaviour =>
  (socket) =>
    socket.write(head(status, { 'content-length': String(Buffer.byteLength(body)), ...headers }) + body)

export const head = (status: number, headers: Record<string, string> = {}) =>
  `HTTP/1.1 ${status} Status\r\n${Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')}\r\n`

/** Writes one piece every `ms` until the pieces run out or the peer disconnects. */
export function drip(socket: Socket, pieces: Iterable<string>, ms: number) {
  const iterator = pieces[Symbol.iterator]()
  const timer = setInterval(() => {
    const next = iterator.next()
    if (next.done || socket.destroyed) clearInterval(timer)
    else socket.write(next.value)
  }, ms)
  socket.on('close', () => clearInterval(timer))
}

function takeRequest(bytes: Buffer) {
  const end = bytes.indexOf('\r\n\r\n')
  if (end < 0) return undefined
  const [first = '', ...lines] = bytes.toString('latin1', 0, end).split('\r\n')
  const [method = '', path = ''] = first.split(' ')
  const headers = Object.fromEntries(
    lines.map((line) => [
      line.slice(0, line.indexOf(':')).toLowerCase(),
      line.slice(line.indexOf(':') + 1).trim(),
    ]),
  )
  const length = Number(headers['content-length'] ?? 0)
  if (bytes.length < end + 4 + length) return undefined
  const body = bytes.subarray(end + 4, end + 4 + length)
  return { request: { method, path, headers, body }, rest: bytes.subarray(end + 4 + length) }
}
