import type { Database } from '#foundation/database/database.ts'
import { ApiError } from '#foundation/errors.ts'
import type { Caller } from '#foundation/security/session-gate.ts'
import { requirePerson } from '../../core/access/access.ts'
import type { Origin, SsoParts } from '../../core/parts.ts'
import { hasFactor, isFreshlyProven } from './proof.ts'
import { refused } from './answer.ts'

type Held = {
  password_hash: string | null
  has_factor: boolean
  is_fresh: boolean
}

/** What the person can prove, and whether this session did lately. Undefined when the session has ended. */
export async function findProof(
  { fast }: Database,
  { user_id, session_id }: Pick<Caller, 'user_id' | 'session_id'>,
): Promise<Held | undefined> {
  const [held] = await fast<Held[]>`
    select u.password_hash, ${hasFactor(fast)} as has_factor, ${isFreshlyProven(fast)} as is_fresh
      from sso.sessions s join sso.users u using (user_id)
     where s.session_id = ${session_id} and s.user_id = ${user_id} and s.revoked_at is null`
  return held
}

/**
 * An account is changed by who has just proven to this session who they are: a stolen access token is not enough. Without a
 * second factor the password may come with the request instead. 403 reauthentication_required (not 401, which would make
 * clients refresh), 429 after too many wrong passwords.
 */
export async function requireFreshProof(
  parts: SsoParts,
  caller: Caller,
  password: string | undefined,
  from: Origin,
): Promise<void> {
  requirePerson(caller)
  const held = await findProof(parts.database, caller)
  if (password !== undefined) await verifyOwnPassword(parts, caller, held, password, from)
  if (held?.is_fresh || (password !== undefined && held && !held.has_factor)) return
  throw reauthenticationRequired(
    parts,
    held?.has_factor
      ? 'Prove to this session who you are, with the second factor, and come within 15 minutes'
      : 'Give the password, or prove to this session who you are and come within 15 minutes',
  )
}

/** The same where the password comes anyway: of who has a second factor it is not enough. */
export async function requireFreshFactor(parts: SsoParts, caller: Caller): Promise<void> {
  const held = await findProof(parts.database, caller)
  if (held?.has_factor && !held.is_fresh)
    throw reauthenticationRequired(
      parts,
      'Prove to this session who you are, with the second factor, and come within 15 minutes',
    )
}

/** A wrong one counts as at sign-in. 403 for it, 429. */
export async function verifyOwnPassword(
  parts: SsoParts,
  { email, environment }: Pick<Caller, 'email' | 'environment'>,
  held: Pick<Held, 'password_hash'> | undefined,
  password: string,
  { ip_address }: Origin,
): Promise<void> {
  const guess = { kind: 'password', environment, email, client_ip: ip_address } as const
  try {
    await parts.passwords.refuseInTime(ip_address, () =>
      parts.throttle.guard(guess, async () => {
        if (!(await parts.passwords.verifyPassword(held?.password_hash, password)))
          throw refused('invalid_credentials', 'The password is wrong')
      }),
    )
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 401) throw error
    throw reauthenticationRequired(parts, 'The password is wrong')
  }
}

/** With the page on which a browser can do so. */
const reauthenticationRequired = ({ ssoUrl }: Pick<SsoParts, 'ssoUrl'>, detail: string) =>
  new ApiError(403, 'reauthentication_required', detail, {
    headers: { Link: `<${ssoUrl()}/account/confirm>; rel="edit-form"` },
  })
