import type { FastifyInstance } from 'fastify'

const METHODS = 'GET, POST, PUT, PATCH, DELETE'
const HEADERS = 'Authorization, Content-Type, If-Match, Idempotency-Key'
const EXPOSED =
  'ETag, Location, Retry-After, X-Request-Id, Idempotency-Replayed, Content-Disposition, RateLimit, RateLimit-Policy'

/**
 * Lets pages of these origins read responses (Fetch standard, CORS protocol), without credentials: services that use
 * this accept no cookie. Preflights are answered before rate limits and authentication, because browsers send them
 * without a token.
 */
export function answerPreflights(app: FastifyInstance, origins: readonly string[]) {
  app.addHook('onRequest', (request, reply, done) => {
    const { origin } = request.headers
    // A cache must not serve the response to another origin.
    reply.header('Vary', 'Origin')
    if (origin === undefined || !origins.includes(origin)) return done()
    reply.header('Access-Control-Allow-Origin', origin)
    if (request.method !== 'OPTIONS' || request.headers['access-control-request-method'] === undefined) {
      reply.header('Access-Control-Expose-Headers', EXPOSED)
      return done()
    }
    reply
      .code(204)
      .headers({
        'Access-Control-Allow-Methods': METHODS,
        'Access-Control-Allow-Headers': HEADERS,
        'Access-Control-Max-Age': '600',
      })
      .send()
  })
}
