import type { Passwords } from '#foundation/security/passwords.ts'
import type { ServiceParts } from '#foundation/http/service.ts'
import type { ForgetUser } from '#foundation/security/session-gate.ts'
import type { Told } from './told/told.ts'
import type { Throttle } from './throttle/throttle.ts'
import type { Gate } from './tokens/gate.ts'
import type { KeyRing } from './tokens/key-ring.ts'
import type { Tokens } from './tokens/tokens.ts'

/** The dependencies of the sso's features. */
export type SsoParts = ServiceParts & {
  passwords: Passwords
  ring: KeyRing
  tokens: Tokens
  gate: Gate
  throttle: Throttle
  /** Counts answers that tell who has an account. */
  told: Told
  /** Services that store data under a person's id and must erase it. */
  siblings: () => readonly ForgetUser[]
}

/** Where a request came from, as stored in sessions and the audit log. */
export type Origin = { ip_address: string; user_agent: string }
