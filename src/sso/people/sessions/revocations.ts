import { type Static, Type } from 'typebox'
import { type Database, one } from '#foundation/database/database.ts'
import { unprocessable } from '#foundation/errors.ts'
import { isUuid } from '#foundation/ids.ts'
import { Time, Uuid } from '#foundation/http/schemas.ts'
import type { Site } from '#foundation/security/session-gate.ts'

export type Revoked = Static<typeof Revoked>
const Revoked = Type.Object({ user_id: Uuid, session_version: Type.Integer(), revoked_at: Time })
/** Pass `cursor` to the next call; `has_more` means that it can follow at once. */
export const RevocationFeed = Type.Object({
  items: Type.Array(Revoked),
  cursor: Type.String(),
  has_more: Type.Boolean(),
})
export const RevocationQuery = Type.Object({ cursor: Type.Optional(Type.String({ maxLength: 100 })) })

type Row = { eldest: string } & ((Revoked & { xid: string }) | { xid: null })

const PAGE = 1_000
const NOBODY = '00000000-0000-0000-0000-000000000000'

/**
 * People of this site whose access tokens were revoked in the last half hour, for partners that verify tokens
 * themselves: a token with `sv` below session_version is dead. The next walk starts at the oldest transaction open when
 * this one began, so no line is lost, but one may repeat. 422 for an invalid cursor.
 */
export async function listRevocations({ pool }: Database, site: Site, cursor: string | undefined) {
  const from = readCursor(cursor)
  const rows = await pool<Row[]>`
    with now as (select pg_current_snapshot() as snapshot),
    -- A cursor from before the database was restored may lie in the future of this one.
    start as (
      select case when ${from.xid}::xid8 > pg_snapshot_xmax(snapshot) then '0'::xid8 else ${from.xid}::xid8 end as xid,
             pg_snapshot_xmin(snapshot)::text as eldest
        from now)
    select found.xid::text as xid, found.user_id, found.session_version, found.revoked_at, start.eldest
      from start left join lateral (
        select b.xid, b.user_id, b.session_version, b.revoked_at from sso.session_bumps b
         where (b.xid, b.user_id) > (start.xid, ${from.user_id}::uuid)
           and b.revoked_at > statement_timestamp() - interval '30 minutes'
           and (exists (select from sso.memberships m where m.user_id = b.user_id and m.site_id = ${site.site_id})
                or exists (select from sso.sessions s where s.user_id = b.user_id and s.site_id = ${site.site_id}))
         order by b.xid, b.user_id limit ${PAGE + 1}) found on true
     order by found.xid, found.user_id`
  const found = rows.filter((row) => row.xid !== null)
  const items = found.slice(0, PAGE)
  const next_walk = from.next_walk ?? rows[0]?.eldest ?? '0'
  const last = found.length > PAGE ? found[PAGE - 1] : undefined
  return {
    items,
    cursor: last ? `${last.xid}.${last.user_id}.${next_walk}` : next_walk,
    has_more: last !== undefined,
  }
}

export type News = Revoked & { site_ids: string[] }

/** The oldest transaction that is open: whatever commits from now on is at it or behind it. */
export async function readEldest({ pool }: Database): Promise<string> {
  const rows = await pool<{ eldest: string }[]>`
    select pg_snapshot_xmin(pg_current_snapshot())::text as eldest`
  return one(rows).eldest
}

/** Changes with whatever was revoked from this transaction on, late commits included. */
export async function readMark({ fast }: Database, from: string): Promise<string> {
  const rows = await fast<{ mark: string }[]>`
    select coalesce(bit_xor(hashtextextended(b.xid::text || b.user_id || b.session_version, 0)), 0)::text as mark
      from sso.session_bumps b where b.xid >= ${from}::xid8`
  return one(rows).mark
}

/**
 * What was revoked from this transaction on, each with the sites that it concerns. `next` is where to go on, undefined if
 * there is more than one page of it.
 */
export async function listNews({ pool }: Database, from: string): Promise<{ news: News[]; next?: string }> {
  const rows = await pool<({ eldest: string } & (News | { user_id: null }))[]>`
    select now.eldest, b.user_id, b.session_version, b.revoked_at,
           array(select m.site_id from sso.memberships m where m.user_id = b.user_id
                 union select s.site_id from sso.sessions s where s.user_id = b.user_id) as site_ids
      from (select pg_snapshot_xmin(pg_current_snapshot())::text as eldest) as now
      left join (select * from sso.session_bumps where xid >= ${from}::xid8 order by xid, user_id limit ${PAGE + 1}) as b on true
     order by b.xid, b.user_id`
  const news = rows.filter((row): row is { eldest: string } & News => row.user_id !== null)
  return news.length > PAGE ? { news: [] } : { news, next: rows[0]?.eldest ?? from }
}

/** Format: `<transaction>` at the start of a walk, or `<transaction>.<user>.<start of the next walk>` within one. */
function readCursor(text = '0'): { xid: string; user_id: string; next_walk?: string } {
  const [, xid = '', user_id = NOBODY, next_walk] =
    /^(\d{1,19})(?:\.([0-9a-f-]{36})\.(\d{1,19}))?$/.exec(text) ?? []
  if (xid === '' || !isUuid(user_id))
    throw unprocessable('cursor', 'invalid_cursor', 'must be the cursor of an earlier answer')
  return { xid, user_id, ...(next_walk !== undefined && { next_walk }) }
}
