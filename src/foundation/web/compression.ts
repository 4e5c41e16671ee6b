import { gzip, gzipSync } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'

const FROM_BYTES = 1_024
/** Below this size the thread pool costs more than the compression itself. */
const SYNC_BYTES = 16_384

/**
 * onSend hook: gzip level 1 from 1 KiB, if the client accepts it. Routes with `compress: false` do not get this hook.
 */
export function compress(
  request: FastifyRequest,
  reply: FastifyReply,
  payload: unknown,
  done: (error: Error | null, payload?: unknown) => void,
) {
  if (typeof payload !== 'string' || payload.length < FROM_BYTES) return done(null, payload)
  addVary(reply, 'Accept-Encoding')
  if (!acceptedCodings(request.headers['accept-encoding']).has('gzip')) return done(null, payload)
  reply.header('Content-Encoding', 'gzip').removeHeader('Content-Length')
  if (payload.length < SYNC_BYTES) done(null, gzipSync(payload, { level: 1 }))
  else gzip(payload, { level: 1 }, done)
}

/** Adds header names to Vary. */
export function addVary(reply: FastifyReply, names: string) {
  const vary = reply.getHeader('Vary')
  reply.header('Vary', vary === undefined ? names : `${String(vary)}, ${names}`)
}

const NONE: ReadonlySet<'br' | 'gzip'> = new Set()

/** Which of `br` and `gzip` the header accepts, by name or `*`, without q=0 (RFC 9110, section 12.5.3). */
export function acceptedCodings(header: string | string[] | undefined): ReadonlySet<'br' | 'gzip'> {
  if (!header) return NONE
  const accepted = new Set<'br' | 'gzip'>()
  const weights = new Map<string, boolean>()
  for (const part of String(header).toLowerCase().split(',')) {
    const [coding = '', ...parameters] = part.split(';').map((text) => text.trim())
    weights.set(coding, !parameters.some((parameter) => /^q=0(\.0{0,3})?$/.test(parameter)))
  }
  for (const coding of ['br', 'gzip'] as const)
    if (weights.get(coding) ?? weights.get('*')) accepted.add(coding)
  return accepted
}
