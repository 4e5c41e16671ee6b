import { isIP } from 'node:net'
import { createTransport, type NodemailerError } from 'nodemailer'
import type { Config } from '#foundation/settings/config.ts'
import { hostOf } from '#foundation/outbound/vetting.ts'
import { later, type Handover, type MailDriver, never, SENT } from './drivers.ts'
import { htmlOf } from './templates.ts'

/** RFC 5321 is more patient; whoever waits for a link is not, and another attempt follows. */
const LIMITS = { connectionTimeout: 5_000, greetingTimeout: 5_000, socketTimeout: 10_000 }
/** What ends an attempt whose server answers a byte at a time: under the lease of the job, over all of the above. */
const ATTEMPT_MS = 45_000

/** Without a server every mail waits: it leaves once the program is started with SMTP_URL. */
export const waitForServer: MailDriver = { send: async () => later('no_mail_server'), close: () => {} }

/** Mail by SMTP_URL. TLS is as the address says: smtps:// from the first byte, smtp:// where the server offers it. */
export function createSmtp(smtpUrl: string, { MAIL_FROM }: Pick<Config, 'MAIL_FROM'>, ssoUrl: () => string) {
  const transport = createTransport({
    url: withoutDialogue(smtpUrl),
    pool: true,
    maxConnections: 4,
    // Our jobs try again, and they know when to stop.
    maxRequeues: 0,
    idleTimeout: 30_000,
    disableFileAccess: true,
    disableUrlAccess: true,
    ...LIMITS,
  })
  // An idle connection that the server closes is no mail that failed.
  transport.on('error', () => {})

  const driver: MailDriver = {
    async send({ message_id, recipient, subject, text }, signal) {
      const host = senderHost(ssoUrl())
      try {
        await transport.sendMail({
          from: MAIL_FROM ?? `Lyceum <no-reply@${host}>`,
          to: { name: '', address: recipient },
          messageId: `<${message_id}@${host}>`,
          subject,
          text,
          html: htmlOf(text),
          headers: { 'Auto-Submitted': 'auto-generated' },
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

/**
 * Final is what the server says of this mail for good: 5xx to the sender, the recipient or the message. 530 and the
 * like speak of our own sign-in, which an operator mends. The answer itself may quote the address and is not kept.
 */
function handoverOf({ code = 'error', responseCode }: NodemailerError): Handover {
  const isOfThisMail = code === 'EENVELOPE' || code === 'EMESSAGE'
  const failure = responseCode ? `smtp_${responseCode}` : `smtp_${code.toLowerCase()}`
  const isForGood =
    responseCode === undefined || (responseCode >= 500 && ![530, 534, 535, 538].includes(responseCode))
  return isOfThisMail && isForGood ? never(failure) : later(failure)
}

/** The host of the public address, where it is a name: an address would not do as the domain of a mailbox. */
function senderHost(ssoUrl: string): string {
  const host = URL.canParse(ssoUrl) ? hostOf(new URL(ssoUrl)) : ''
  return host === '' || isIP(host) > 0 ? 'localhost' : host
}

/** The address may carry options of the library; those that write the dialogue, and so the mail, to the log are dropped. */
function withoutDialogue(smtpUrl: string): string {
  const url = new URL(smtpUrl)
  for (const name of ['logger', 'debug', 'transactionLog']) url.searchParams.delete(name)
  return url.href
}
