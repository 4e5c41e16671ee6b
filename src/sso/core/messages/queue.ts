import type { Lane, Tx } from '#foundation/database/database.ts'
import { newId } from '#foundation/ids.ts'
import { enqueue } from '#foundation/jobs/jobs.ts'
import type { MasterKeys } from '#foundation/security/secrets.ts'
import type { SsoParts } from '../parts.ts'

export type MessageKind =
  | 'email_verification'
  | 'password_reset'
  | 'invitation'
  | 'address_claim'
  | 'sign_up'
  | 'account_exists_notice'
  | 'email_changed_notice'
  | 'password_changed_notice'
  | 'factor_removed_notice'
  | 'factor_added_notice'
  | 'recovery_codes_notice'
  | 'new_device_notice'
  | 'second_factor_failed_notice'
  | 'email_change'
  | 'email_change_asked_notice'
  | 'email_undo'
  | 'account_handed_over_notice'
  | 'mfa_code'
  | 'deprecation_notice'
  | 'deletion_untold_notice'

export type Message = {
  /** That of the person written to: it decides whether the message may leave. */
  environment: 'sandbox' | 'production'
  /** The site on whose behalf, where there is one: its ADMIN reads the messages of a sandbox. */
  site_id: string | null
  user_id: string
  channel: 'email' | 'sms'
  kind: MessageKind
  /** An e-mail address, or a number in E.164. */
  recipient: string
  subject: string
  text: string
}

/** Jobs of one kind per channel. */
export const JOB_KINDS = { email: 'sso.email', sms: 'sso.sms' } as const
/** Seconds between attempts; the last one repeats until the message is too old. */
const DELAYS = [10, 60, 300, 1_800, 7_200, 3_600]
/** Longer than any attempt takes: connecting, greeting and every answer have limits of their own. */
const LEASE_SECONDS = 60

/**
 * Writes a message, its words sealed, and in production the job that sends it, in the caller's transaction: both leave
 * with the fact they speak of, or not at all. In the sandbox it is `logged` and never sent. Returns the message_id.
 */
export async function queueMessage(
  tx: Tx,
  { keys }: Pick<SsoParts, 'keys'>,
  message: Message,
): Promise<string> {
  const { environment, site_id, user_id, channel, kind, recipient, subject, text } = message
  const message_id = newId()
  const isSandbox = environment === 'sandbox'
  const [job_id = null] = isSandbox ? [] : await enqueue(tx, [jobOf(message_id, channel)])
  await tx`
    insert into sso.messages (message_id, environment, site_id, user_id, channel, kind, recipient, body_enc, status,
                              job_id)
    values (${message_id}, ${environment}, ${site_id}, ${user_id}, ${channel}, ${kind}, ${recipient},
            ${sealBody(keys, message_id, { subject, text })}, ${isSandbox ? 'logged' : 'queued'}, ${job_id})`
  return message_id
}

const jobOf = (message_id: string, channel: Message['channel']) => ({
  kind: JOB_KINDS[channel],
  payload: { message_id },
  delays: DELAYS,
  is_endless: true,
  lease_seconds: LEASE_SECONDS,
})

/** True when this person was mailed one of this kind within the last minute: nobody's mailbox is flooded through us. */
export async function wasWrittenToLately(sql: Lane, user_id: string, kind: MessageKind): Promise<boolean> {
  const rows = await sql`
    select from sso.messages
     where user_id = ${user_id} and kind = ${kind} and channel = 'email'
       and created_at > statement_timestamp() - interval '1 minute'
     limit 1`
  return rows.length > 0
}

export type Body = { subject: string; text: string }

const sealBody = (keys: MasterKeys, message_id: string, body: Body) =>
  keys.seal(Buffer.from(JSON.stringify(body)), `message/${message_id}`)

/** The words of a message as they were queued. Throws when the key that sealed them is gone. */
export const openBody = (keys: MasterKeys, message_id: string, body_enc: Buffer) =>
  JSON.parse(keys.open(body_enc, `message/${message_id}`).toString()) as Body
