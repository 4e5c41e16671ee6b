import { type Lane, one, type Tx, violates } from '#foundation/database/database.ts'
import { ApiError, conflict, unprocessable } from '#foundation/errors.ts'
import { newId } from '#foundation/ids.ts'
import { byOneself, recordAct } from '../../core/audit/audit.ts'
import type { Origin, SsoParts } from '../../core/parts.ts'
import { queueNotice } from '../../people/letters/letters.ts'
import {
  deadLink,
  findOneTimeToken,
  type OneTimeToken,
  spendOneTimeToken,
} from '../../people/letters/one-time-tokens.ts'
import { refused } from '../../people/sessions/answer.ts'
import { isRecoveryCode, replaceRecoveryCodes, spendRecoveryCode } from '../factors/recovery-codes.ts'
import { creationOptions, type NewKey, verifyNewKey } from '../factors/webauthn.ts'
import { takeOver, tellOfHandOver } from '../passwords/hand-over.ts'
import { PURPOSES } from '../passwords/reset.ts'
import { CODE_INVALID, noteFailure } from './mfa.ts'

/** A mailed link. `needs_code`: the mailbox alone must not open this account, which has a factor. */
export type PasskeyLink = OneTimeToken & Needs
type Needs = { needs_code: boolean; has_codes: boolean }

/**
 * The link with which somebody wants to make a passkey; it stays unspent. 401 token_invalid; 409 password_first for an
 * address that another account still holds.
 */
export async function findPasskeyLink({ database: { fast } }: SsoParts, token: string): Promise<PasskeyLink> {
  const link = await findOneTimeToken(fast, { token, purposes: PURPOSES })
  if (!link) throw deadLink()
  if (link.purpose === 'address_claim')
    throw conflict(
      'password_first',
      'Choose a password here first; then add a passkey on the page of your account',
    )
  return { ...link, ...(await needsOf(fast, link.user_id)) }
}

/**
 * A factor is only evidence of the owner once the owner was there: whatever others set up on an unproven address goes
 * with the first link.
 */
async function needsOf(sql: Lane, user_id: string): Promise<Needs> {
  return one(
    await sql<Needs[]>`
      select u.email_proven_at is not null and u.is_claimed
             and exists (select from sso.mfa_factors f
                          where f.user_id = u.user_id and f.activated_at is not null) as needs_code,
             exists (select from sso.recovery_codes c
                      where c.user_id = u.user_id and c.used_at is null) as has_codes
        from sso.users u where u.user_id = ${user_id}`,
  )
}

/** Looks at a recovery code before the visitor makes a passkey for nothing. 401 mfa_code_invalid, 429. */
export async function requireRecoveryCode(parts: SsoParts, link: PasskeyLink, code: string, from: Origin) {
  const { keys, database } = parts
  await guarded(parts, link, from, async () => {
    if (!(await isRecoveryCode(database.fast, keys, link.user_id, code))) throw wrongCode()
  })
}

/** Counts wrong recovery codes as those of a sign-in are counted. */
async function guarded<T>(
  parts: SsoParts,
  link: OneTimeToken,
  from: Origin,
  attempt: () => Promise<T>,
): Promise<T> {
  const { user_id } = link
  return parts.throttle.guard({ kind: 'mfa', user_id }, async () => {
    try {
      return await attempt()
    } catch (error) {
      if (error instanceof ApiError && error.code === CODE_INVALID)
        await noteFailure(parts, link, { user_id, method: 'recovery_code' }, from)
      throw error
    }
  })
}

/** The argument of navigator.credentials.create(), as JSON, for the holder of the link. */
export const newPasskeyOptions = (
  parts: SsoParts,
  { user_id, email }: PasskeyLink,
  challenge: string,
): Promise<object> => creationOptions(parts.database.pool, parts, { user_id, email, challenge })

type Made = {
  token: string
  recovery_code: string | undefined
  credential: object
  challenge: (challenge: string) => boolean
}

/** What the owner of a new passkey gets: recovery codes if they had none left, and what `then` answered. */
export type MadePasskey<T> = { codes: string[] | undefined; result: T }

/**
 * Stores the passkey and spends link and recovery code in one transaction, with `then`. All sessions end, and no other
 * factor is touched. 401 token_invalid, mfa_code_invalid; 409 password_first, factor_exists; 422 credential_invalid, 429.
 */
export async function makePasskey<T>(
  parts: SsoParts,
  { token, recovery_code = '', ...answer }: Made,
  from: Origin,
  then: (tx: Tx, link: OneTimeToken) => Promise<T>,
): Promise<MadePasskey<T>> {
  const { database, keys } = parts
  const found = await findPasskeyLink(parts, token)
  const key = await verifyNewKey(database.pool, parts, undefined, { ...answer, alone: true })
  if (!key) throw unprocessable('passkey', 'credential_invalid', 'was not accepted')
  const store = () =>
    database.transaction(async (tx) => {
      const link = await spendOneTimeToken(tx, { token, purposes: PURPOSES })
      if (!link) throw deadLink()
      const { needs_code } = await needsOf(tx, link.user_id)
      if (needs_code && !(await spendRecoveryCode(tx, keys, link.user_id, recovery_code))) throw wrongCode()
      await storePasskey(tx, parts, { link, key }, from)
      const { has_codes } = await needsOf(tx, link.user_id)
      const codes = has_codes ? undefined : await replaceRecoveryCodes(tx, keys, link.user_id)
      return { codes, result: await then(tx, link) }
    })
  try {
    return await (found.needs_code ? guarded(parts, found, from, store) : store())
  } catch (error) {
    if (violates(error, 'mfa_factors_by_credential'))
      throw conflict('factor_exists', 'This key is in use already')
    throw error
  }
}

async function storePasskey(
  tx: Tx,
  parts: SsoParts,
  { link, key }: { link: OneTimeToken; key: NewKey },
  from: Origin,
) {
  const { user_id, purpose } = link
  const { was_claimed, is_clean } = await takeOver(tx, link, { from })
  const factor_id = newId()
  await tx`
    insert into sso.mfa_factors (factor_id, user_id, type, credential_id, public_key, sign_count, transports,
                                 is_user_verified, activated_at)
    values (${factor_id}, ${user_id}, 'webauthn', ${key.credential_id}, ${key.public_key}, ${key.sign_count},
            ${key.transports}, ${key.is_user_verified}, clock_timestamp())`
  const details = { factor_id, type: 'webauthn', purpose, factors_removed: !is_clean }
  await recordAct(tx, { action: 'mfa.factor_added', ...byOneself(link, user_id), details }, from)
  // Whoever follows an invitation or a sign-up expects it.
  if (purpose === 'password_reset')
    await (was_claimed
      ? queueNotice(tx, parts, 'factor_added_notice', { user: link, site: link })
      : tellOfHandOver(tx, parts, link, link))
}

const wrongCode = () => refused(CODE_INVALID, 'The code is wrong')
