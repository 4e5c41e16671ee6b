import assert from 'node:assert/strict'
import { type World, world } from './world.ts'

export type OutboxMail = {
  message_id: string
  kind: string
  status: string
  failure: string | null
  subject: string
  text: string
  /** The one-time token of the link, if the mail has one. */
  token: string
}

/** All messages to this address whose text is still stored, oldest first, as the outbox would send them. */
export async function mailsTo(email: string, lyceum?: World): Promise<OutboxMail[]> {
  const { db, parts } = lyceum ?? (await world())
  const rows = await db.pool<(Omit<OutboxMail, 'subject' | 'text' | 'token'> & { body_enc: Buffer })[]>`
    select message_id, kind, status, failure, body_enc from sso.messages
     where recipient = ${email} and body_enc is not null order by created_at, message_id`
  return rows.map(({ body_enc, ...row }) => {
    const words = JSON.parse(parts.keys.open(body_enc, `message/${row.message_id}`).toString()) as {
      subject: string
      text: string
    }
    return { ...row, ...words, token: /#token=(\S+)/.exec(words.text)?.[1] ?? '' }
  })
}

/** The token in the newest mail of this kind to the address. */
export async function tokenFor(email: string, kind: string, lyceum?: World): Promise<string> {
  const mail = (await mailsTo(email, lyceum)).findLast((each) => each.kind === kind)
  assert.ok(mail, `no ${kind} was sent to ${email}`)
  return mail.token
}
