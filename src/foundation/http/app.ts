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
import type { Span } from '../tracing/tracing.ts'

export type App = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * Who may call. A route without it stops the start. `optional`: public, but a valid token is used. `connection`: the
     * directory of an enterprise connection, by its SCIM token.
     */
    auth?: 'public' | 'optional' | 'site' | 'user' | 'admin' | 'site_or_admin' | 'connection'
    /** The permission a Bearer token needs. A route that requires a token and does not set it stops the start. */
    permission?: Needed
    /** Requires a first-party token. The value is the page on which people with another token do the same. */
    first_party?: string
    /** Answers under every host name, because its callers know this process only by its address. */
    anyHost?: boolean
    /** Answers also while the process stops. */
    whileStopping?: boolean
    /** Not part of the API contract and its tests: assets, descriptions, metrics. */
    operational?: boolean
    /**
     * `auth`: the strict rate limit of the sign-in endpoints. `introspect` and `revoke` have their own. `none`: not
     * counted.
     */
    limit?: 'auth' | 'introspect' | 'revoke' | 'none'
    /** Belongs to sign-in, so an overloaded process refuses it last. */
    urgent?: boolean
    /** False if a response contains a secret beside text of the request (BREACH). */
    compress?: boolean
    /** A list with an ETag, answered with 304 to who has it. */
    conditional?: true
    /** The route will be removed. Its responses give the date, and too short a notice stops the start. */
    deprecated?: Deprecation
    /** The Allow header of a 405 route, which answers for methods that the path does not have. */
    allow?: string
    /** Renders a refusal as an HTML page, on routes that people open in a browser; may set headers. */
    errorPage?: (error: ApiError, request: FastifyRequest, reply: FastifyReply) => string
    /** Field errors beyond the schema, checked even when the shape is wrong, so that all are reported at once. */
    faultsOf?: (body: unknown, request: FastifyRequest) => FieldError[] | Promise<FieldError[]>
    /** Extra members of an error body, beside those of the service. */
    errorBody?: (error: ApiError) => object
    /** Path parameters that are ids: a malformed one is 404 before any query. */
    ids?: string[]
  }
  interface FastifyInstance {
    /** Call it once after all routes are declared: other methods of their paths then answer 405 with `Allow`. */
    refuseOtherMethods: () => void
    /** Every route as declared, for the tests that compare routes with the contract. */
    declaredRoutes: DeclaredRoute[]
  }
  interface FastifyRequest {
    caller: Caller | undefined
    site: Site | undefined
    /** The client address for limits and sessions: from the socket, a trusted proxy or a trusted partner. */
    clientIp: string
    /** The client that this request is counted for as in progress. */
    countedFor: string | undefined
    /** True when the token came from the cookie, so that CSRF protection applies. */
    usesCookie: boolean
    mayHoldOddText: boolean
    startedAt: number
    /** Empty if the request belongs to no trace. */
    trace_id: string
    span: Span | undefined
    /** The route's config, kept here because Fastify builds `routeOptions` anew on every access. */
    policy: FastifyContextConfig & { url?: string }
  }
}

export type AppOptions = AdmissionOptions & {
  service: keyof typeof errorFaces
  version: string
  log: Logger
  metrics: HttpMetrics
  /** Host names the service answers under; any other is 421. */
  isOwnHost: IsOwnHost
  /** CIDR ranges of proxies whose X-Forwarded-For is trusted; if empty, the socket address counts. */
  trustedProxies: string[]
  /** Cache-Control of every response unless the route sets another. */
  cacheControl?: 'no-store' | 'private, no-store'
  /** The service is reached by https, so responses carry Strict-Transport-Security. */
  isHttps?: boolean
  /** Origins whose pages may read the responses, without credentials; if empty, no CORS header is sent. */
  corsOrigins?: readonly string[]
  /** Whether a text may be stored; other text is 422. */
  isText: (text: string) => boolean
  /** Multiplies the time limits of requests; 1 unless set. */
  patience?: number
}

export type DeclaredRoute = {
  method: string
  url: string
  config: FastifyContextConfig
  schema: FastifySchema
}
