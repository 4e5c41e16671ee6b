import type { Database, Tx } from '#foundation/database/database.ts'
import type { Handlers, JobContext, JobResult } from '#foundation/jobs/attempt.ts'
import { runNow } from '#foundation/jobs/jobs.ts'
import type { ServiceParts } from '#foundation/http/service.ts'
import type { Handover, MailDriver, SmsDriver } from './drivers.ts'
import { type Body, JOB_KINDS, openBody } from './queue.ts'
import { createSmsHttp, createSmsLog } from './sms.ts'
import { createSmtp, waitForServer } from './smtp.ts'

/** Seconds after which a message is no longer worth sending. An SMS holds a code, which has expired by then. */
const MAX_AGE = { email: 7 * 86_400, sms: 600 }

export type Delivery = { handlers: Handlers; close: () => Promise<void> }

/** The job handlers that send queued messages, with the drivers that the settings select. */
export function openDelivery(parts: ServiceParts): Delivery {
  const { config, log, ssoUrl } = parts
  return deliveryBy(parts, {
    mail: config.SMTP_URL === undefined ? waitForServer : createSmtp(config.SMTP_URL, config, ssoUrl),
    sms: config.SMS_URL === undefined ? createSmsLog(log) : createSmsHttp(config.SMS_URL, config),
  })
}

function deliveryBy({ keys }: ServiceParts, { mail, sms }: { mail: MailDriver; sms: SmsDriver }): Delivery {
  type Send = (message: Due & Body, signal: AbortSignal) => Promise<Handover>
  const handlerOf = (send: Send) => async (context: JobContext) => {
    const message_id = String(context.job.payload['message_id'])
    const due = await findQueued(context.db, message_id)
    // Deleted with its person, or already settled by an earlier attempt.
    if (!due) return
    if (due.is_too_old) return settled(message_id, { is_sent: false, failure: 'too_old', is_final: true })
    const handover = await send({ ...due, ...openBody(keys, message_id, due.body_enc) }, context.signal)
    return settled(message_id, handover)
  }
  return {
    handlers: {
      [JOB_KINDS.email]: handlerOf((message, signal) => mail.send(message, signal)),
      [JOB_KINDS.sms]: handlerOf((message, signal) => sms.send(message, signal)),
    },
    close: async () => {
      await mail.close()
      await sms.close()
    },
  }
}

type Due = { message_id: string; recipient: string; body_enc: Buffer; is_too_old: boolean }

async function findQueued({ fast }: Database, message_id: string): Promise<Due | undefined> {
  const [due] = await fast<Due[]>`
    select message_id, recipient, body_enc,
           created_at < clock_timestamp() - make_interval(secs =>
             case channel when 'sms' then ${MAX_AGE.sms}::int else ${MAX_AGE.email}::int end) as is_too_old
      from sso.messages where message_id = ${message_id} and status = 'queued'`
  return due
}

/**
 * The change that the job engine commits together with the end of the attempt. A message in a final state loses its
 * body.
 */
function settled(message_id: string, handover: Handover): JobResult {
  if (handover.is_sent) return { record: (tx) => settle(tx, message_id, 'sent', null) }
  const { failure, is_final } = handover
  if (is_final) return { record: (tx) => settle(tx, message_id, 'failed', failure) }
  return { error: failure, record: (tx) => noteFailure(tx, message_id, failure) }
}

async function settle(tx: Tx, message_id: string, status: 'sent' | 'failed', failure: string | null) {
  await tx`
    update sso.messages
       set status = ${status}, failure = ${failure}, body_enc = null, finished_at = clock_timestamp()
     where message_id = ${message_id} and status = 'queued'`
}

async function noteFailure(tx: Tx, message_id: string, failure: string) {
  await tx`update sso.messages set failure = ${failure} where message_id = ${message_id} and status = 'queued'`
}

/** Runs at start: mail that waited for SMTP_URL is sent now instead of at its next retry. */
export async function releaseWaitingMail({ database, config }: ServiceParts): Promise<void> {
  if (config.SMTP_URL === undefined) return
  await database.transaction(async (tx) => {
    const waiting = await tx<{ job_id: string }[]>`
      select job_id from sso.messages
       where status = 'queued' and failure = 'no_mail_server' order by created_at, message_id`
    await runNow(
      tx,
      waiting.map(({ job_id }) => job_id),
    )
  })
}
