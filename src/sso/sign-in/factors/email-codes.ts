import { createHmac, randomInt, timingSafeEqual } from 'node:crypto'
import type { Tx } from '#foundation/database.ts'
import type { MasterKeys } from '#foundation/secrets.ts'
import { type Addressee, queueMail, type Sender } from '../../people/letters/letters.ts'
import { templates } from '../../core/messages/templates.ts'
import type { SsoParts } from '../../core/parts.ts'

const DIGITS = 6

/**
 * Queues a message with a new code and returns what to keep of it. `purpose` ties the code to one sign-in or one
 * enrolment: nowhere else is it worth anything.
 */
export async function mailCode(
  tx: Tx,
  parts: Pick<SsoParts, 'keys'>,
  { user, site, purpose }: { user: Addressee; site: Sender; purpose: string },
): Promise<Buffer> {
  const code = String(randomInt(10 ** DIGITS)).padStart(DIGITS, '0')
  const words = templates.mfa_code({ site_code: site.site_code, code })
  await queueMail(tx, parts, 'mfa_code', { user, site }, words)
  return hmacOf(parts.keys, purpose, code)
}

export const isMailedCode = (keys: MasterKeys, purpose: string, kept: Buffer | null, code: string) =>
  kept !== null && timingSafeEqual(kept, hmacOf(keys, purpose, code))

/** A million codes are quickly tried out, hence a key that the database does not hold. */
const hmacOf = (keys: MasterKeys, purpose: string, code: string): Buffer =>
  createHmac('sha256', keys.derive('e-mail codes')).update(`${purpose}/${code}`).digest()
