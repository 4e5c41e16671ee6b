import type { Tx } from '#foundation/database/database.ts'
import type { Site } from '#foundation/security/session-gate.ts'
import { queueNotice } from '../../people/letters/letters.ts'
import type { SsoParts } from '../../core/parts.ts'
import type { SignIn } from './complete.ts'

/**
 * Tells the person by mail of a sign-in with a program they have not used lately, in the transaction of the sign-in. What is
 * no sign-in yet passes through.
 */
export async function tellNewDevice<T extends object>(
  tx: Tx,
  parts: Pick<SsoParts, 'keys'>,
  site: Site,
  outcome: T,
): Promise<T> {
  if (isSignIn(outcome) && outcome.is_new_device)
    await queueNotice(tx, parts, 'new_device_notice', { user: outcome.user, site })
  return outcome
}

const isSignIn = (outcome: object): outcome is SignIn => 'is_new_device' in outcome
