import { type Static, Type } from 'typebox'
import type { Lane } from '#foundation/database/database.ts'
import { bothOf } from '#foundation/database/lists.ts'
import { forbidden } from '#foundation/errors.ts'
import { CursorQuery, cursorPage, startOf } from '#foundation/http/cursor-page.ts'
import { Nullable, OneOf, Time, Uuid } from '#foundation/http/schemas.ts'
import type { Caller } from '#foundation/security/session-gate.ts'
import { foldEmail } from '#foundation/text.ts'
import {
  isOperator,
  isOperatorNow,
  isVisibleFrom,
  requireOwnSite,
  rightsOver,
  sitesOfAdmin,
} from '../../core/access/access.ts'
import { type MessageKind, openBody } from '../../core/messages/queue.ts'
import type { SsoParts } from '../../core/parts.ts'
import { REPEATABLE } from '../../people/letters/letters.ts'

type Parts = Pick<SsoParts, 'database' | 'keys'>

const Status = OneOf(['queued', 'sent', 'failed', 'logged'])

export type OutboxMessage = Static<typeof OutboxMessage>
export const OutboxMessage = Type.Object({
  message_id: Uuid,
  site_code: Nullable(Type.String()),
  user_id: Uuid,
  environment: OneOf(['sandbox', 'production']),
  channel: OneOf(['email', 'sms']),
  kind: Type.String(),
  /** Null in production for an ADMIN of the site, where it is not the current address of the person. */
  recipient: Nullable(Type.String()),
  /** The words are shown in the sandbox only, so that testers can follow links. */
  subject: Nullable(Type.String()),
  text: Nullable(Type.String()),
  status: Status,
  failure: Nullable(Type.String()),
  attempts: Nullable(Type.Integer()),
  next_attempt_at: Nullable(Time),
  may_resend: Type.Boolean(),
  resent_as: Nullable(Uuid),
  created_at: Time,
  finished_at: Nullable(Time),
})

export type OutboxQuery = Static<typeof OutboxQuery>
export const OutboxQuery = Type.Object({
  ...CursorQuery.properties,
  site_code: Type.Optional(Type.String()),
  status: Type.Optional(Status),
  kind: Type.Optional(Type.String({ maxLength: 64 })),
  recipient: Type.Optional(Type.String({ maxLength: 254 })),
  message_id: Type.Optional(Uuid),
})

/**
 * Messages to members of the sites that the caller is ADMIN of, newest first; an operator sees all. With site_code only
 * those of that site: 404 for a site they may not see, 403 for one they do not administer.
 */
export async function listOutbox({ database: db, keys }: Parts, caller: Caller, query: OutboxQuery) {
  const { fast, pool } = db
  const { site_code, status, kind, recipient, message_id } = query
  const site = site_code === undefined ? undefined : await requireOwnSite(fast, caller, site_code)
  const { order, after, skip } = startOf('outbox:-message_id', caller, query)
  const chosen = pool`
    from sso.messages m left join sso.users u using (user_id)
   where ${isShown(pool, caller)}
     ${site === undefined ? pool`` : pool`and m.site_id = ${site.site_id}`}
     ${status === undefined ? pool`` : pool`and ${isIn(pool, status)}`}
     ${kind === undefined ? pool`` : pool`and m.kind = ${kind}`}
     ${recipient === undefined ? pool`` : pool`and lower(m.recipient) = ${foldEmail(recipient)} and ${isKnown(pool, caller)}`}
     ${message_id === undefined ? pool`` : pool`and m.message_id = ${message_id}`}`
  const [found, count] = await bothOf(db.lists, caller.user_id, [
    pool<(Omit<OutboxMessage, 'subject' | 'text'> & { body_enc: Buffer | null })[]>`
      with picked as (
        select m.*, case when ${isKnown(pool, caller)} then m.recipient end as shown, ${isRepeatable(pool)} as may_resend
          ${chosen} ${after ? pool`and m.message_id < ${after.id}::uuid` : pool``}
         order by m.message_id desc limit ${query.per_page + 1} offset ${skip})
      select o.message_id, i.site_code, o.user_id, o.environment, o.channel, o.kind, o.shown as recipient, o.status,
             o.failure, j.attempts, case when o.status = 'queued' then j.run_at end as next_attempt_at, o.may_resend,
             o.resent_as, o.created_at, o.finished_at,
             case when o.status = 'logged' and (r.is_exclusive or o.kind <> all(${OPENING})) then o.body_enc end as body_enc
        from picked o left join sso.sites i using (site_id) left join foundation.jobs j using (job_id)
        left join lateral (${rightsOver(pool, caller, pool`o.user_id`)}) as r on o.status = 'logged'
       order by o.message_id desc`,
    pool<{ total: number }[]>`select count(*) as total ${chosen}`,
  ])
  return cursorPage(
    { found, count, query, order },
    ({ message_id: id, created_at: key }) => ({
      id,
      key,
    }),
    ({ body_enc, ...row }) => {
      const { subject, text } = body_enc
        ? openBody(keys, row.message_id, body_enc)
        : { subject: null, text: null }
      return { ...row, subject, text }
    },
  )
}

/** Messages that a sandbox site would have sent to its members. 403 for a production site. */
export async function listSandboxMail(parts: Parts, caller: Caller, query: OutboxQuery) {
  const { environment, site_code } = await requireOwnSite(parts.database.fast, caller, query.site_code)
  if (environment !== 'sandbox')
    throw forbidden('sandbox_only', 'Messages of a production site can be read by their recipients only')
  return listOutbox(parts, caller, { ...query, site_code, status: 'logged' })
}

/**
 * Kinds whose text lets the reader act as the person, so it is shown only to whoever may manage the person alone: it would
 * open their account at other sites too.
 */
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

/** Conditions on a message `m` to a person `u`. A site writes to strangers too, and must not learn who they are. */
export const isShown = (sql: Lane, caller: Caller) =>
  isOperator(caller)
    ? isOperatorNow(sql, caller)
    : sql`m.site_id in (${sitesOfAdmin(sql, caller)}) and ${isVisibleFrom(sql, caller)} and exists (
            select from sso.memberships here where here.user_id = m.user_id and here.site_id = m.site_id)`

/** As literals, since a plan for any state cannot use the indexes of the queued and of the failed ones. */
const isIn = (sql: Lane, status: OutboxMessage['status']) =>
  status === 'queued' || status === 'failed'
    ? { queued: sql`m.status = 'queued'`, failed: sql`m.status = 'failed'` }[status]
    : sql`m.status = ${status}`

const isKnown = (sql: Lane, caller: Caller) =>
  isOperator(caller) ? sql`true` : sql`(m.status = 'logged' or m.recipient = u.email)`

/** A failed mail that can be written anew, as its person still has the address. An SMS held a code, which has ended. */
export const isRepeatable = (sql: Lane) => sql`(
  m.status = 'failed' and m.resent_as is null and m.kind = any(${Object.keys(REPEATABLE)}) and m.recipient = u.email
  and u.status = 'active' and (m.kind <> 'email_verification' or u.email_proven_at is null)
  and exists (select from sso.sites i where i.site_id = m.site_id and i.deleted_at is null))`
