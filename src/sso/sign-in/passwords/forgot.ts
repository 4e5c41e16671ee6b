import type { Tx } from '#foundation/database/database.ts'
import { foldEmail } from '#foundation/text.ts'
import { type Act, byNobody, recordAct } from '../../core/audit/audit.ts'
import { queuePasswordReset, queueVerification, type Sender } from '../../people/letters/letters.ts'
import { wasWrittenToLately } from '../../core/messages/queue.ts'
import type { Origin, SsoParts } from '../../core/parts.ts'

type Asked = { site: Sender; email: string; from: Origin; action: Act['action'] }
type Account = { user_id: string; email: string; is_proven: boolean }

/** Mails a link to choose a new password to the active account of this address, at most once a minute. */
export const forgotPassword = (parts: SsoParts, site: Sender, email: string, from: Origin) =>
  askInTime(parts, { site, email, from, action: 'password.reset_requested' }, async (tx, user) => {
    if (!(await wasWrittenToLately(tx, user.user_id, 'password_reset')))
      await queuePasswordReset(tx, parts, { user, site })
  })

/** Sends the link again if the address is not proven, at most once a minute. */
export const resendVerification = (parts: SsoParts, site: Sender, email: string, from: Origin) =>
  askInTime(parts, { site, email, from, action: 'email.verification_requested' }, async (tx, user) => {
    if (!user.is_proven && !(await wasWrittenToLately(tx, user.user_id, 'email_verification')))
      await queueVerification(tx, parts, { user, site })
  })

/**
 * Runs `send` for the active account of the address, locked. The response does not reveal whether there is one or a
 * mail was sent: in every case one transaction writes one audit entry, no hash is computed, and the response leaves at
 * a fixed time.
 */
const askInTime = (
  { passwords, database }: SsoParts,
  { site, email, from, action }: Asked,
  send: (tx: Tx, user: Account) => Promise<void>,
) =>
  passwords.answerInTime(from.ip_address, () =>
    database.transaction(async (tx) => {
      const [user] = await tx<Account[]>`
        select user_id, email, email_proven_at is not null as is_proven from sso.users
         where environment = ${site.environment} and email_fold = ${foldEmail(email)} and status = 'active'
           for no key update`
      if (user) await send(tx, user)
      await recordAct(tx, { action, ...byNobody(site, user?.user_id ?? null) }, from)
    }),
  )
