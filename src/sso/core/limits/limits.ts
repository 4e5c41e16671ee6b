import type { FastifyContextConfig as Policy, FastifyRequest } from 'fastify'
import type { Config } from '#foundation/settings/config.ts'
import type { Bucket } from '#foundation/rate-limit/limiter.ts'
import { limitKey } from '#foundation/rate-limit/address-key.ts'
import type { Site } from '#foundation/security/session-gate.ts'
import { pageBucketsWith } from './page-limits.ts'

const MAX_FAILURES = 300
/** A partner may introspect a token on every request it serves, so this limit is a multiple of the normal one. */
const INTROSPECTIONS_PER_CALL = 100
/** Entra ID sends up to 25 calls a second while it provisions a tenant for the first time. */
const DIRECTORY_CALLS = 25

/**
 * The rate limit buckets of a request: the address after failed authentication; the address on sign-in endpoints,
 * whether or not the site key is valid; address and browser on hosted pages; then the site or the person.
 */
export const bucketsWith = (config: Config) => {
  const { SSO_RATE_LIMIT_SITE, SSO_RATE_LIMIT_AUTH } = config
  const pageBuckets = pageBucketsWith(config)
  return (request: FastifyRequest, failed: boolean): Bucket[] => {
    const { site, caller, directory, policy } = request
    const buckets = pageBuckets(request)
    if (policy.limit === 'auth' && buckets.length === 0) {
      buckets.push(authBucket(SSO_RATE_LIMIT_AUTH, request.clientIp))
      // A trusted partner names its visitor's address. The partner's own address counts as well, to bound the damage of
      // a stolen key.
      if (request.clientIp !== request.ip && SSO_RATE_LIMIT_AUTH > 0)
        buckets.push({ name: 'auth_socket', key: limitKey(request.ip), limit: SSO_RATE_LIMIT_AUTH * 10 })
    }
    if (failed && SSO_RATE_LIMIT_AUTH > 0) buckets.push(failureBucket(request.ip))
    if (site) buckets.push(...siteBuckets(site, policy.limit, SSO_RATE_LIMIT_SITE))
    else if (caller) buckets.push({ name: 'user', key: caller.user_id, limit: SSO_RATE_LIMIT_SITE })
    else if (directory)
      buckets.push({
        name: 'scim',
        key: directory.connection_id,
        limit: SSO_RATE_LIMIT_SITE * DIRECTORY_CALLS,
      })
    return buckets
  }
}

/** Refused credentials per address. */
export const failureBucket = (address: string): Bucket => ({
  name: 'auth_fail',
  key: limitKey(address),
  limit: MAX_FAILURES,
})

/**
 * First-party sites serve people of every site, so their introspection volume says nothing about abuse and is not
 * limited.
 */
function siteBuckets({ site_id, is_first_party }: Site, route: Policy['limit'], limit: number): Bucket[] {
  if (route !== 'introspect') return [{ name: route === 'revoke' ? 'revoke' : 'site', key: site_id, limit }]
  if (is_first_party) return []
  return [{ name: 'introspect', key: site_id, limit: limit * INTROSPECTIONS_PER_CALL }]
}

/** Sign-in attempts per address, across all endpoints. */
export const authBucket = (limit: number, address: string): Bucket => ({
  name: 'auth',
  key: limitKey(address),
  limit,
})
