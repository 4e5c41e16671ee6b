import type { Passwords } from '#foundation/passwords.ts'
import type { ServiceParts } from '#foundation/service.ts'
import type { Gate } from './tokens/gate.ts'
import type { Tokens } from './tokens/tokens.ts'

/** What the features of the sso work with. */
export type SsoParts = ServiceParts & { passwords: Passwords; tokens: Tokens; gate: Gate }

/** Where a request came from, as sessions and the audit log keep it. */
export type Origin = { ip_address: string; user_agent: string }
