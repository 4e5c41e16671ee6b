import type { FastifyRequest } from 'fastify'
import type { AdmissionOptions } from '#foundation/http/admission.ts'
import type { Config } from '#foundation/settings/config.ts'
import { limitKey } from '#foundation/rate-limit/address-key.ts'

type BucketsOf = AdmissionOptions['bucketsOf']

/**
 * Limits per minute and address for calls without a valid token and for sign-ins, whatever COLLECTIONS_RATE_LIMIT is.
 */
const PER_ADDRESS = 100
const SIGN_INS = 10

/** One bucket per user with a valid token, otherwise per address. COLLECTIONS_RATE_LIMIT=0 turns all limits off. */
export function createBuckets({ COLLECTIONS_RATE_LIMIT: limit }: Config): BucketsOf {
  if (limit === 0) return () => []
  return ({ visitor, clientIp, policy }: FastifyRequest, failed) => {
    if (visitor && !failed) return [{ name: 'user', key: visitor.user_id, limit }]
    const key = limitKey(clientIp)
    const address = { name: 'address', key, limit: PER_ADDRESS }
    return policy.limit === 'auth' ? [address, { name: 'login', key, limit: SIGN_INS }] : [address]
  }
}
