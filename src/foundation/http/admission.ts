import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Database } from '../database/database.ts'
import { ApiError, forbidden, notFound, unavailable } from '../errors.ts'
import { isUuid } from '../ids.ts'
import { holds, isClient, isSiteAdmin, requireFirstParty } from '../security/powers.ts'
import type { Shedding } from './shedding.ts'
import {
  type Bucket,
  type Limiter,
  rateLimitHeaders,
  refuseOver,
  type Verdict,
} from '../rate-limit/limiter.ts'

export type AdmissionOptions = {
  database: Database
  limiter: Limiter
  isStopping: () => boolean
  /** Refuses with 503 while this process has more to do than it can. */
  shedding?: Shedding | undefined
  /** Identifies the caller as the route's `auth` requires. Throws 401. May set clientIp and usesCookie. */
  identify: (request: FastifyRequest) => Promise<void>
  /** The rate limits that this request counts against. `failed`: the credential was refused. */
  bucketsOf: (request: FastifyRequest, failed: boolean) => Bucket[]
  /** Called for every request that a rate limit refused. */
  noteLimited?: (request: FastifyRequest, verdict: Verdict) => void
  /** The base address of the pages for actions that need a first-party token. */
  accountAddress?: () => string
  /** Throws if a browser request is forged (learning). */
  guardCsrf?: (request: FastifyRequest) => void
}

/**
 * Admits or refuses a request, in this order: overload (503), authentication (401), rate limits (429), CSRF and permissions (403),
 * malformed ids in the path (404).
 */
export async function admit(
  request: FastifyRequest,
  reply: FastifyReply,
  options: AdmissionOptions,
): Promise<void> {
  const { policy } = request
  if (policy.allow !== undefined) throw methodNotAllowed(policy.allow)
  if (options.isStopping() && !policy.whileStopping) throw unavailable('stopping', 'The service is stopping')
  request.clientIp = request.ip
  options.shedding?.enter(request)
  // A route without `auth` is no declared route, so the path is unknown.
  if (policy.auth === 'public' || policy.auth === undefined) return count(request, reply, options)
  // An `optional` route without a token may need no database: /api/info of learning is its liveness check.
  if (policy.auth !== 'optional' && !options.database.isAvailable())
    throw unavailable('database_unavailable', 'The database does not answer')
  const failure = await options.identify(request).then(
    () => undefined,
    (error: unknown) => asFailure(error, request),
  )
  return count(request, reply, options, failure)
}

/** A body that is sent together with its headers arrives within this time (ms). */
const PROMPT = 100

/**
 * Authenticates again if the body arrived late: meanwhile the session may have ended, the account may have been
 * suspended or the site key deleted. The request is not counted against the limits again.
 */
export async function readmit(
  request: FastifyRequest,
  { identify }: Pick<AdmissionOptions, 'identify'>,
): Promise<void> {
  const { auth } = request.policy
  if (auth === 'public' || auth === 'optional' || performance.now() - request.startedAt < PROMPT) return
  return identify(request)
}

/** A refused credential counts against the limits before it is answered; any other error ends the request. */
function asFailure(error: unknown, { policy }: FastifyRequest): ApiError | undefined {
  if (!(error instanceof ApiError) || error.status !== 401) throw error
  return policy.auth === 'optional' ? undefined : error
}

async function count(
  request: FastifyRequest,
  reply: FastifyReply,
  options: AdmissionOptions,
  failure?: ApiError,
): Promise<void> {
  if (request.policy.limit === 'none') return judge(request, options, failure)
  const buckets = options.bucketsOf(request, failure !== undefined)
  if (buckets.length === 0) return judge(request, options, failure)
  const verdict = await options.limiter.hit(buckets)
  reply.headers(rateLimitHeaders(verdict))
  if (!verdict.admitted) options.noteLimited?.(request, verdict)
  refuseOver(verdict)
  judge(request, options, failure)
}

function judge(
  request: FastifyRequest,
  { guardCsrf, accountAddress }: AdmissionOptions,
  failure: ApiError | undefined,
) {
  const { auth, ids, permission, first_party } = request.policy
  const { caller } = request
  const needsAdmin = auth === 'admin' || (auth === 'site_or_admin' && !request.site)
  if (failure) throw failure
  if (request.usesCookie) guardCsrf?.(request)
  // A machine client has no role, so the route's permission decides.
  if (needsAdmin && !(caller && (isSiteAdmin(caller) || (isClient(caller) && permission !== undefined))))
    throw forbidden('admin_required', 'This needs the role ADMIN')
  if (caller && permission !== undefined && !holds(caller, permission))
    throw forbidden(
      'admin_required',
      `This needs the permission ${[permission].flat().join(' or ')}, which an ADMIN of the site has`,
    )
  if (caller && first_party !== undefined) requireFirstParty(caller, accountAddress?.() ?? '', first_party)
  if (ids === undefined) return
  const params = request.params as Record<string, string>
  for (const name of ids) {
    const id = params[name] ?? ''
    if (!isUuid(id)) throw notFound()
    // Lower case, as the database returns it, so that in-memory entries keyed by id are found and removed.
    params[name] = id.toLowerCase()
  }
}

const methodNotAllowed = (allow: string) =>
  new ApiError(405, 'method_not_allowed', 'This path has no such method', { headers: { Allow: allow } })
