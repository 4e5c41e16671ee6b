import { createHmac } from 'node:crypto'
import { ApiError, tooMany } from '#foundation/errors.ts'
import { limitKey } from '#foundation/rate-limit/address-key.ts'
import { type AttemptKey, type AttemptRule } from '#foundation/rate-limit/attempt-log.ts'
import type { ServiceParts } from '#foundation/http/service.ts'
import { foldEmail } from '#foundation/text.ts'

/** What guesses are counted by. `email` is the address as typed, even if no account has it. */
export type Guess =
  | { kind: 'password'; environment: 'sandbox' | 'production'; email: string; client_ip: string }
  | { kind: 'mfa'; user_id: string }
  | { kind: 'passkey'; environment: 'sandbox' | 'production'; credential_id: string; client_ip: string }

export type Throttle = {
  /**
   * Runs `attempt`, or throws 429 `too_many_attempts` before it. Only an ApiError 401 from `attempt` counts as a wrong
   * guess; any other error is refunded, and a right password clears the count of its address.
   */
  guard<T>(guess: Guess, attempt: () => Promise<T>): Promise<T>
  close(): void
}

const WINDOW = 15 * 60
const PER_ADDRESS: AttemptRule = { limit: 5, window: WINDOW, pause: 'doubling' }
const PER_EMAIL: AttemptRule = { limit: 50, window: WINDOW, pause: 'doubling' }
const PER_USER: AttemptRule = { limit: 10, window: WINDOW, pause: 'window' }

type Parts = Pick<ServiceParts, 'config' | 'keys' | 'limits' | 'metrics'>

/**
 * Slows down guessing of passwords and second factors (docs/choices-sso.md). No account is locked: after Retry-After
 * anyone may try again. E-mail addresses are kept in memory and in the shared store only as keyed digests.
 */
export function createThrottle({ config, keys, limits, metrics }: Parts): Throttle {
  const attempts = limits.attempts('sso')
  const secret = keys.derive('throttle')
  const refusals = metrics.counter(
    'lyceum_attempts_refused_total',
    'Guesses of a password or second factor that were told to wait',
  )

  function keysOf(guess: Guess): AttemptKey[] {
    if (guess.kind === 'mfa')
      return [{ key: `mfa:${guess.user_id}`, rule: PER_USER, isClearedBySuccess: false }]
    if (config.SSO_RATE_LIMIT_AUTH === 0) return []
    const { kind, environment, client_ip } = guess
    const name = guess.kind === 'password' ? foldEmail(guess.email) : guess.credential_id
    const digest = createHmac('sha256', secret).update(name).digest('base64url')
    const account = `${kind}:${environment}:${digest}`
    const here: AttemptKey = {
      key: `${account}:${limitKey(client_ip)}`,
      rule: PER_ADDRESS,
      isClearedBySuccess: true,
    }
    // Nobody guesses a signature: whoever knows the name of a passkey must not keep its owner out elsewhere.
    return kind === 'passkey' ? [here] : [here, { key: account, rule: PER_EMAIL, isClearedBySuccess: false }]
  }

  return {
    async guard(guess, attempt) {
      const turn = await attempts.begin(keysOf(guess))
      if (!turn.isLetIn) {
        refusals.inc()
        throw tooManyAttempts(Math.max(1, Math.ceil(turn.wait / 1_000)))
      }
      let result
      try {
        result = await attempt()
      } catch (error) {
        if (!(error instanceof ApiError && error.status === 401)) await turn.giveBack()
        throw error
      }
      await turn.succeed()
      return result
    },
    close: () => attempts.close(),
  }
}

const tooManyAttempts = (seconds: number) =>
  tooMany('too_many_attempts', `Too many failed attempts, come back in ${seconds} s`, seconds)
