import { type Static, Type } from 'typebox'
import { tokenRevoked } from '#foundation/security/access-tokens.ts'
import type { Tx } from '#foundation/database/database.ts'
import { ApiError, forbidden, missingField } from '#foundation/errors.ts'
import { newId } from '#foundation/ids.ts'
import { OneOf } from '#foundation/http/schemas.ts'
import type { Caller } from '#foundation/security/session-gate.ts'
import { requirePerson } from '../../core/access/access.ts'
import { byOneself, recordAct } from '../../core/audit/audit.ts'
import { methodsOf, METHODS, openChallenge, type SecondFactorAsked } from '../factors/challenges.ts'
import type { Origin, SsoParts } from '../../core/parts.ts'
import { recordProof } from '../../people/sessions/proof.ts'
import { answerChallenge } from '../login/mfa.ts'
import { findProof, verifyOwnPassword } from '../../people/sessions/fresh-proof.ts'
import { lockSelf } from '../../people/person/self.ts'

export type ProofBody = Static<typeof ProofBody>
export const ProofBody = Type.Object({
  /** The first step; omitted by a person without a password. */
  password: Type.Optional(Type.String()),
  /** The second step, for a person with a second factor: the token of the first answer, and a proof as at sign-in. */
  mfa_token: Type.Optional(Type.String()),
  code: Type.Optional(Type.String({ maxLength: 100 })),
  method: Type.Optional(OneOf([...METHODS])),
  credential: Type.Optional(Type.Unsafe<object>({ type: 'object' })),
})

export const Proven = Type.Object({
  mfa_required: Type.Literal(false),
  /** Seconds for which the proof counts as fresh. */
  fresh_for: Type.Integer(),
})
const PROVEN = { mfa_required: false as const, fresh_for: 900 }

/**
 * Reauthenticates the caller's session: the password, then the second factor if there is one; without a password the
 * factor alone. 400 without a password; 403 reauthentication_required (wrong password), mfa_token_invalid,
 * mfa_code_invalid, password_not_set (nothing to prove with); 429. Never 401, which would make clients refresh.
 */
export async function proveAgain(
  parts: SsoParts,
  caller: Caller,
  { password, mfa_token, ...presented }: ProofBody,
  from: Origin,
): Promise<Static<typeof Proven> | SecondFactorAsked> {
  requirePerson(caller)
  if (mfa_token !== undefined) return proveFactor(parts, caller, { mfa_token, ...presented }, from)
  const held = await findProof(parts.database, caller)
  if (!held) throw tokenRevoked()
  const { password_hash, has_factor } = held
  if (password_hash === null && !has_factor)
    throw forbidden('password_not_set', 'This account has no password yet: choose one by "Forgot password"')
  if (password_hash !== null && password === undefined) throw missingField('password')
  if (password_hash !== null) await verifyOwnPassword(parts, caller, held, password ?? '', from)
  return parts.database.transaction(async (tx) => {
    await lockSelf(tx, caller)
    await requireUnchanged(tx, caller, password_hash)
    const methods = await methodsOf(tx, caller.user_id)
    const auth_methods = password_hash === null ? [] : ['pwd']
    if (methods.length === 0) return keep(tx, caller, auth_methods, from)
    const asked = { user_id: caller.user_id, methods, auth_methods, login_id: newId(), device_name: null }
    return openChallenge(tx, caller, asked)
  })
}

async function proveFactor(
  parts: SsoParts,
  caller: Caller,
  body: Omit<ProofBody, 'password' | 'mfa_token'> & { mfa_token: string },
  from: Origin,
): Promise<Static<typeof Proven>> {
  try {
    return await answerChallenge(parts, caller, { ...body, from }, (tx, _, proven) =>
      keep(tx, caller, proven, from),
    )
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 401 || error.code === 'token_revoked') throw error
    throw forbidden(error.code, error.detail)
  }
}

/** The password may have been changed or removed while it was verified. */
async function requireUnchanged(tx: Tx, { user_id }: Caller, verified: string | null): Promise<void> {
  const [same] = await tx`
    select from sso.users where user_id = ${user_id} and password_hash is not distinct from ${verified}`
  if (!same) throw forbidden('reauthentication_required', 'The password is wrong')
}

async function keep(tx: Tx, caller: Caller, methods: string[], from: Origin): Promise<Static<typeof Proven>> {
  // Since the first lock the factor may have been deleted, and all earlier proofs with it.
  if (methods.length === 0 || !(await recordProof(tx, caller, methods))) throw tokenRevoked()
  const who = byOneself(caller, caller.user_id)
  await recordAct(tx, { action: 'session.proven', ...who, details: { methods } }, from)
  return PROVEN
}
