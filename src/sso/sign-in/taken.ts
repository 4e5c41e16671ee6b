import { ApiError } from '#foundation/errors.ts'
import type { Limiter, Verdict } from '#foundation/rate-limit/limiter.ts'
import { takenBucket } from '../limits.ts'
import type { SsoParts } from '../parts.ts'

/**
 * The contract answers 409 to whoever registers an address that is taken, which tells that it has an account. So these
 * answers have a strict limit of their own: whoever got ten of them is told to wait before anything is looked up, and
 * success tells as little as they do.
 */
export function createTakenCount({ config }: Pick<SsoParts, 'config'>, limiter: Limiter) {
  return async <T>(address: string, attempt: () => Promise<T>): Promise<T> => {
    if (config.SSO_RATE_LIMIT_AUTH === 0) return attempt()
    const buckets = [takenBucket(address)]
    refuseOver(await limiter.peek(buckets))
    try {
      return await attempt()
    } catch (error) {
      if (error instanceof ApiError && error.status === 409) refuseOver(await limiter.hit(buckets))
      throw error
    }
  }
}

function refuseOver(verdict: Verdict): void {
  if (verdict.admitted) return
  throw new ApiError(429, 'rate_limited', `Too many requests, come back in ${verdict.retryAfter} s`, {
    headers: { 'Retry-After': String(verdict.retryAfter) },
  })
}
