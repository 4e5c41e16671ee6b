import { limitKey } from '#foundation/rate-limit/address-key.ts'
import { type Limiter, refuseOver } from '#foundation/rate-limit/limiter.ts'
import type { SsoParts } from '../../core/parts.ts'
import type { SilentWatch } from './silent.ts'

/** A minute. Somebody with many tabs, and a school behind one address, but no loop that opens sessions by the thousand. */
const PER_PERSON = 30
const PER_ADDRESS = 600

/** Sign-ins that need no form are counted by person and address; SSO_RATE_LIMIT_AUTH=0 switches this off as well. */
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
