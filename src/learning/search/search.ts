import { type Static, Type } from 'typebox'
import type { Database, Lane } from '#foundation/database/database.ts'
import { orderOf } from '#foundation/http/cursor-page.ts'
import { readPosition, writePosition } from '#foundation/http/cursor.ts'
import { Nullable, OneOf, Uuid } from '#foundation/http/schemas.ts'
import { isUuid } from '#foundation/ids.ts'
import { editorOf, isVisible, type Viewer } from '../access/access.ts'
import { lockedBy } from '../access/open.ts'
import { type Asked, countIn, excerptOf, marked, wordsOf } from './excerpt.ts'

export const SearchQuery = Type.Object({
  q: Type.String({ minLength: 1, maxLength: 200 }),
  channel_id: Type.Optional(Uuid),
  per_page: Type.Integer({ minimum: 1, maximum: 50, default: 20 }),
  cursor: Type.Optional(Type.String({ minLength: 1, maxLength: 2_000 })),
})
export type SearchQuery = Static<typeof SearchQuery>

const Pieces = Type.Array(Type.Object({ text: Type.String(), is_hit: Type.Boolean() }))
const PLACES = ['title', 'authors', 'tags', 'category', 'description', 'chapter', 'transcript'] as const
type Place = (typeof PLACES)[number]

/** A channel or an episode, and the best place in it where the words stand. `is_near`: one letter of a word differs. */
const Hit = Type.Object({
  type: OneOf(['channel', 'episode']),
  id: Uuid,
  channel_id: Uuid,
  channel_title: Type.String(),
  language: Type.String(),
  found_in: OneOf([...PLACES]),
  title: Pieces,
  excerpt: Pieces,
  /** Where a chapter or a piece of a transcript begins; null where it has no time. */
  start_seconds: Nullable(Type.Number()),
  is_near: Type.Boolean(),
})
export type Hit = Static<typeof Hit>
export const SearchPage = Type.Object({ items: Type.Array(Hit), next_cursor: Nullable(Type.String()) })
export type SearchPage = Static<typeof SearchPage>

/**
 * So many entries are ranked: those that hold all words in names, unless they are as many as that those that hold them
 * anywhere, and similar ones.
 */
const NAMED = 500
const ANYWHERE = 500
const NEAR = 200
/** With fewer hits than this, words that differ by one letter are looked for as well. */
const FEW = 5

type Row = {
  id: string
  rank: number
  place: number
  channel_id: string
  channel_title: string
  title: string
  language: string
  authors: string[]
  tags: string[]
  category: string | null
  description: string
  text: string
  seconds: number | null
  is_near: boolean
}

/**
 * One page of the channels and episodes that hold all words of `q`, as far as the caller may read them, best first, then
 * newest first: one statement. Each comes once, with its best place.
 */
export async function search(db: Database, viewer: Viewer, query: SearchQuery): Promise<SearchPage> {
  const { q, channel_id = null, per_page, cursor } = query
  const order = orderOf('search', viewer, { ...query, page: 1 })
  const after = cursor === undefined ? undefined : readPosition(cursor, order, [isRank, isUuid])
  const { tenant_id } = viewer
  const sql: Lane = db.pool
  const asked = (way: string) => sql`learning.search_query(${tenant_id}, ${channel_id}, ${q}, ${way})`
  const rows = await db.lists(
    viewer.user_id,
    sql<Row[]>`
    with asked as materialized (
      select ${asked('any')} as any_place, ${asked('name')} as names, ${asked('title')} as title, ${asked('rank')} as plain),
    named as (
      select id, place, case
               when place <= 0 and words @@ title
               then 4000 - place * 1000 + 999 * numnode(plain) / greatest(size * 2, numnode(plain))
               else 3000 + ts_rank(words, plain) * 999 end::int as rank
        from (${entries(sql, viewer, sql`(select names from asked)`, NAMED)}) as entries, asked),
    anywhere as (
      select id, place, (case when place < 1 then 2000 else 1000 end + ts_rank(words, plain) * 999)::int as rank
        from (${entries(sql, viewer, sql`(select any_place from asked)`, sql`(select case when count(*) < ${NAMED} then ${ANYWHERE}::int else 0 end from named)`)}) as entries, asked),
    found as (select * from named union all select * from anywhere),
    near as (
      select id, place, 999 / greatest(size, 1) as rank
        from (${entries(sql, viewer, sql`(select ${asked('near')})`, NEAR)}) as entries
       where (select count(distinct id) from found) < ${FEW}),
    best as (
      select distinct on (id) id, place, rank from (select * from found union all select * from near) as every
       order by id, rank desc, place),
    page as (
      select id, place, rank from best
       where ${after ? sql`(rank, id) < (${after[0] ?? ''}::int, ${after[1] ?? ''}::uuid)` : sql`true`}
       order by rank desc, id desc limit ${per_page + 1})
    select page.id, page.rank, page.place, c.id as channel_id, c.title as channel_title, coalesce(e.title, c.title) as title,
           coalesce(e.language, c.language) as language, coalesce(e.authors, '{}') as authors, c.tags, c.category,
           coalesce(e.description, c.description) as description, s.text, s.seconds::float8, page.rank < 1000 as is_near
      from page
      join learning.search_entries s on s.tenant_id = ${tenant_id} and s.id = page.id and s.place = page.place
      join learning.channels c on c.tenant_id = s.tenant_id and c.id = s.channel_id
      left join learning.episodes e on e.tenant_id = s.tenant_id and e.id = s.id and s.place >= 0
     order by page.rank desc, page.id desc`,
  )
  const items = rows.slice(0, per_page)
  const last = rows.length > per_page ? items.at(-1) : undefined
  return {
    items: items.map((row) => shownHit(row, wordsOf(q))),
    next_cursor: last ? writePosition(order, [String(last.rank), last.id]) : null,
  }
}

const isRank = (key: string) => /^\d{1,5}$/.test(key)

type Fragment = ReturnType<typeof isVisible>

/**
 * Entries that match, as far as the caller may read what they are of. An episode that waits for an earlier one to be
 * completed shows its title and description, but not what is in its video.
 */
const entries = (sql: Lane, viewer: Viewer, matching: Fragment, most: number | Fragment) => sql`
  select s.id, s.place, s.size, s.words
    from learning.search_entries s
    join learning.channels c on c.tenant_id = s.tenant_id and c.id = s.channel_id
    left join learning.episodes e on e.tenant_id = s.tenant_id and e.id = s.id and s.place >= 0,
         ${editorOf(sql, viewer)}
   where s.tenant_id = ${viewer.tenant_id} and s.words @@ ${matching} and ${isVisible(sql, viewer)}
     and (s.place < 0 or (e.deleted_at is null and (editor.may_edit or learning.is_released(e.status, e.release_at))))
     and (s.place < 1 or ${lockedBy(sql, viewer)} is null)
   limit ${most}`

function shownHit(row: Row, words: string[]): Hit {
  const { id, channel_id, channel_title, language, title, seconds, is_near } = row
  const asked: Asked = { words, isNear: is_near }
  const { found_in, text } = placeOf(row, asked)
  return {
    type: row.place < 0 ? 'channel' : 'episode',
    id,
    channel_id,
    channel_title,
    language,
    found_in,
    title: marked(title, asked),
    // Emphasis of Markdown is no part of what is read.
    excerpt: excerptOf(text.replaceAll('**', ''), asked),
    start_seconds: seconds,
    is_near,
  }
}

/** Where most of the words stand, and the text to show of it. Below a title stands the beginning of the description. */
function placeOf({ place, text, title, authors, tags, category, description }: Row, asked: Asked) {
  if (place > 0) return { found_in: place > 1_000 ? ('transcript' as const) : ('chapter' as const), text }
  const places: [Place, string, string][] = [
    ['title', title, description],
    ...(place < 0
      ? ([
          ['tags', tags.join(', '), tags.join(', ')],
          ['category', category ?? '', category ?? ''],
        ] as [Place, string, string][])
      : ([['authors', authors.join(', '), authors.join(', ')]] as [Place, string, string][])),
    ['description', description, description],
  ]
  const [best] = places
    .map(([found_in, searched, shown]) => ({ found_in, text: shown, hits: countIn(searched, asked) }))
    .toSorted((a, b) => b.hits - a.hits)
  return best ?? { found_in: 'title' as const, text: description }
}
