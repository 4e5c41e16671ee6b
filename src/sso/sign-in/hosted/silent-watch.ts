import { limitKey } from '#foundation/rate-limit/address-key.ts'
import { type Limiter, refuseOver } from '#foundation/rate-limit/limiter.ts'
import type { SsoParts } from '../../core/parts.ts'
import type { SilentWatch } from './silent.ts'

/**
 * Per minute. Enough for a person with many tabs, and for a school behind one address; stops a loop that opens sessions
 * by the thousand.
 */
const PER_PERSON = 30
const PER_ADDRESS = 600

/** Limits sign-ins without a form, per person and per address. SSO_RATE_LIMIT_AUTH=0 disables this limit too. */
export function silentWatch({ config, metrics }: SsoParts, limiter: Limiter): SilentWatch {
  const overtaken = metrics.counter(
    'lyceum_hosted_renewals_overtaken_total',
    'Silent renewals on the sign-in page whose token another tab had just spent',
  )
  return {
    countOvertaken: () => overtaken.inc(),
    async limit(user_id, { ip_address }) {
      if (config.SSO_RATE_LIMIT_AUTH === 0) return
      const verdict = await limiter.hit([
        { name: 'silent', key: user_id, limit: PER_PERSON },
        { name: 'silent_address', key: limitKey(ip_address), limit: PER_ADDRESS },
      ])
      refuseOver(verdict, 'sign-ins')
    },
  }
}
