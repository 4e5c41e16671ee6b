import type { Tx } from '#foundation/database/database.ts'
import { forbidden } from '#foundation/errors.ts'
import type { Caller } from '#foundation/security/session-gate.ts'
import { isOperator, isOperatorNow } from './access.ts'

const operatorRequired = () => forbidden('operator_required', 'This needs an ADMIN of the site console')

/** 403 for anyone who is not an operator. */
export function requireOperator(caller: Caller) {
  if (!isOperator(caller)) throw operatorRequired()
}

/**
 * Like requireOperator, but reads the database; call it after taking locks, because the caller may have been demoted
 * since authentication.
 */
export async function requireOperatorNow(tx: Tx, caller: Caller) {
  const [operator] = await tx`select 1 where ${isOperatorNow(tx, caller)}`
  if (!operator) throw operatorRequired()
}
