import type { Lane, Tx } from '#foundation/database/database.ts'
import { tooMany, unprocessable } from '#foundation/errors.ts'
import { newId } from '#foundation/ids.ts'
import { randomToken, sha256 } from '#foundation/security/secrets.ts'
import type { Caller } from '#foundation/security/session-gate.ts'
import { foldEmail } from '#foundation/text.ts'
import { recordAct } from '../../core/audit/audit.ts'
import { queueLetter, queueNotice, queuePasswordReset, type Sender } from '../letters/letters.ts'
import { wasWrittenToLately } from '../../core/messages/queue.ts'
import type { Origin, SsoParts } from '../../core/parts.ts'
import { deadLink, voidOneTimeTokens } from '../letters/one-time-tokens.ts'
import { type Given, holderOf, isHeldBy } from '../sessions/holder.ts'
import { endSessions } from '../sessions/sessions.ts'
import { deleteChallenges } from '../sessions/waiting.ts'
import { emailTaken, isHeldForAnother, takenBy } from '../person/insert.ts'
import { tellProfileChanged } from '../person/tell.ts'
import { removeWhatWasAddedSince, setAddress } from './set-address.ts'
import { lockUser } from '../person/users.ts'

const PROVE_HOURS = 24
const UNDO_DAYS = 7

type Asked = { caller: Caller; old_email: string; new_email: string; site: Sender; from: Origin }

/**
 * Starts an e-mail change. Owning the mailbox means owning the account, so the new address must be proven: a link goes
 * there, and the old address is notified. Replaces an earlier request. The caller holds the lock of the users row. 409
 * email_taken, 429 for a second link within a minute.
 */
export async function askEmailChange(tx: Tx, parts: SsoParts, asked: Asked): Promise<void> {
  const { caller, old_email, new_email, site, from } = asked
  const { user_id, session_id, environment } = caller
  const fold = foldEmail(new_email)
  const [other] = await tx`
    select from sso.users where environment = ${environment} and email_fold = ${fold} and status <> 'deleted'`
  if (other || (await isHeldForAnother(tx, environment, fold, user_id))) throw emailTaken()
  if (await wasWrittenToLately(tx, user_id, 'email_change'))
    throw tooMany('too_many_attempts', 'A link to a new address was sent within the last minute', 60)
  await cancelEmailChange(tx, user_id)
  const token = randomToken('ott_')
  await tx`
    insert into sso.email_changes (change_id, user_id, session_id, site_id, environment, old_email, old_fold, new_email,
                                   token_hash, expires_at)
    values (${newId()}, ${user_id}, ${session_id}, ${site.site_id}, ${environment}, ${old_email},
            ${foldEmail(old_email)}, ${new_email}, ${sha256(token)},
            clock_timestamp() + make_interval(hours => ${PROVE_HOURS}))`
  const link = `${parts.ssoUrl()}/account/email-confirm#token=${token}`
  await queueLetter(tx, parts, 'email_change', { user: { user_id, email: new_email }, site, link })
  await queueNotice(tx, parts, 'email_change_asked_notice', { user: { user_id, email: old_email }, site })
  await recordAct(tx, actOf('email.change_asked', environment, user_id, site.site_id), from)
}

/** Cancels a pending e-mail change. The transaction must hold the lock of the users row. */
export async function cancelEmailChange(tx: Tx, user_id: string): Promise<boolean> {
  const rows = await tx`delete from sso.email_changes where user_id = ${user_id} and done_at is null`
  return rows.count > 0
}

type Change = {
  change_id: string
  user_id: string
  session_id: string
  site_id: string | null
  site_code: string
  environment: 'sandbox' | 'production'
  old_email: string
  new_email: string
  /** The old mailbox had proven the account before the change. */
  was_clean: boolean
}

/** The e-mail change that this mailed link belongs to. 401 token_invalid. */
async function requireChange(sql: Lane, token: string, link: 'confirm' | 'undo'): Promise<Change> {
  const hash = sha256(token)
  const isMeant =
    link === 'confirm'
      ? sql`c.token_hash = ${hash} and c.done_at is null and c.expires_at > clock_timestamp()`
      : sql`c.undo_hash = ${hash} and c.undo_until > clock_timestamp()`
  const [change] = await sql<Change[]>`
    select c.change_id, c.user_id, c.session_id, c.site_id, coalesce(i.site_code, 'lyceum') as site_code,
           c.environment, c.old_email, c.new_email, c.was_clean
      from sso.email_changes c join sso.users u using (user_id) left join sso.sites i on i.site_id = c.site_id
     where ${isMeant} and u.status = 'active'`
  if (!change) throw deadLink()
  return change
}

/** The same with the person locked, in a new statement, so that it sees the state under the lock. */
async function lockChange(tx: Tx, token: string, link: 'confirm' | 'undo'): Promise<Change> {
  await lockUser(tx, (await requireChange(tx, token, link)).user_id)
  return requireChange(tx, token, link)
}

/**
 * Handles the link to the new mailbox: changes and verifies the address, ends all sessions but the requesting one, and
 * mails the old address an undo link valid for seven days. The mailbox may be a stranger's, so the account's password
 * or a session is needed too. 401 token_invalid, invalid_credentials; 409 email_taken; 422 password_required, 429.
 * Returns the new address.
 */
export async function confirmEmailChange(
  parts: SsoParts,
  { token, ...given }: Given & { token: string },
  from: Origin,
): Promise<string> {
  const { user_id, environment, old_email } = await requireChange(parts.database.fast, token, 'confirm')
  const holder = await holderOf(parts, { user_id, environment, email: old_email }, given, from)
  try {
    return await parts.database.transaction(async (tx) => {
      const change = await lockChange(tx, token, 'confirm')
      const { change_id, new_email, session_id, site_id } = change
      const [held] =
        await tx`select from sso.users u where u.user_id = ${user_id} and ${isHeldBy(tx, holder)}`
      if (!held)
        throw unprocessable(
          'password',
          'password_required',
          'is needed, unless you are signed in to this account here',
        )
      if (await isHeldForAnother(tx, environment, foldEmail(new_email), user_id)) throw emailTaken()
      const undo = randomToken('ott_')
      const link = `${parts.ssoUrl()}/account/email-undo#token=${undo}`
      // While the address is still the person's: this warning waits for no other mail.
      await queueLetter(tx, parts, 'email_undo', { user: { user_id, email: old_email }, site: change, link })
      const { fields, was_clean } = await setAddress(tx, user_id, new_email)
      await tx`
        update sso.email_changes
           set done_at = clock_timestamp(), undo_hash = ${sha256(undo)}, was_clean = ${was_clean},
               undo_until = clock_timestamp() + make_interval(days => ${UNDO_DAYS})
         where change_id = ${change_id} and user_id = ${user_id}`
      await deleteChallenges(tx, user_id)
      await endSessions(tx, {
        user_id,
        scope: { except_session_id: session_id },
        reason: 'email_changed',
        always_bump: true,
        caller: { user_id, site_id },
        from,
      })
      await recordAct(tx, actOf('email.changed', environment, user_id, site_id), from)
      await tellProfileChanged(tx, user_id, fields)
      return new_email
    })
  } catch (error) {
    throw takenBy(error) ?? error
  }
}

/**
 * Handles the undo link; it assumes a thief had password and factor. Restores the old address, removes what was added
 * or consented to since, disables the password, ends all sessions and mails a reset link. 401 token_invalid, 409
 * email_taken. Returns the address.
 */
export async function undoEmailChange(parts: SsoParts, token: string, from: Origin): Promise<string> {
  try {
    return await parts.database.transaction(async (tx) => {
      const change = await lockChange(tx, token, 'undo')
      const { user_id, old_email, environment, site_id } = change
      const { fields } = await setAddress(tx, user_id, old_email)
      await removeWhatWasAddedSince(tx, user_id, change)
      await deleteChallenges(tx, user_id)
      await voidOneTimeTokens(tx, user_id, ['password_reset', 'invitation', 'email_verification'])
      await endSessions(tx, {
        user_id,
        scope: 'everywhere',
        reason: 'email_change_undone',
        always_bump: true,
        caller: { user_id, site_id },
        from,
      })
      await queuePasswordReset(tx, parts, { user: { user_id, email: old_email }, site: change })
      await recordAct(tx, actOf('email.change_undone', environment, user_id, site_id), from)
      await tellProfileChanged(tx, user_id, fields)
      return old_email
    })
  } catch (error) {
    throw takenBy(error) ?? error
  }
}

const actOf = (
  action: 'email.change_asked' | 'email.changed' | 'email.change_undone',
  environment: 'sandbox' | 'production',
  user_id: string,
  site_id: string | null,
) => ({ action, environment, site_id, actor_user_id: user_id, subject_user_id: user_id })
