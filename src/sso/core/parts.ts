import type { Passwords } from '#foundation/security/passwords.ts'
import type { ServiceParts } from '#foundation/http/service.ts'
import type { ForgetUser } from '#foundation/security/session-gate.ts'
import type { Throttle } from './throttle/throttle.ts'
import type { Gate } from './tokens/gate.ts'
import type { KeyRing } from './tokens/key-ring.ts'
import type { Tokens } from './tokens/tokens.ts'

/** What the features of the sso work with. */
export type SsoParts = ServiceParts & {
  passwords: Passwords
  ring: KeyRing
  tokens: Tokens
  gate: Gate
  throttle: Throttle
  /** The services that keep something about people by their id. */
  siblings: () => readonly ForgetUser[]
}

/** Where a request came from, as sessions and the audit log keep it. */
export type Origin = { ip_address: string; user_agent: string }
