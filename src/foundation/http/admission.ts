import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Database } from '../database/database.ts'
import { ApiError, forbidden, notFound, unavailable } from '../errors.ts'
import { isUuid } from '../ids.ts'
import { holds, isClient, isSiteAdmin, requireFirstParty } from '../security/powers.ts'
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
  /** Finds out who calls, as the route's `auth` demands. Throws 401. May set clientIp and usesCookie. */
  identify: (request: FastifyRequest) => Promise<void>
  /** The limits this request counts against. `failed`: the credential was refused. */
  bucketsOf: (request: FastifyRequest, failed: boolean) => Bucket[]
  /** Hears of every request that a limit refused. */
  noteLimited?: (request: FastifyRequest, verdict: Verdict) => void
  /** The address of the pages that do what only a first-party token may. */
  accountAddress?: () => string
  /** Refuses a forged request of a browser (learning). */
  guardCsrf?: (request: FastifyRequest) => void
}

/**
 * Whether a request is let in: who calls (401), every limit that counts (429), forged or too weak (403), ids of the
 * path (404).
 */
export async function admit(
  request: FastifyRequest,
  reply: FastifyReply,
  options: AdmissionOptions,
): Promise<void> {
  const { policy } = request
  if (policy.allow !== undefined) throw methodNotAllowed(policy.allow)
  if (options.isStopping()) throw unavailable('stopping', 'The service is stopping')
  request.clientIp = request.ip
  // Without a declaration it is no route at all: an unknown path.
  if (policy.auth === 'public' || policy.auth === undefined) return count(request, reply, options)
  // Without a token an `optional` route may touch no database at all: /api/info of learning is its liveness check.
  if (policy.auth !== 'optional' && !options.database.isAvailable())
    throw unavailable('database_unavailable', 'The database does not answer')
  const failure = await options.identify(request).then(
    () => undefined,
    (error: unknown) => asFailure(error, request),
  )
  return count(request, reply, options, failure)
}

/** Milliseconds within which a body arrives that was sent with its headers. */
const PROMPT = 100

/**
 * Whoever held a body back may have been shut out since they were let in: a session that ended, an account suspended, a
 * site key deleted. Asks for them once more where it came late. Limits count a request once.
 */
export async function readmit(
  request: FastifyRequest,
  { identify }: Pick<AdmissionOptions, 'identify'>,
): Promise<void> {
  const { auth } = request.policy
  if (auth === 'public' || auth === 'optional' || performance.now() - request.startedAt < PROMPT) return
  return identify(request)
}

/** A refused credential still counts against the limits before it is answered; every other error ends the request. */
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
  // The back end of a site has no role: the permission of the route decides.
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
    // The one spelling that the database gives back: whatever is kept in memory by id is found and forgotten by it.
    params[name] = id.toLowerCase()
  }
}

const methodNotAllowed = (allow: string) =>
  new ApiError(405, 'method_not_allowed', 'This path has no such method', { headers: { Allow: allow } })
