import type { FastifyRequest } from 'fastify'
import type { Config } from '#foundation/settings/config.ts'
import { limitKey } from '#foundation/rate-limit/address-key.ts'
import type { Bucket, Verdict } from '#foundation/rate-limit/limiter.ts'
import type { ServiceParts } from '#foundation/http/service.ts'
import { browserOf } from '../pages/cookies.ts'

const FORMS = 'page_forms'
const VIEWS = 'page_views'
const FEDERATION = /^\/(?:sso|openid)\//

/**
 * A school has one address and many browsers. A form counts per browser, as strictly as an API sign-in per address, and
 * per address with a higher limit, since cookies can be forged. A form without a known browser gets no bucket here and
 * counts like the API. Page views and federation count per address.
 */
export function pageBucketsWith({ SSO_RATE_LIMIT_AUTH, SSO_RATE_LIMIT_PAGES }: Config) {
  return ({ policy, headers, clientIp }: FastifyRequest): Bucket[] => {
    if (SSO_RATE_LIMIT_AUTH === 0) return []
    const isPage = policy.errorPage !== undefined
    const key = limitKey(clientIp)
    if (policy.limit === undefined && (isPage || FEDERATION.test(policy.url ?? '')))
      return [{ name: VIEWS, key, limit: 2 * SSO_RATE_LIMIT_PAGES }]
    const browser = policy.limit === 'auth' && isPage ? browserOf(headers.cookie) : undefined
    if (browser === undefined) return []
    return [
      { name: 'browser', key: `${key}/${browser}`, limit: SSO_RATE_LIMIT_AUTH },
      { name: FORMS, key, limit: SSO_RATE_LIMIT_PAGES },
    ]
  }
}

const MINUTE = 60_000
const MAX_TOLD = 1_000

/**
 * Counts each request that reaches a page limit, and logs its address at most once a minute: it may be a whole school.
 */
export function tellPageLimits({ log, metrics }: Pick<ServiceParts, 'log' | 'metrics'>) {
  const refusals = metrics.counters(
    'lyceum_page_limit_reached_total',
    'Requests of hosted pages and federation that the limit of their address refused',
    'limit',
  )
  const told = new Map<string, number>()
  return ({ clientIp }: FastifyRequest, { buckets }: Verdict): void => {
    const full = buckets.find(({ name, remaining }) => (name === FORMS || name === VIEWS) && remaining === 0)
    if (!full) return
    refusals.inc(full.name)
    const address = limitKey(clientIp)
    const now = performance.now()
    if (now - (told.get(address) ?? -Infinity) < MINUTE) return
    if (told.size >= MAX_TOLD) told.clear()
    told.set(address, now)
    const { name, limit } = full
    log.warn({ address, limit: name, per_minute: limit }, 'an address reached the limit of the hosted pages')
  }
}
