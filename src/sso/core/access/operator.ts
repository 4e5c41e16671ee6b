import type { Tx } from '#foundation/database/database.ts'
import { forbidden } from '#foundation/errors.ts'
import type { Caller } from '#foundation/security/session-gate.ts'
import { isOperator, isOperatorNow } from './access.ts'

const operatorRequired = () => forbidden('operator_required', 'This needs an ADMIN of the site console')

/** 403 for everybody who is no operator. */
export function requireOperator(caller: Caller) {
  if (!isOperator(caller)) throw operatorRequired()
}

/** The same after the locks: since they were let in they may have been demoted. */
export async function requireOperatorNow(tx: Tx, caller: Caller) {
  const [operator] = await tx`select 1 where ${isOperatorNow(tx, caller)}`
  if (!operator) throw operatorRequired()
}
