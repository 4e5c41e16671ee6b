import type { Tx } from '#foundation/database/database.ts'
import { clock } from '#foundation/clock.ts'
import type { MasterKeys } from '#foundation/security/secrets.ts'
import type { SsoParts } from '../../core/parts.ts'
import type { Asker, Challenge, Method } from './challenges.ts'
import { spendRecoveryCode } from './recovery-codes.ts'
import { isSentCode } from './sent-codes.ts'
import { stepOf } from './totp.ts'
import { verifyAssertion } from './webauthn.ts'

/** The answer to an open challenge. `token_hash` names the challenge. */
export type Proof = { token_hash: Buffer; method: Method; code: string; credential: object | undefined }

/**
 * True if the proof is right, which also spends it: each time step, code and key counter is accepted once. Needs a
 * transaction that holds the lock on the users row and that the caller rolls back on false.
 */
export async function spendProof(
  tx: Tx,
  parts: SsoParts,
  site: Asker,
  challenge: Challenge,
  { token_hash, method, code, credential }: Proof,
): Promise<boolean> {
  const { user_id, methods } = challenge
  if (!methods.includes(method)) return false
  if (method === 'totp') return spendStep(tx, parts.keys, user_id, code)
  if (method === 'recovery_code') return spendRecoveryCode(tx, parts.keys, user_id, code)
  if (method === 'webauthn') return verifyAssertion(tx, parts, site, challenge, credential)
  const kept = method === 'sms' ? challenge.sms_code_hmac : challenge.email_code_hmac
  if (!isSentCode(parts.keys, codePurpose(token_hash), kept, code)) return false
  await tx`
    update sso.mfa_factors set last_used_at = clock_timestamp()
     where user_id = ${user_id} and type = ${method} and activated_at is not null`
  return true
}

/** Binds a sent code to its challenge. */
export const codePurpose = (token_hash: Buffer) => `sign-in/${token_hash.toString('hex')}`

/** RFC 6238, 5.2: an accepted step, or one before it, is never accepted again. */
async function spendStep(tx: Tx, keys: MasterKeys, user_id: string, code: string): Promise<boolean> {
  const factors = await tx<{ factor_id: string; secret_enc: Buffer }[]>`
    select factor_id, secret_enc from sso.mfa_factors
     where user_id = ${user_id} and type = 'totp' and activated_at is not null order by created_at, factor_id`
  for (const { factor_id, secret_enc } of factors) {
    const step = stepOf(openSeed(keys, factor_id, secret_enc), code, clock.now())
    if (step === undefined) continue
    const [spent] = await tx`
      update sso.mfa_factors set last_used_step = ${step}, last_used_at = clock_timestamp()
       where factor_id = ${factor_id} and user_id = ${user_id}
         and (last_used_step is null or last_used_step < ${step})
      returning factor_id`
    if (spent) return true
  }
  return false
}

export const sealSeed = (keys: MasterKeys, factor_id: string, seed: Buffer) =>
  keys.seal(seed, `totp/${factor_id}`)
export const openSeed = (keys: MasterKeys, factor_id: string, secret_enc: Buffer) =>
  keys.open(secret_enc, `totp/${factor_id}`)
