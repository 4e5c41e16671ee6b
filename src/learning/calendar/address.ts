import { type Static, Type } from 'typebox'
import { type Database, one } from '#foundation/database/database.ts'
import { Nullable, Time } from '#foundation/http/schemas.ts'
import { randomToken, sha256 } from '#foundation/security/secrets.ts'
import type { Language } from '#foundation/web/client/texts.ts'
import type { Viewer } from '../access/access.ts'

/** Since when the caller has an address; null: none. The address itself is told once. */
export const CalendarState = Type.Object({ created_at: Nullable(Time) })
export const NewCalendar = Type.Object({ url: Type.String(), created_at: Time })
export type Subscriber = { tenant_id: string; user_id: string; language: Language }

export async function readCalendarState(
  { fast }: Database,
  { tenant_id, user_id }: Viewer,
): Promise<Static<typeof CalendarState>> {
  const [row] = await fast<{ created_at: string }[]>`
    select created_at from learning.calendars where tenant_id = ${tenant_id} and user_id = ${user_id}`
  return { created_at: row?.created_at ?? null }
}

/** A new address for the caller; an earlier one ends. The token names the tenant, because every key begins with it. */
export async function makeCalendar(
  { pool }: Database,
  { tenant_id, user_id }: Viewer,
  language: Language,
): Promise<{ token: string; created_at: string }> {
  const secret = randomToken('')
  const rows = await pool<{ created_at: string }[]>`
    insert into learning.calendars (tenant_id, user_id, token_hash, language)
    values (${tenant_id}, ${user_id}, ${sha256(secret)}, ${language})
    on conflict (tenant_id, user_id) do update
       set token_hash = excluded.token_hash, language = excluded.language, created_at = clock_timestamp()
    returning created_at`
  return {
    token: `${Buffer.from(tenant_id).toString('base64url')}.${secret}`,
    created_at: one(rows).created_at,
  }
}

export const endCalendar = ({ pool }: Database, { tenant_id, user_id }: Viewer) => pool`
  delete from learning.calendars where tenant_id = ${tenant_id} and user_id = ${user_id}`

/** Whose address this is; undefined for a token that was never given or has ended. */
export async function subscriberOf({ fast }: Database, token: string): Promise<Subscriber | undefined> {
  const [tenant = '', secret = '', ...rest] = token.split('.')
  const tenant_id = Buffer.from(tenant, 'base64url').toString()
  if (rest.length > 0 || secret === '' || tenant_id.includes('\0')) return undefined
  const [row] = await fast<Subscriber[]>`
    select tenant_id, user_id, language from learning.calendars
     where tenant_id = ${tenant_id} and token_hash = ${sha256(secret)}`
  return row
}
