import type { Lane, Tx } from '#foundation/database/database.ts'
import { newId } from '#foundation/ids.ts'
import { enqueue } from '#foundation/jobs/jobs.ts'
import type { Language } from '#foundation/web/client/texts.ts'
import type { MasterKeys } from '#foundation/security/secrets.ts'
import type { SsoParts } from '../parts.ts'
import { takeTurn } from './turns.ts'

export const MESSAGE_KINDS = [
  'email_verification',
  'password_reset',
  'invitation',
  'address_claim',
  'sign_up',
  'account_exists_notice',
  'email_changed_notice',
  'password_changed_notice',
  'factor_removed_notice',
  'factor_added_notice',
  'recovery_codes_notice',
  'new_device_notice',
  'second_factor_failed_notice',
  'email_change',
  'email_change_asked_notice',
  'email_undo',
  'account_handed_over_notice',
  'mfa_code',
  'deprecation_notice',
  'deletion_untold_notice',
  'learning_letter',
] as const
export type MessageKind = (typeof MESSAGE_KINDS)[number]

export type Message = {
  /** The recipient's environment; it decides whether the message is sent at all. */
  environment: 'sandbox' | 'production'
  /** The site on whose behalf it is sent, if any; in the sandbox its ADMIN can read the message. */
  site_id: string | null
  user_id: string
  channel: 'email' | 'sms'
  kind: MessageKind
  /** An e-mail address, or a phone number in E.164. */
  recipient: string
  /** A code proved the number of this SMS before. */
  is_active?: boolean
  /** A new one by default. */
  message_id?: string
} & Body

export const JOB_KINDS = { email: 'sso.email', sms: 'sso.sms' } as const
/** Retry delays in seconds; the last one repeats until the message is too old. */
const DELAYS = [10, 60, 300, 1_800, 7_200, 3_600]
/** Longer than any attempt takes: connecting, the greeting and each reply have their own timeouts. */
const LEASE_SECONDS = 60

/**
 * The one door of all mail and SMS. Stores a message with an encrypted body and, in production, queues the job that
 * sends it, in its turn among the messages to the same recipient (turns.ts). Both are part of the caller's transaction,
 * so they commit with the change they report. In the sandbox the message is `logged` and never sent; a mail over the
 * daily bound is `failed`, as `too_many`. Returns the message_id. 429 for too many codes.
 */
export async function queueMessage(
  tx: Tx,
  { keys }: Pick<SsoParts, 'keys'>,
  message: Message,
): Promise<string> {
  const { environment, site_id, user_id, channel, kind, recipient, message_id = newId(), ...rest } = message
  const { subject, text, language, unsubscribe_url } = rest
  const turn = await takeTurn(tx, keys, message)
  const status = turn === undefined ? 'failed' : environment === 'sandbox' ? 'logged' : 'queued'
  const [job_id = null] =
    status === 'queued' ? await enqueue(tx, [{ ...jobOf(message_id, channel), ...turn }]) : []
  const body_enc =
    status === 'failed' ? null : sealBody(keys, message_id, { subject, text, language, unsubscribe_url })
  await tx`
    insert into sso.messages (message_id, environment, site_id, user_id, channel, kind, recipient, body_enc, status,
                              job_id, failure, finished_at)
    values (${message_id}, ${environment}, ${site_id}, ${user_id}, ${channel}, ${kind}, ${recipient}, ${body_enc},
            ${status}, ${job_id}, ${status === 'failed' ? 'too_many' : null},
            case when ${status} = 'failed' then clock_timestamp() end)`
  return message_id
}

const jobOf = (message_id: string, channel: Message['channel']) => ({
  kind: JOB_KINDS[channel],
  payload: { message_id },
  delays: DELAYS,
  is_endless: true,
  lease_seconds: LEASE_SECONDS,
})

/**
 * True if this person was mailed this kind within the last minute; callers then skip a second link, which would say the
 * same.
 */
export async function wasWrittenToLately(sql: Lane, user_id: string, kind: MessageKind): Promise<boolean> {
  const rows = await sql`
    select from sso.messages
     where user_id = ${user_id} and kind = ${kind} and channel = 'email'
       and created_at > statement_timestamp() - interval '1 minute'
     limit 1`
  return rows.length > 0
}

/** English unless `language` says otherwise. */
export type Body = {
  subject: string
  text: string
  language?: Language | undefined
  /** For the headers of RFC 8058. */
  unsubscribe_url?: string | undefined
}

const sealBody = (keys: MasterKeys, message_id: string, body: Body) =>
  keys.seal(Buffer.from(JSON.stringify(body)), `message/${message_id}`)

/** Decrypts the body of a queued message. Throws when the key that encrypted it is gone. */
export const openBody = (keys: MasterKeys, message_id: string, body_enc: Buffer) =>
  JSON.parse(keys.open(body_enc, `message/${message_id}`).toString()) as Body
