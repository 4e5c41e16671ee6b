import { type Static, Type } from 'typebox'
import { type Database, type Lane, one } from '#foundation/database/database.ts'
import { forbidden } from '#foundation/errors.ts'
import { CursorQuery, cutPage, orderOf, startOf } from '#foundation/http/cursor-page.ts'
import { page } from '#foundation/http/paging.ts'
import { Nullable, OneOf, Time, Uuid } from '#foundation/http/schemas.ts'
import type { MasterKeys } from '#foundation/security/secrets.ts'
import type { Caller } from '#foundation/security/session-gate.ts'
import { foldEmail } from '#foundation/text.ts'
import { isVisibleFrom, requireOwnSite, rightsOver } from '../access/access.ts'
import { type MessageKind, openBody } from './queue.ts'

export type LoggedMessage = Static<typeof LoggedMessage>
export const LoggedMessage = Type.Object({
  message_id: Uuid,
  site_code: Type.String(),
  user_id: Uuid,
  channel: OneOf(['email', 'sms']),
  kind: Type.String(),
  recipient: Type.String(),
  subject: Nullable(Type.String()),
  text: Nullable(Type.String()),
  status: Type.Literal('logged'),
  created_at: Time,
})

export type MessageQuery = Static<typeof MessageQuery>
export const MessageQuery = Type.Object({
  ...CursorQuery.properties,
  site_code: Type.Optional(Type.String()),
  recipient: Type.Optional(Type.String()),
})

const ORDER = 'messages:-created_at'

/**
 * Messages a sandbox site would have sent to its members, newest first, in plain text so that testers can follow links.
 * A text with a link or code is null if the caller may not manage the person alone: it would open their account at
 * other sites too. 403 for a production site, whose mail only its recipients may read.
 */
export async function listMessages(db: Database, keys: MasterKeys, caller: Caller, query: MessageQuery) {
  const { pool } = db
  const order = orderOf(ORDER, caller, query)
  const { after, skip } = startOf(query, order)
  const site = await requireOwnSite(db.fast, caller, query.site_code)
  if (site.environment !== 'sandbox')
    throw forbidden('sandbox_only', 'Messages of a production site can be read by their recipients only')
  const logged = pool`
    from sso.messages l join sso.memberships here using (user_id, site_id) join sso.users u using (user_id)
   where ${isLoggedFor(pool, site.site_id, query)} and ${isVisibleFrom(pool, caller)}`
  const [found, count] = await Promise.all([
    db.lists(
      caller.user_id,
      pool<Row[]>`
      with logged as (
        select l.message_id, l.user_id, l.channel, l.kind, l.recipient, l.body_enc, l.status, l.created_at
          ${logged}
               ${after ? pool`and (l.created_at, l.message_id) < (${after.key}::timestamptz, ${after.id}::uuid)` : pool``}
         order by l.created_at desc, l.message_id desc
         limit ${query.per_page + 1} offset ${skip})
      select logged.message_id, logged.user_id, logged.channel, logged.kind, logged.recipient, logged.status,
             logged.created_at,
             case when rights.is_exclusive or logged.kind <> all(${OPENING}) then logged.body_enc end as body_enc
        from logged cross join lateral (${rightsOver(pool, caller, pool`logged.user_id`)}) as rights
       order by logged.created_at desc, logged.message_id desc`,
    ),
    db.lists(caller.user_id, pool<{ total: number }[]>`select count(*) as total ${logged}`),
  ])
  const { rows, next_cursor } = cutPage(found, query, order, ({ message_id, created_at }) => ({
    id: message_id,
    key: created_at,
  }))
  const items = rows.map(({ body_enc, ...row }): LoggedMessage => {
    const words = body_enc ? openBody(keys, row.message_id, body_enc) : { subject: null, text: null }
    return { ...row, ...words, site_code: site.site_code }
  })
  return { ...page(items, one(count).total, query), next_cursor }
}

/** Kinds whose text lets the reader act as the person. */
const OPENING: MessageKind[] = [
  'email_verification',
  'password_reset',
  'invitation',
  'sign_up',
  'address_claim',
  'mfa_code',
  'email_change',
  'email_undo',
]

type Row = Omit<LoggedMessage, 'site_code' | 'subject' | 'text'> & { body_enc: Buffer | null }

const isLoggedFor = (sql: Lane, site_id: string, { recipient }: MessageQuery) => sql`
  l.site_id = ${site_id} and l.status = 'logged'
  and ${recipient === undefined ? sql`true` : sql`lower(l.recipient) = ${foldEmail(recipient)}`}`
