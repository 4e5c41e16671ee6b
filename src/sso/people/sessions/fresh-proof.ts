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

/**
 * Which credentials the person has, and whether this session has a fresh proof. Undefined when the session has ended.
 */
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
 * Requires a fresh proof for account changes, since a stolen access token must not suffice. Without a second factor,
 * the password in the request will do. 403 reauthentication_required (not 401, on which clients would refresh), 429
 * after too many wrong passwords.
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

/** For requests that always carry the password: with a second factor enabled, the password alone is not enough. */
export async function requireFreshFactor(parts: SsoParts, caller: Caller): Promise<void> {
  const held = await findProof(parts.database, caller)
  if (held?.has_factor && !held.is_fresh)
    throw reauthenticationRequired(
      parts,
      'Prove to this session who you are, with the second factor, and come within 15 minutes',
    )
}

/** 403 for a wrong password, 429. */
export async function verifyOwnPassword(
  parts: SsoParts,
  caller: Pick<Caller, 'email' | 'environment'>,
  held: Pick<Held, 'password_hash'> | undefined,
  password: string,
  from: Origin,
): Promise<void> {
  try {
    await guessPassword(parts, caller, held?.password_hash, password, from)
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 401) throw error
    throw reauthenticationRequired(parts, WRONG)
  }
}

const WRONG = 'The password is wrong'

/** 401 invalid_credentials, 429. A wrong one counts as a failed sign-in. */
export const guessPassword = (
  parts: SsoParts,
  { email, environment }: Pick<Caller, 'email' | 'environment'>,
  password_hash: string | null | undefined,
  password: string,
  { ip_address }: Origin,
): Promise<void> =>
  parts.passwords.refuseInTime(ip_address, () =>
    parts.throttle.guard({ kind: 'password', environment, email, client_ip: ip_address }, async () => {
      if (!(await parts.passwords.verifyPassword(password_hash, password)))
        throw refused('invalid_credentials', WRONG)
    }),
  )

/** Links the page where a browser can reauthenticate. */
const reauthenticationRequired = ({ ssoUrl }: Pick<SsoParts, 'ssoUrl'>, detail: string) =>
  new ApiError(403, 'reauthentication_required', detail, {
    headers: { Link: `<${ssoUrl()}/account/confirm>; rel="edit-form"` },
  })
