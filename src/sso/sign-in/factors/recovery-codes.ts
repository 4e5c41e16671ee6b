import { createHmac, randomBytes } from 'node:crypto'
import type { Lane, Tx } from '#foundation/database/database.ts'
import { conflict } from '#foundation/errors.ts'
import type { MasterKeys } from '#foundation/security/secrets.ts'
import type { Caller } from '#foundation/security/session-gate.ts'
import { byOneself, recordAct } from '../../core/audit/audit.ts'
import { queueNotice } from '../../people/letters/letters.ts'
import type { Origin, SsoParts } from '../../core/parts.ts'
import { lockSelf } from '../../people/person/self.ts'
import { deleteChallenges } from '../../people/sessions/waiting.ts'
import { bareCode } from './totp.ts'

const CODES = 10
/** 80 bits are 16 characters of base32. */
const BYTES = 10
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/**
 * Creates ten new codes, shown only here, and invalidates the old set. 409 mfa_not_enabled for a person without an
 * active factor, who is never asked for a code.
 */
export async function renewRecoveryCodes(parts: SsoParts, caller: Caller, from: Origin): Promise<string[]> {
  const { user_id } = caller
  return parts.database.transaction(async (tx) => {
    const { email } = await lockSelf(tx, caller)
    const [factor] = await tx`
      select from sso.mfa_factors where user_id = ${user_id} and activated_at is not null limit 1`
    if (!factor) throw conflict('mfa_not_enabled', 'Recovery codes need an active second factor')
    const codes = await replaceRecoveryCodes(tx, parts.keys, user_id)
    await deleteChallenges(tx, user_id)
    await recordAct(tx, { action: 'mfa.recovery_codes_renewed', ...byOneself(caller, user_id) }, from)
    await queueNotice(tx, parts, 'recovery_codes_notice', { user: { user_id, email }, site: caller })
    return codes
  })
}

/** Ten new codes in place of the old ones, in a transaction that holds the lock on the users row. */
export async function replaceRecoveryCodes(tx: Tx, keys: MasterKeys, user_id: string): Promise<string[]> {
  const codes = Array.from({ length: CODES }, newCode)
  await deleteRecoveryCodes(tx, user_id)
  const hmacs = codes.map((code) => hmacOf(keys, user_id, code).toString('hex'))
  await tx`
    insert into sso.recovery_codes (user_id, code_hmac)
    select ${user_id}, decode(unnest(${hmacs}::text[]), 'hex')`
  return codes
}

/** Whether this is an unused code of the person. It stays unused. */
export async function isRecoveryCode(sql: Lane, keys: MasterKeys, user_id: string, code: string) {
  const [right] = await sql`
    select from sso.recovery_codes
     where user_id = ${user_id} and code_hmac = ${hmacOf(keys, user_id, code)} and used_at is null`
  return right !== undefined
}

/**
 * Spends the code if it is an unused code of the person. One statement, so that only one of two parallel calls
 * succeeds.
 */
export async function spendRecoveryCode(tx: Tx, keys: MasterKeys, user_id: string, code: string) {
  const [spent] = await tx`
    update sso.recovery_codes set used_at = clock_timestamp()
     where user_id = ${user_id} and code_hmac = ${hmacOf(keys, user_id, code)} and used_at is null
    returning user_id`
  return spent !== undefined
}

/** For a transaction that holds the lock on the users row. The codes are deleted with the last factor. */
export async function deleteRecoveryCodes(tx: Tx, user_id: string): Promise<void> {
  await tx`delete from sso.recovery_codes where user_id = ${user_id}`
}

/** XXXX-XXXX-XXXX-XXXX; each character carries five random bits. */
function newCode(): string {
  let bits = BigInt(`0x${randomBytes(BYTES).toString('hex')}`)
  let text = ''
  for (let i = 0; i < 16; i++) {
    if (i > 0 && i % 4 === 0) text += '-'
    text += ALPHABET.charAt(Number(bits & 31n))
    bits >>= 5n
  }
  return text
}

/** Ignores case too, which varies with how the code was copied. */
const hmacOf = (keys: MasterKeys, user_id: string, code: string): Buffer =>
  createHmac('sha256', keys.derive('recovery codes'))
    .update(`${user_id}/${bareCode(code).toUpperCase()}`)
    .digest()
