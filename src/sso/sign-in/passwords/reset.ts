import { byOneself, recordAct } from '../../core/audit/audit.ts'
import { queueNotice } from '../../people/letters/letters.ts'
import type { Origin, SsoParts } from '../../core/parts.ts'
import { refuseFaults } from '../../people/person/fields.ts'
import { passwordFaults } from '../../people/person/password-rules.ts'
import { claimAddress } from './claim.ts'
import { takeOver, tellOfHandOver } from './hand-over.ts'
import {
  deadLink,
  findOneTimeToken,
  type Presented,
  type Purpose,
  spendOneTimeToken,
} from '../../people/letters/one-time-tokens.ts'

/** Links to choose a way in with. */
export const PURPOSES: readonly Purpose[] = ['password_reset', 'invitation', 'address_claim']

/**
 * Sets the password for the holder of a mailed link (invitation or reset) and ends all their sessions; a claim link
 * creates an account instead. Returns the address, which the link proves. 401 token_invalid; 422 for an invalid
 * password, which does not spend the link.
 */
export async function resetPassword(
  parts: SsoParts,
  { token, site, password }: Pick<Presented, 'token' | 'site'> & { password: string },
  from: Origin,
): Promise<string> {
  const { database, passwords } = parts
  const presented = { token, site, purposes: PURPOSES }
  const known = await findOneTimeToken(database.fast, presented)
  if (!known) throw deadLink()
  refuseFaults(await passwordFaults(database, password, known))
  const password_hash = await passwords.hashPassword(password)
  if (known.purpose === 'address_claim') {
    await claimAddress(parts, presented, password_hash, from)
    return known.email
  }
  const { user_id } = known
  await database.transaction(async (tx) => {
    const link = await spendOneTimeToken(tx, presented)
    if (!link) throw deadLink()
    const { was_claimed, is_clean } = await takeOver(tx, link, { from, password_hash })
    const { purpose } = link
    // An invited person knows that others made the account for them.
    if (purpose === 'password_reset')
      await (was_claimed
        ? queueNotice(tx, parts, 'password_changed_notice', { user: link, site: link })
        : tellOfHandOver(tx, parts, link, link))
    const details = { purpose, factors_removed: !is_clean, was_claimed }
    await recordAct(tx, { action: 'password.reset', ...byOneself(link, user_id), details }, from)
  })
  return known.email
}
