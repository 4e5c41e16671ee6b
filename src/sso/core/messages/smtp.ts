import { isIP } from 'node:net'
import { createTransport, type NodemailerError } from 'nodemailer'
import type { Config } from '#foundation/settings/config.ts'
import { hostOf } from '#foundation/outbound/vetting.ts'
import { later, type Handover, type MailDriver, never, SENT } from './drivers.ts'
import type { Body } from './queue.ts'
import { htmlOf } from './templates.ts'

/** Milliseconds. RFC 5321 allows longer, but a person is waiting for the link, and a retry follows anyway. */
const LIMITS = { connectionTimeout: 5_000, greetingTimeout: 5_000, socketTimeout: 10_000 }
/**
 * Overall timeout for a server that answers byte by byte: longer than the limits above, shorter than the job's lease.
 */
const ATTEMPT_MS = 45_000

/** Used without SMTP_URL: every mail stays queued until the program is started with SMTP_URL. */
export const waitForServer: MailDriver = { send: async () => later('no_mail_server'), close: () => {} }

/**
 * Sends mail through SMTP_URL. smtps:// uses TLS from the first byte; smtp:// uses STARTTLS where the server offers it.
 */
export function createSmtp(smtpUrl: string, { MAIL_FROM }: Pick<Config, 'MAIL_FROM'>, ssoUrl: () => string) {
  const transport = createTransport({
    url: withoutDialogue(smtpUrl),
    pool: true,
    maxConnections: 4,
    // Our jobs retry, and they know when to stop.
    maxRequeues: 0,
    idleTimeout: 30_000,
    disableFileAccess: true,
    disableUrlAccess: true,
    ...LIMITS,
  })
  // A server that closes an idle connection is not a failed delivery.
  transport.on('error', () => {})

  const driver: MailDriver = {
    async send({ message_id, recipient, ...body }, signal) {
      const host = senderHost(ssoUrl())
      try {
        await transport.sendMail({
          from: MAIL_FROM ?? `Lyceum <no-reply@${host}>`,
          to: { name: '', address: recipient },
          messageId: `<${message_id}@${host}>`,
          subject: body.subject,
          text: body.text,
          html: htmlOf(body),
          headers: { 'Auto-Submitted': 'auto-generated', ...unsubscribeHeaders(body) },
          signal: AbortSignal.any([signal, AbortSignal.timeout(ATTEMPT_MS)]),
        })
        return SENT
      } catch (error) {
        return handoverOf(error as NodemailerError)
      }
    },
    close: () => transport.close({ force: true }),
  }
  return driver
}

/** One click in the mail program ends letters of this kind (RFC 8058). */
const unsubscribeHeaders = ({ unsubscribe_url }: Body): Record<string, string> =>
  unsubscribe_url === undefined
    ? {}
    : {
        'List-Unsubscribe': `<${new URL(unsubscribe_url).href}>`,
        'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
      }

/**
 * Final: 5xx to the sender, the recipient or the message. 530 and similar codes concern our own sign-in, which an
 * operator can fix. The reply text may quote the address, so it is not kept.
 */
function handoverOf({ code = 'error', responseCode }: NodemailerError): Handover {
  const isOfThisMail = code === 'EENVELOPE' || code === 'EMESSAGE'
  const failure = responseCode ? `smtp_${responseCode}` : `smtp_${code.toLowerCase()}`
  const isForGood =
    responseCode === undefined || (responseCode >= 500 && ![530, 534, 535, 538].includes(responseCode))
  return isOfThisMail && isForGood ? never(failure) : later(failure)
}

/** The host of the public address if it is a name; an IP address is not valid as the domain of a mailbox. */
function senderHost(ssoUrl: string): string {
  const host = URL.canParse(ssoUrl) ? hostOf(new URL(ssoUrl)) : ''
  return host === '' || isIP(host) > 0 ? 'localhost' : host
}

/** SMTP_URL may carry options of the mail library. Those that log the dialogue, and with it the mail, are removed. */
function withoutDialogue(smtpUrl: string): string {
  const url = new URL(smtpUrl)
  for (const name of ['logger', 'debug', 'transactionLog']) url.searchParams.delete(name)
  return url.href
}
