import { type Static, Type } from 'typebox'
import { badRequest } from '#foundation/errors.ts'
import type { Database, Lane } from '#foundation/database/database.ts'
import type { Viewer } from '../access/access.ts'
import { type Kind, KINDS } from './notify.ts'

const Wanted = Type.Object({ in_page: Type.Boolean(), by_mail: Type.Boolean() })
type Wanted = Static<typeof Wanted>

/** Whether the person hears of each kind in the page and by mail. */
export const Preferences = Type.Object({
  graded: Wanted,
  due: Wanted,
  episode: Wanted,
  answer: Wanted,
})
export type Preferences = Static<typeof Preferences>

/** Kinds that are not sent stay as they are. */
export const PreferencesChange = Type.Partial(Preferences)

/** Without a setting a person hears of everything in both ways. */
export async function readPreferences(sql: Lane, { tenant_id, user_id }: Viewer): Promise<Preferences> {
  const rows = await sql<(Wanted & { kind: Kind })[]>`
    select kind, in_page, by_mail from learning.notification_settings
     where tenant_id = ${tenant_id} and user_id = ${user_id}`
  const known = new Map(rows.map(({ kind, ...wanted }) => [kind, wanted]))
  const of = (kind: Kind): Wanted => known.get(kind) ?? { in_page: true, by_mail: true }
  return { graded: of('graded'), due: of('due'), episode: of('episode'), answer: of('answer') }
}

export async function changePreferences(
  { pool }: Database,
  viewer: Viewer,
  change: Static<typeof PreferencesChange>,
): Promise<Preferences> {
  const rows = KINDS.flatMap((kind) => (change[kind] ? [{ kind, ...change[kind] }] : []))
  if (rows.length === 0) throw badRequest('nothing_to_change', 'The body has no field that can be changed')
  await pool`
    insert into learning.notification_settings (tenant_id, user_id, kind, in_page, by_mail)
    select ${viewer.tenant_id}, ${viewer.user_id}, kind, in_page, by_mail
      from jsonb_to_recordset(${pool.json(rows)}) as sent(kind text, in_page boolean, by_mail boolean)
    on conflict (tenant_id, user_id, kind) do update set in_page = excluded.in_page, by_mail = excluded.by_mail`
  return readPreferences(pool, viewer)
}

/** Ends the mail of one kind, or of all, for whoever holds the link of a mail. What the page shows stays. */
export async function endMail(
  { pool }: Database,
  { tenant_id, user_id, kind }: { tenant_id: string; user_id: string; kind: Kind | 'all' },
): Promise<void> {
  const kinds = kind === 'all' ? [...KINDS] : [kind]
  await pool`
    insert into learning.notification_settings (tenant_id, user_id, kind, in_page, by_mail)
    select ${tenant_id}, ${user_id}, kind, true, false from unnest(${kinds}::text[]) as kind
    on conflict (tenant_id, user_id, kind) do update set by_mail = false`
}
