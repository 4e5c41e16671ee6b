import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type {
  FastifyBaseLogger,
  FastifyContextConfig,
  FastifyInstance,
  FastifyReply,
  FastifySchema,
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
  RawServerDefault,
} from 'fastify'
import type { AdmissionOptions } from './admission.ts'
import type { Deprecation } from './deprecation.ts'
import type { errorFaces } from './error-faces.ts'
import type { ApiError, FieldError } from '../errors.ts'
import type { IsOwnHost } from '../web/hosts.ts'
import type { Logger } from '../log.ts'
import type { HttpMetrics } from '../metrics.ts'
import type { Needed } from '../security/powers.ts'
import type { Caller, Site } from '../security/session-gate.ts'

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
