import type { FastifyRequest } from 'fastify'
import type { Config } from '#foundation/settings/config.ts'
import { limitKey } from '#foundation/rate-limit/address-key.ts'
import type { Bucket } from '#foundation/rate-limit/limiter.ts'

/** Refused credentials per minute and address. It bounds the guessing of tokens, and a bad client locks nobody out. */
const FAILED_LIMIT = 300
const NONE: Bucket[] = []

/**
 * The bucket of the caller, or of the address without a caller (docs/choices-learning.md). RATE_LIMIT_DEFAULT=0
 * disables all.
 */
export const bucketsOf =
  ({ RATE_LIMIT_DEFAULT: limit }: Config) =>
  ({ caller, clientIp }: Pick<FastifyRequest, 'caller' | 'clientIp'>, failed: boolean): Bucket[] => {
    if (limit === 0) return NONE
    if (failed) return [{ name: 'failed', key: limitKey(clientIp), limit: FAILED_LIMIT }]
    const key = caller ? `${caller.tenant_id}:${caller.user_id}` : limitKey(clientIp)
    return [{ name: 'default', key, limit }]
  }
