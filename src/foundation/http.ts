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
} from 'fastify'
import { type AdmissionOptions, admit, readmit } from './admission.ts'
import { answerEarly, type EarlyRoute } from './early-answers.ts'
import type { Deprecation } from './deprecation.ts'
import { answerPreflights } from './cors.ts'
import { drain, isSending } from './drain.ts'
import { type ErrorFace, errorFaces } from './error-faces.ts'
import { type ApiError, type FieldError, notFound } from './errors.ts'
import { type IsOwnHost, judgeHead, readTarget } from './hosts.ts'
import { newRequestId } from './ids.ts'
import { readAsJson, readJson } from './json-body.ts'
import type { Logger } from './log.ts'
import type { HttpMetrics } from './metrics.ts'
import type { Needed } from './powers.ts'
import {
  isTooSlow,
  reasonOf,
  refusalOf,
  refuseExpectation,
  refuseMalformedRequest,
  tooSlow,
} from './refusals.ts'
import { createRecorder } from './request-record.ts'
import { declareRoute, SECURITY_SCHEMES } from './route-rules.ts'
import { compileSerializer, compileValidator } from './schema-compilers.ts'
import type { Caller, Site } from './session-gate.ts'
import { noteBegin, noteEnd } from './watchdog.ts'

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
    auth?: 'public' | 'optional' | 'site' | 'user' | 'admin' | 'site_or_admin'
    /** What a Bearer token must be allowed. A route that demands a token and does not say so stops the start. */
    permission?: Needed
    /** Needs a token of a first-party site; the page on which people do the same, for everybody else. */
    first_party?: string
    /** Answers under every host name, because its answer is for programs that know this process by its address only. */
    anyHost?: boolean
    /** Lies outside the contract and its comparison: assets, descriptions, metrics. */
    operational?: boolean
    /** `auth`: the strict bucket of the sign-in endpoints; the next two have buckets of their own. `none`: not counted. */
    limit?: 'auth' | 'introspect' | 'revoke' | 'none'
    /** False where a reply carries a secret beside text of the request (BREACH). */
    compress?: boolean
    /** Will be removed; its answers say when, and the start refuses too short a notice. */
    deprecated?: Deprecation
    /** Set on the route that answers for methods this path does not have. */
    allow?: string
    /** Words a refusal as an HTML page, on routes that people meet in a browser; may set headers. */
    errorPage?: (error: ApiError, request: FastifyRequest, reply: FastifyReply) => string
    /** What is wrong with fields of a body whose shape may be wrong as well, so that all faults are told at once. */
    faultsOf?: (body: unknown, request: FastifyRequest) => FieldError[] | Promise<FieldError[]>
    /** Members that stand in the body of a refusal beside the service's own. */
    errorBody?: (error: ApiError) => object
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
  /** Under which host names the service answers; every other one is 421. */
  isOwnHost: IsOwnHost
  /** CIDR ranges whose X-Forwarded-For is believed; none: the socket address counts. */
  trustedProxies: string[]
  /** A public GET that memory alone may answer, before the framework. */
  early?: EarlyRoute
  /** What stands on every answer unless the route says otherwise. */
  cacheControl?: 'no-store' | 'private, no-store'
  /** The service is reached by https, so browsers are told to stay with it. */
  isHttps?: boolean
  /** Origins whose pages may read the answers, without credentials; none: no CORS header is ever sent. */
  corsOrigins?: readonly string[]
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
 * ids of the path (404), body and query (400, 413, 415, 422), once more who calls where the body came late (401), the
 * handler, the response schema, compression.
 */
export async function createApp(options: AppOptions): Promise<App> {
  const { service, version, log, database, metrics } = options
  const face: ErrorFace = errorFaces[service]
  const app: App = fastify({
    logger: false,
    genReqId: newRequestId,
    rewriteUrl: readTarget,
    trustProxy: options.trustedProxies.length > 0 ? options.trustedProxies : false,
    bodyLimit: 1_048_576,
    // Uploads may take as long as this; every other write is bounded by its handlerTimeout (route-rules.ts).
    requestTimeout: 120_000,
    connectionTimeout: 60_000,
    keepAliveTimeout: 60_000,
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    onProtoPoisoning: 'error',
    onConstructorPoisoning: 'error',
    // As long as a request line can be: whatever stands in the path of an id, it is an unknown one (404), not a 414.
    routerOptions: { maxParamLength: 16_384 },
    // A missing Host is refused by judgeHead, because Node's own refusal has no body.
    http: { requireHostHeader: false, headersTimeout: 30_000 },
    frameworkErrors: (error, request, reply) => {
      void answerError(error, request as FastifyRequest, reply as FastifyReply)
    },
    clientErrorHandler: refuseMalformedRequest(face),
  }).withTypeProvider<TypeBoxTypeProvider>()

  app.server.on('checkExpectation', refuseExpectation(face))
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

  const readmitCaller = (request: FastifyRequest, _: FastifyReply, done: (error?: Error) => void) => {
    let later: Promise<void> | void
    try {
      later = readmit(request, options)
    } catch (error) {
      return done(error as Error)
    }
    if (!later) return done()
    later.then(() => done(), done)
  }
  const routes = new Map<string, string[]>()
  app.decorate('declaredRoutes', [])
  app.addHook('onRoute', (route) => {
    if (route.config?.allow !== undefined) return
    declareRoute(route, face, options.isText)
    const methods = [route.method].flat() as string[]
    if (methods.some((method) => method !== 'GET' && method !== 'HEAD'))
      route.preHandler = [route.preHandler ?? [], readmitCaller].flat()
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

  const always = headersOf(options)
  // Hooks with `done`, not async ones: a promise per hook and request costs more than what these do.
  app.addHook('onRequest', (request, _, done) => {
    request.startedAt = performance.now()
    request.policy = request.routeOptions.config
    noteBegin(request.raw, `${service} ${request.method} ${request.policy.url ?? ''}`)
    if (request.method !== 'GET') readAsJson(request)
    try {
      judgeHead(request.raw, options.isOwnHost, request.policy.anyHost === true)
    } catch (error) {
      return done(error as Error)
    }
    done()
  })
  if (options.corsOrigins?.length) answerPreflights(app, options.corsOrigins)
  app.addHook('onRequest', (request, reply, done) => {
    let later: Promise<void> | void
    try {
      later = admit(request, reply, options)
    } catch (error) {
      return done(error as Error)
    }
    if (!later) return go(request, reply, done)
    later.then(() => go(request, reply, done), done)
  })
  const record = createRecorder(log, service, metrics)
  // Not onResponse: listeners on every response cost more than the line they lead to.
  app.addHook('onSend', (request, reply, _payload, done) => {
    record(request, reply.statusCode)
    noteEnd(request.raw)
    done()
  })

  const stamp = (request: FastifyRequest, reply: FastifyReply) =>
    reply.headers(always).header('X-Request-Id', request.id)

  function go(request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void) {
    stamp(request, reply)
    done()
  }

  const { early, trustedProxies } = options
  // Behind a proxy the framework alone knows who calls and under which address.
  if (early && trustedProxies.length === 0) answerEarly(app.server, { ...options, early, always, record })

  app.setNotFoundHandler(() => {
    throw notFound()
  })
  app.setErrorHandler((error, request, reply) => {
    // Whoever is too slow has had the time; nothing more is waited for.
    if (!isSending(request.raw) || isTooSlow(error, request.raw)) return answerError(error, request, reply)
    void drain(request.raw).then(() => answerError(error, request, reply))
    return undefined
  })

  function answerError(error: unknown, request: FastifyRequest, reply: FastifyReply) {
    const { faultsOf } = request.policy ?? {}
    if (!faultsOf || (error as FastifyError).validationContext !== 'body')
      return refuse(error, request, reply)
    return Promise.resolve(faultsOf(request.body, request)).then(
      (faults) => refuse(error, request, reply, faults),
      (other: unknown) => refuse(other, request, reply),
    )
  }

  function refuse(error: unknown, request: FastifyRequest, reply: FastifyReply, others?: FieldError[]) {
    const refusal = isTooSlow(error, request.raw) ? tooSlow() : refusalOf(error, face, database, others)
    if (refusal.status >= 500) {
      const { code, cause } = refusal
      const facts = { request_id: request.id, service, route: request.routeOptions?.url, code }
      // What is refused by design is no fault of the code, so it needs no stack.
      if (refusal.status === 500) log.error({ ...facts, err: cause ?? error })
      else log.warn({ ...facts, reason: reasonOf(cause) }, refusal.detail)
    }
    reply.headers(refusal.headers)
    stamp(request, reply).code(refusal.status).header('Cache-Control', 'no-store')
    // What the framework refuses before routing has no policy.
    const { errorPage } = request.policy ?? {}
    if (errorPage) return reply.type('text/html; charset=utf-8').send(errorPage(refusal, request, reply))
    const { errorBody } = request.policy ?? {}
    return reply
      .type('application/json; charset=utf-8')
      .send({ ...errorBody?.(refusal), ...face.body(refusal, request.id) })
  }
  return app
}

const headersOf = ({ cacheControl = 'no-store', isHttps = false }: AppOptions) => ({
  'cache-control': cacheControl,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  ...(isHttps && { 'strict-transport-security': 'max-age=31536000' }),
})

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
