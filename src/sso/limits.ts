import type { FastifyRequest } from 'fastify'
import type { Config } from '#foundation/config.ts'
import type { Bucket } from '#foundation/rate-limit/limiter.ts'
import { limitKey } from '#foundation/rate-limit/address-key.ts'

const MAX_FAILURES = 300

/**
 * Which limits a request counts against: the address that failed to identify itself; the address on the
 * sign-in endpoints, good key or bad; then the site or the person.
 */
export const bucketsWith =
  ({ SSO_RATE_LIMIT_SITE, SSO_RATE_LIMIT_AUTH }: Config) =>
  (request: FastifyRequest, failed: boolean): Bucket[] => {
    const { site, caller, policy } = request
    const buckets: Bucket[] = []
    if (policy.limit === 'auth') buckets.push(authBucket(SSO_RATE_LIMIT_AUTH, request.clientIp))
    if (failed && SSO_RATE_LIMIT_AUTH > 0)
      buckets.push({ name: 'auth_fail', key: limitKey(request.ip), limit: MAX_FAILURES })
    if (site) buckets.push({ name: 'site', key: site.site_id, limit: SSO_RATE_LIMIT_SITE })
    else if (caller) buckets.push({ name: 'user', key: caller.user_id, limit: SSO_RATE_LIMIT_SITE })
    return buckets
  }

/** Sign-in attempts of one address, wherever they come in. */
export const authBucket = (limit: number, address: string): Bucket => ({
  name: 'auth',
  key: limitKey(address),
  limit,
})
