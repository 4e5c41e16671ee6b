import swagger from '@fastify/swagger'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import fastify, { type FastifyReply, type FastifyRequest } from 'fastify'
import { admit, readmit } from './admission.ts'
import { createErrorAnswers } from './answer-error.ts'
import type { App, AppOptions } from './app.ts'
import { answerPreflights } from '../web/cors.ts'
import { type ErrorFace, errorFaces } from './error-faces.ts'
import { notFound } from '../errors.ts'
import { judgeHead, readTarget } from '../web/hosts.ts'
import { newRequestId } from '../ids.ts'
import { readAsJson, readJson } from './json-body.ts'
import { refuseExpectation, refuseMalformedRequest } from './refusals.ts'
import { createRecorder } from './request-record.ts'
import { declareRoute, SECURITY_SCHEMES } from './route-rules.ts'
import { compileSerializer, compileValidator } from './schema-compilers.ts'
import { isVisitor, lostPage, withoutSlash } from '../web/lost-page.ts'
import type { Caller, Site } from '../security/session-gate.ts'
import { noteBegin, noteEnd } from '../threads/watchdog.ts'
import { endSpan, traceRequests } from './trace-requests.ts'
import { endUnused } from './unused-connections.ts'

export type { App, AppOptions, DeclaredRoute } from './app.ts'

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const

/**
 * The HTTP server of one service. Order per request: authentication (401), limits (429), CSRF and permissions (403),
 * path ids (404), body and query (400, 413, 415, 422), authentication again if the body came late (401), handler,
 * response schema, compression.
 */
export async function createApp(options: AppOptions): Promise<App> {
  const { service, version, log, metrics } = options
  const face: ErrorFace = errorFaces[service]
  const always = headersOf(options)
  const stamp = (request: FastifyRequest, reply: FastifyReply) =>
    reply.headers(always).header('X-Request-Id', request.id)
  const { answerError, onError } = createErrorAnswers(options, face, stamp)
  const app: App = fastify({
    logger: false,
    genReqId: newRequestId,
    rewriteUrl: readTarget,
    trustProxy: options.trustedProxies.length > 0 ? options.trustedProxies : false,
    bodyLimit: 1_048_576,
    // The time limit for uploads; any other write is bounded by its handlerTimeout (route-rules.ts).
    requestTimeout: 120_000,
    connectionTimeout: 60_000,
    keepAliveTimeout: 60_000,
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    onProtoPoisoning: 'error',
    onConstructorPoisoning: 'error',
    // As long as a request line can be: an overlong id is then an unknown one (404), not a 414.
    routerOptions: { maxParamLength: 16_384 },
    // A missing Host is refused by judgeHead, because Node's own refusal has no body.
    http: { requireHostHeader: false, headersTimeout: 30_000 },
    frameworkErrors: (error, request, reply) => {
      void answerError(error, request as FastifyRequest, reply as FastifyReply)
    },
    clientErrorHandler: refuseMalformedRequest(face),
  }).withTypeProvider<TypeBoxTypeProvider>()

  const endUnusedConnections = endUnused(app.server)
  app.addHook('preClose', async () => endUnusedConnections())
  app.server.on('checkExpectation', refuseExpectation(face))
  app.decorateRequest('caller', undefined)
  app.decorateRequest('site', undefined)
  app.decorateRequest('clientIp', '')
  app.decorateRequest('countedFor', undefined)
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

  collectRoutes(app, face, options)

  traceRequests(app, service)
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
  app.addHook('onRequest', async (request, reply) => {
    await admit(request, reply, options)
    stamp(request, reply)
  })
  const record = createRecorder(log, service, metrics)
  // Not onResponse: a listener on every response costs more than the log line itself.
  app.addHook('onSend', (request, reply, _payload, done) => {
    record(request, reply.statusCode)
    noteEnd(request.raw)
    options.shedding?.leave(request)
    endSpan(request, reply.statusCode)
    done()
  })

  app.setNotFoundHandler(async (request, reply) => {
    if (!isVisitor(request)) throw notFound()
    const address = withoutSlash(request.url)
    if (address !== undefined) return reply.redirect(address, 308)
    request.policy = { ...request.policy, errorPage: (_error, _request, answer) => lostPage(answer) }
    throw notFound()
  })
  app.setErrorHandler(onError)
  return app
}

/** Applies route-rules.ts to every route, and collects the paths for refuseOtherMethods. */
function collectRoutes(app: App, face: ErrorFace, options: AppOptions) {
  const admitAgain = (request: FastifyRequest) => readmit(request, options)
  const routes = new Map<string, string[]>()
  app.decorate('declaredRoutes', [])
  app.addHook('onRoute', (route) => {
    if (route.config?.allow !== undefined) return
    declareRoute(route, face, options.isText, options.patience ?? 1)
    const methods = [route.method].flat() as string[]
    if (methods.some((method) => method !== 'GET' && method !== 'HEAD'))
      route.preHandler = [route.preHandler ?? [], admitAgain].flat()
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
}

const headersOf = ({ cacheControl = 'no-store', isHttps = false }: AppOptions) => ({
  'cache-control': cacheControl,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  ...(isHttps && { 'strict-transport-security': 'max-age=31536000' }),
})

/** The caller on a route with auth `user` or `admin`. */
export function callerOf({ caller }: FastifyRequest): Caller {
  if (!caller) throw new Error('the route does not demand a caller')
  return caller
}

/** The site on a route with auth `site`. */
export function siteOf({ site }: FastifyRequest): Site {
  if (!site) throw new Error('the route does not demand a site')
  return site
}
