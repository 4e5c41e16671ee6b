import type { AddressInfo } from 'node:net'
import PostalMime, { type Email } from 'postal-mime'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { eventually } from './eventually.ts'

export type ReceivedMail = {
  to: string
  isSecure: boolean
  user: string | undefined
  mail: Email
  at: number
}

type Options = {
  /** Called with each complete mail; if it throws, the error is the SMTP reply instead of 250. */
  judge?: (received: ReceivedMail) => Promise<void> | void
  /** Called with each recipient before the mail data is sent. */
  judgeRecipient?: (to: string) => void
  server?: SMTPServerOptions
  account?: { user: string; pass: string }
}

/** An SMTP error reply with this code. */
export const smtpRefusal = (responseCode: number, message: string) =>
  Object.assign(new Error(message), { responseCode })

/** A real mail server on loopback. It keeps every mail it receives. */
export async function startMailServer({
  judge,
  judgeRecipient,
  server: options = {},
  account,
}: Options = {}) {
  const received: ReceivedMail[] = []
  const server = new SMTPServer({
    logger: false,
    authOptional: account === undefined,
    ...(account === undefined && { disabledCommands: ['AUTH', 'STARTTLS'] }),
    onAuth(auth, _session, answer) {
      if (auth.username === account?.user && auth.password === account?.pass)
        return answer(null, { user: auth.username ?? '' })
      answer(smtpRefusal(535, 'Authentication failed'))
    },
    onRcptTo({ address }, _session, answer) {
      try {
        judgeRecipient?.(address)
        answer()
      } catch (error) {
        answer(error as Error)
      }
    },
    onData(stream, session, answer) {
      const take = async () => {
        const chunks: Buffer[] = []
        for await (const chunk of stream) chunks.push(chunk as Buffer)
        const mail = {
          to: session.envelope.rcptTo.map(({ address }) => address).join(),
          isSecure: Boolean(session.secure),
          user: session.user as string | undefined,
          mail: await PostalMime.parse(Buffer.concat(chunks)),
          at: performance.now(),
        }
        received.push(mail)
        await judge?.(mail)
      }
      take().then(
        () => answer(),
        (error: unknown) => answer(error as Error),
      )
    },
    ...options,
  })
  server.on('error', () => {})
  const port = await new Promise<number>((listening) => {
    const net = server.listen(0, '127.0.0.1', () => listening((net.address() as AddressInfo).port))
  })
  return {
    port,
    url: `smtp://127.0.0.1:${port}`,
    received,
    to: (address: string) => received.filter((each) => each.to === address),
    /** Waits until `count` mails for the address have arrived. */
    wants: (address: string, count: number): Promise<ReceivedMail[]> =>
      eventually(
        () => received.filter((each) => each.to === address),
        (mails) => mails.length >= count,
      ),
    close: () => new Promise<void>((closed) => server.close(closed)),
  }
}
