import { gzip, gzipSync } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'

const FROM_BYTES = 1_024
/** Below this the hop to the thread pool costs more than the work. */
const SYNC_BYTES = 16_384

/** onSend: gzip level 1 from 1 KiB, where the caller accepts it. Routes with `compress: false` do not have this hook. */
export function compress(
  request: FastifyRequest,
  reply: FastifyReply,
  payload: unknown,
  done: (error: Error | null, payload?: unknown) => void,
) {
  if (typeof payload !== 'string' || payload.length < FROM_BYTES) return done(null, payload)
  reply.header('Vary', 'Accept-Encoding')
  if (!acceptsGzip(request.headers['accept-encoding'])) return done(null, payload)
  reply.header('Content-Encoding', 'gzip').removeHeader('Content-Length')
  if (payload.length < SYNC_BYTES) done(null, gzipSync(payload, { level: 1 }))
  else gzip(payload, { level: 1 }, done)
}

/** RFC 9110 section 12.5.3, for the one coding offered: named (or `*`) and not refused with q=0. */
export function acceptsGzip(header: string | string[] | undefined): boolean {
  return acceptedCodings(header).has('gzip')
}

const NONE: ReadonlySet<'br' | 'gzip'> = new Set()

/** The codings of `br` and `gzip` that the header accepts. */
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
