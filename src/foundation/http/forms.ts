import { isUtf8 } from 'node:buffer'
import { ApiError, badRequest } from '../errors.ts'
import type { App } from './http.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * The body may also be a form. Elsewhere a form is 415, because browsers post forms across sites without a
     * preflight.
     */
    form?: boolean
  }
}

/** Several times more than any of our forms has. */
const MAX_FIELDS = 100

/**
 * Parses `application/x-www-form-urlencoded` bodies into flat objects of text. A repeated field is 400 (RFC 6749, 3.1).
 */
export function readForms(app: App) {
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'buffer' },
    (request, body: Buffer, done) => {
      if (!request.routeOptions.config.form)
        return done(new ApiError(415, 'unsupported_media_type', 'Content-Type must be application/json'))
      if (!isUtf8(body)) return done(badRequest('malformed_body', 'The body is not UTF-8'))
      if (hasMoreFields(body))
        return done(badRequest('malformed_body', `A form has at most ${MAX_FIELDS} fields`))
      const fields = new URLSearchParams(body.toString())
      const names = [...fields.keys()]
      if (new Set(names).size < names.length)
        return done(badRequest('malformed_body', 'A field is given more than once'))
      // A form can encode any character, including control characters.
      request.mayHoldOddText = true
      return done(null, Object.fromEntries(fields))
    },
  )
}

function hasMoreFields(body: Buffer): boolean {
  let count = 1
  for (let at = body.indexOf('&'); at >= 0; at = body.indexOf('&', at + 1))
    if (++count > MAX_FIELDS) return true
  return false
}
