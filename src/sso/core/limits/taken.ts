import { ApiError, tooMany } from '#foundation/errors.ts'
import type { Bucket, Limiter, Verdict } from '#foundation/rate-limit/limiter.ts'
import { takenBucket, takenByBucket } from './limits.ts'
import type { SsoParts } from '../parts.ts'

/**
 * The API answers 409 when a registered address is taken, which reveals an account. These answers therefore have a
 * strict limit: after ten, the caller must wait before anything is looked up, so a success reveals no more than a 409.
 */
export function createTakenCount({ config }: Pick<SsoParts, 'config'>, limiter: Limiter) {
  return async <T>(address: string, attempt: () => Promise<T>): Promise<T> => {
    if (config.SSO_RATE_LIMIT_AUTH === 0) return attempt()
    return counted(limiter, takenBucket(address), attempt)
  }
}

/** Like createTakenCount, for a signed-in person who changes their address or name; counted per person. */
export function createTakenByCount({ config }: Pick<SsoParts, 'config'>, limiter: Limiter) {
  return async <T>(user_id: string, attempt: () => Promise<T>): Promise<T> =>
    config.SSO_RATE_LIMIT_AUTH === 0 ? attempt() : counted(limiter, takenByBucket(user_id), attempt)
}

export type CountTaken = ReturnType<typeof createTakenByCount>

async function counted<T>(limiter: Limiter, bucket: Bucket, attempt: () => Promise<T>): Promise<T> {
  refuseOver(await limiter.peek([bucket]))
  try {
    return await attempt()
  } catch (error) {
    if (error instanceof ApiError && TAKEN.has(error.code)) refuseOver(await limiter.hit([bucket]))
    throw error
  }
}

const TAKEN = new Set(['email_taken', 'username_taken'])

function refuseOver(verdict: Verdict): void {
  if (verdict.admitted) return
  const { retryAfter } = verdict
  throw tooMany('rate_limited', `Too many requests, come back in ${retryAfter} s`, retryAfter)
}
