import { isUtf8 } from 'node:buffer'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { ApiError } from '../errors.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The handler gets the raw bytes of a JSON body, because a signature covers them. */
    rawBody?: boolean
  }
}

/** JSON bodies must be UTF-8 (else 400). An empty body is no body. A missing Content-Type means JSON. */
export function readJson(app: FastifyInstance) {
  app.removeAllContentTypeParsers()
  const parse = app.getDefaultJsonParser('error', 'error')
  app.addContentTypeParser(
    ['application/json', 'application/merge-patch+json', 'application/scim+json'],
    { parseAs: 'buffer' },
    (request, body: Buffer, done) => {
      if (body.length === 0) done(null, undefined)
      else if (request.routeOptions.config.rawBody) done(null, body)
      else if (!isUtf8(body)) done(new ApiError(400, 'malformed_json', 'The body is not UTF-8'), undefined)
      else {
        const text = body.toString('utf8')
        request.mayHoldOddText = ODD_ESCAPE.test(text)
        void parse(request, text, (error: Error | null, value?: unknown) => {
          if (error || !isDeeper(value, MAX_DEPTH)) done(error, value)
          else done(new ApiError(400, 'malformed_json', 'The body is too deep or too wide'), undefined)
        })
      }
    },
  )
}

/** The parser has no depth limit, but later code recurses once per level, as does PostgreSQL's jsonb. */
const MAX_DEPTH = 64
/** No route takes more; each further step would walk over all of them. */
const MAX_MEMBERS = 10_000

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (levels === 0) return true
  if (Array.isArray(value)) return value.some((inner) => isDeeper(inner, levels - 1))
  const members = value as Record<string, unknown>
  let count = 0
  for (const key in members) if (++count > MAX_MEMBERS || isDeeper(members[key], levels - 1)) return true
  return false
}

export function readAsJson({ headers }: FastifyRequest) {
  const hasBody = headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0'
  if (hasBody && headers['content-type'] === undefined) headers['content-type'] = 'application/json'
}

/** Only through these can a control character or half a surrogate pair stand in valid JSON. */
const ODD_ESCAPE = /\\[ubf]|\x7f/
