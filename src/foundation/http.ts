import { isUtf8 } from 'node:buffer'
import { randomUUID } from 'node:crypto'
import type { Socket } from 'node:net'
import swagger from '@fastify/swagger'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import fastify, {
  type FastifyBaseLogger,
  type FastifyContextConfig,
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type FastifySchema,
  type RawReplyDefaultExpression,
  type RawRequestDefaultExpression,
  type RawServerDefault,
  type RouteOptions,
} from 'fastify'
import { Type } from 'typebox'
import { type AdmissionOptions, admit } from './admission.ts'
import { compress } from './compression.ts'
import { type Database, isTimeout } from './database.ts'
import { type ErrorFace, errorFaces, frameworkError, validationError } from './error-faces.ts'
import { ApiError, notFound, unavailable, unprocessable } from './errors.ts'
import type { Logger } from './log.ts'
import type { HttpMetrics } from './metrics.ts'
import { coerceQuery, compileSerializer, compileValidator } from './schema-compilers.ts'
import type { Caller, Site } from './session-gate.ts'
import { findString } from './text.ts'

export type App = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Who may call. A route that does not say so stops the start. `optional`: public, but a valid token is looked at. */
    auth?: 'public' | 'optional' | 'site' | 'user' | 'admin'
    /** Lies outside the contract and its comparison: assets, descriptions, metrics. */
    operational?: boolean
    /** `auth`: the strict bucket of the sign-in endpoints. `none`: not counted. */
    limit?: 'auth' | 'none'
    /** False where a reply carries a secret beside text of the request (BREACH). */
    compress?: boolean
    /** Set on the route that answers for methods this path does not have. */
    allow?: string
    /** Path parameters that are ids: a malformed one is 404 before anything is read. */
    ids?: string[]
  }
  interface FastifyInstance {
    /** Called once all routes stand: every other method of their paths answers 405 with `Allow`. */
    refuseOtherMethods: () => void
    /** Every route as it was declared, for the tests that hold contract and routes together. */
    declaredRoutes: DeclaredRoute[]
  }
  interface FastifyRequest {
    caller: Caller | undefined
    site: Site | undefined
    /** The address that limits and sessions use: the socket's, a vetted proxy's, or a trusted partner's word. */
    clientIp: string
    /** True when the token came from the cookie, so that CSRF protection applies. */
    usesCookie: boolean
    mayHoldOddText: boolean
    startedAt: number
    /** What the route declares; kept here because Fastify builds `routeOptions` anew at every look. */
    policy: FastifyContextConfig & { url?: string }
  }
}

export type AppOptions = AdmissionOptions & {
  service: keyof typeof errorFaces
  version: string
  log: Logger
  metrics: HttpMetrics
  /** CIDR ranges whose X-Forwarded-For is believed; none: the socket address counts. */
  trustedProxies: string[]
  /** Which text may be stored; the rest is 422. */
  isText: (text: string) => boolean
}

export type DeclaredRoute = {
  method: string
  url: string
  config: FastifyContextConfig
  schema: FastifySchema
}

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const

/**
 * One service's HTTP server. The order of every request: who calls (401), limits (429), forged or too weak (403),
 * ids of the path (404), body and query (400, 413, 415, 422), the handler, the response schema, compression.
 */
export async function createApp(options: AppOptions): Promise<App> {
  const { service, version, log, database, metrics } = options
  const face: ErrorFace = errorFaces[service]
  const app: App = fastify({
    logger: false,
    genReqId: () => randomUUID(),
    trustProxy: options.trustedProxies.length > 0 ? options.trustedProxies : false,
    bodyLimit: 1_048_576,
    requestTimeout: 30_000,
    connectionTimeout: 60_000,
    keepAliveTimeout: 60_000,
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    onProtoPoisoning: 'error',
    onConstructorPoisoning: 'error',
    // As long as a request line can be: whatever stands in the path of an id, it is an unknown one (404), not a 414.
    routerOptions: { maxParamLength: 16_384 },
    // A missing Host is refused below, because Node's own refusal has no body.
    http: { requireHostHeader: false },
    frameworkErrors: (error, request, reply) => {
      void answerError(error, request as FastifyRequest, reply as FastifyReply)
    },
    clientErrorHandler: refuseMalformedRequest(face),
  }).withTypeProvider<TypeBoxTypeProvider>()

  app.decorateRequest('caller', undefined)
  app.decorateRequest('site', undefined)
  app.decorateRequest('clientIp', '')
  app.decorateRequest('usesCookie', false)
  app.decorateRequest('mayHoldOddText', false)
  app.decorateRequest('startedAt', 0)
  app.decorateRequest('policy')

  app.setValidatorCompiler(compileValidator)
  app.setSerializerCompiler(compileSerializer)
  readJson(app)

  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: { title: `Lyceum ${service}`, version },
      components: { securitySchemes: SECURITY_SCHEMES },
    },
    hideUntagged: false,
  })

  const routes = new Map<string, string[]>()
  app.decorate('declaredRoutes', [])
  app.addHook('onRoute', (route) => {
    if (route.config?.allow !== undefined) return
    declareRoute(route, face, options.isText)
    const methods = [route.method].flat() as string[]
    for (const method of methods)
      if (method !== 'HEAD')
        app.declaredRoutes.push({
          method,
          url: route.url,
          config: route.config ?? {},
          schema: route.schema ?? {},
        })
    routes.set(route.url, [...(routes.get(route.url) ?? []), ...methods])
  })
  app.decorate('refuseOtherMethods', () => {
    for (const [url, methods] of routes) {
      const missing = METHODS.filter((method) => !methods.includes(method))
      const allow = methods.join(', ')
      app.route({
        method: missing,
        url,
        config: { auth: 'public', allow, operational: true },
        schema: { hide: true },
        handler: () => {},
      })
    }
  })

  // Hooks with `done`, not async ones: a promise per hook and request costs more than what these do.
  app.addHook('onRequest', (request, reply, done) => {
    request.startedAt = performance.now()
    request.policy = request.routeOptions.config
    reply.header('X-Request-Id', request.id)
    if (request.method !== 'GET') readAsJson(request)
    let later: Promise<void> | void
    try {
      if (request.headers.host === undefined && request.raw.httpVersion === '1.1') throw hostMissing()
      later = admit(request, reply, options)
    } catch (error) {
      return done(error as Error)
    }
    if (!later) return done()
    later.then(() => done(), done)
  })
  const requestLog = log.child({ service }, { redact: [] })
  app.addHook('onResponse', (request, reply, done) => {
    const ms = performance.now() - request.startedAt
    const { caller, site, policy, method } = request
    const { statusCode: status } = reply
    const route = policy.url ?? ''
    metrics.observe(method, route, status, ms)
    const site_id = site?.site_id ?? caller?.site_id
    requestLog.info({
      request_id: request.id,
      method,
      route,
      status,
      ms: Math.round(ms * 100) / 100,
      user_id: caller?.user_id,
      site_id,
    })
    done()
  })

  app.setNotFoundHandler(() => {
    throw notFound()
  })
  app.setErrorHandler(answerError)

  function answerError(error: unknown, request: FastifyRequest, reply: FastifyReply) {
    const refusal = refusalOf(error, face, database)
    if (refusal.status >= 500)
      log.error({
        request_id: request.id,
        service,
        route: request.routeOptions?.url,
        code: refusal.code,
        err: refusal.cause ?? error,
      })
    for (const [name, value] of Object.entries(refusal.headers)) reply.header(name, value)
    return reply
      .code(refusal.status)
      .header('Cache-Control', 'no-store')
      .type('application/json; charset=utf-8')
      .send(face.body(refusal, request.id))
  }
  return app
}

/** The signed-in person of a route with auth `user` or `admin`. */
export function callerOf({ caller }: FastifyRequest): Caller {
  if (!caller) throw new Error('the route does not demand a caller')
  return caller
}

/** The partner site of a route with auth `site`. */
export function siteOf({ site }: FastifyRequest): Site {
  if (!site) throw new Error('the route does not demand a site')
  return site
}

function declareRoute(route: RouteOptions, face: ErrorFace, isText: AppOptions['isText']) {
  const methods = [route.method].flat().join(',')
  if (!route.config?.auth) throw new Error(`${methods} ${route.url} does not say who may call it`)
  const schema = (route.schema ??= {})
  schema.security ??= SECURITY[route.config.auth]
  const params = schema.params as { properties?: Record<string, { format?: string }> } | undefined
  const ids = Object.entries(params?.properties ?? {}).flatMap(([name, { format }]) =>
    format === 'uuid' ? [name] : [],
  )
  if (ids.length > 0) route.config.ids = ids
  const errors = face === errorFaces.learning ? LearningError : CodedError
  schema.response = { ...(schema.response as object | undefined), '4xx': errors, '5xx': errors }
  if (schema.body || schema.querystring) route.preValidation = checkText(isText)
  if (route.config.compress !== false) route.onSend = compress
  // A timer per request is affordable where a commit follows anyway; reads are bounded by the lane's statement_timeout.
  if (!/^(GET|HEAD)/.test(methods)) route.handlerTimeout ??= 30_000
}

/** How the OpenAPI description tells who may call. */
const SECURITY_SCHEMES = {
  bearer: { type: 'http', scheme: 'bearer' },
  site_key: { type: 'apiKey', in: 'header', name: 'X-SSO-Site-Key' },
} as const
const SECURITY: Record<NonNullable<FastifyContextConfig['auth']>, Record<string, string[]>[]> = {
  public: [],
  optional: [{}, { bearer: [] }],
  site: [{ site_key: [] }],
  user: [{ bearer: [] }],
  admin: [{ bearer: [] }],
}

/** Text that may not be stored is 422, wherever in query or body it stands. */
const checkText =
  (isText: AppOptions['isText']) =>
  (request: FastifyRequest, _: FastifyReply, done: (error?: Error) => void) => {
    coerceQuery(request)
    const isOdd = (text: string) => !isText(text)
    const place =
      (request.mayHoldOddText ? findString(request.body, isOdd) : undefined) ??
      findString(request.query, isOdd)
    done(
      place === undefined
        ? undefined
        : unprocessable(place || 'body', 'invalid_character', 'contains a character that is not allowed'),
    )
  }

const LearningError = Type.Object({ detail: Type.String() })
const CodedError = Type.Object({
  detail: Type.String(),
  request_id: Type.String({ format: 'uuid' }),
  code: Type.String(),
  errors: Type.Optional(
    Type.Array(Type.Object({ field: Type.String(), code: Type.String(), message: Type.String() })),
  ),
})

function refusalOf(error: unknown, face: ErrorFace, database: Database): ApiError {
  if (error instanceof ApiError) return error
  if (database.noteFailure(error))
    return unavailable('database_unavailable', 'The database does not answer', 1, error)
  if (isTimeout(error)) return unavailable('busy', 'The database took too long', 1, error)
  const known = error as FastifyError
  if (known.validation) return validationError(face, known.validation)
  return frameworkError(known) ?? new ApiError(500, 'internal', 'Internal server error', { cause: error })
}

/** JSON bodies: UTF-8 or 400, an empty body is no body, and a missing Content-Type is read as JSON. */
function readJson(app: App) {
  app.removeAllContentTypeParsers()
  const parse = app.getDefaultJsonParser('error', 'error')
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body: Buffer, done) => {
    if (body.length === 0) done(null, undefined)
    else if (!isUtf8(body)) done(new ApiError(400, 'malformed_json', 'The body is not UTF-8'), undefined)
    else {
      const text = body.toString('utf8')
      request.mayHoldOddText = ODD_ESCAPE.test(text)
      void parse(request, text, done)
    }
  })
}

function readAsJson({ headers }: FastifyRequest) {
  const hasBody = headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0'
  if (hasBody && headers['content-type'] === undefined) headers['content-type'] = 'application/json'
}

/** Only through these can a control character or half a surrogate pair stand in valid JSON. */
const ODD_ESCAPE = /\\[ubf]|\x7f/

/** RFC 9112, section 3.2. */
const hostMissing = () =>
  new ApiError(400, 'bad_request', 'The request names no Host', { headers: { Connection: 'close' } })

/** What Node's parser refuses before a request exists. */
const refuseMalformedRequest = (face: ErrorFace) => (error: Error & { code?: string }, socket: Socket) => {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy(error)
    return
  }
  const [status, reason] =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? [431, 'Request Header Fields Too Large']
      : error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? [408, 'Request Timeout']
        : [400, 'Bad Request']
  const body = JSON.stringify(
    face.body(new ApiError(status as number, 'bad_request', reason as string), randomUUID()),
  )
  socket.end(
    `HTTP/1.1 ${status} ${reason}\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  )
}
