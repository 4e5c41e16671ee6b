import type { Tx } from '#foundation/database.ts'
import type { Site } from '#foundation/session-gate.ts'
import { queueNotice } from '../messages/letters.ts'
import type { SsoParts } from '../parts.ts'
import type { SignIn } from './complete.ts'

/** Tells the person by mail of a sign-in with a program they have not used lately, in the transaction of the sign-in. */
export async function tellNewDevice(
  tx: Tx,
  parts: Pick<SsoParts, 'keys'>,
  site: Site,
  sign_in: SignIn,
): Promise<SignIn> {
  if (sign_in.is_new_device) await queueNotice(tx, parts, 'new_device_notice', { user: sign_in.user, site })
  return sign_in
}
