import { byNobody, recordAct } from '../../core/audit/audit.ts'
import { queuePasswordReset, type Sender } from '../../people/letters/letters.ts'
import { wasWrittenToLately } from '../../core/messages/queue.ts'
import type { Origin, SsoParts } from '../../core/parts.ts'
import { lockAccount } from './account.ts'

/**
 * Mails a link to choose a new password to the active account of this address, at most once a minute. It does not
 * reveal whether there is one: in both cases one transaction writes one audit entry, no hash is computed, and the
 * response leaves at a fixed time.
 */
export async function forgotPassword(parts: SsoParts, site: Sender, email: string, from: Origin) {
  await parts.passwords.answerInTime(from.ip_address, () =>
    parts.database.transaction(async (tx) => {
      const user = await lockAccount(tx, site.environment, email)
      if (user && !(await wasWrittenToLately(tx, user.user_id, 'password_reset')))
        await queuePasswordReset(tx, parts, { user, site })
      const who = byNobody(site, user?.user_id ?? null)
      await recordAct(tx, { action: 'password.reset_requested', ...who }, from)
    }),
  )
}
