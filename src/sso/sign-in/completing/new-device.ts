import type { Tx } from '#foundation/database/database.ts'
import type { Site } from '#foundation/security/session-gate.ts'
import { queueNotice } from '../../people/letters/letters.ts'
import type { SsoParts } from '../../core/parts.ts'
import type { SignIn } from './complete.ts'

/**
 * Mails the person about a sign-in from a program they have not used lately, in the transaction of the sign-in. An
 * outcome that is not yet a sign-in is returned unchanged.
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
