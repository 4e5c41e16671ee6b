import { type Database, type Lane, one } from '#foundation/database/database.ts'
import { atOnce, inTurn } from '#foundation/database/lists.ts'
import { isStoredTime, readPosition, writePosition } from '#foundation/http/cursor.ts'
import { orderOf, refuseOtherPage } from '#foundation/http/cursor-page.ts'
import { offsetOf } from '#foundation/http/paging.ts'
import { isUuid } from '#foundation/ids.ts'
import { editorOf, isVisibleToEnrolled, type Viewer } from '../access/access.ts'
import { openEpisode } from '../access/open.ts'
import { type Grade, type Graded, type GradeQuery, gradeOfEpisode } from './grade.ts'
import { type Facts, readFacts } from './work.ts'

/** The caller's grade in one episode of any channel that the caller sees. 404 otherwise. */
export async function readGrade(sql: Lane, viewer: Viewer, id: string): Promise<Grade> {
  const { tenant_id } = viewer
  const [{ episode_id }, [episode], facts] = await Promise.all([
    openEpisode(sql, viewer, id),
    sql<Graded[]>`
      select ${gradedColumns(sql)} from learning.episodes e
        join learning.channels c on c.tenant_id = e.tenant_id and c.id = e.channel_id
       where e.tenant_id = ${tenant_id} and e.id = ${id}`,
    readFacts(atOnce(sql), viewer, [id]),
  ])
  if (!episode) throw new Error(`episode ${episode_id} can be opened and is not there`)
  return gradeOfEpisode(episode, facts)
}

const ORDER = 'grades:-enrolled_at'
const isPosition = (text: string) => /^\d{1,9}$/.test(text)

type Placed = Graded & { enrolled_at: string; position: number }

/**
 * One page of the caller's grades and the total. Covers the episodes with published work in visible channels where
 * the caller is enrolled: latest enrollment first, then in the order of the channel.
 */
export async function listGrades(db: Database, viewer: Viewer, query: GradeQuery) {
  refuseOtherPage(query)
  const turn = inTurn(db, viewer.user_id)
  const { sql, read } = turn
  const order = orderOf(ORDER, viewer, query)
  const from = withWork(sql, viewer, query)
  const [found, counted] = await Promise.all([
    read(sql<Placed[]>`
      select ${gradedColumns(sql)}, n.enrolled_at, e.position ${from} ${beyond(sql, query.cursor, order)}
       order by n.enrolled_at desc, c.id desc, e.position, e.id
       limit ${query.per_page + 1} offset ${offsetOf(query)}`),
    read(sql<{ total: number }[]>`select count(*)::int as total ${from}`),
  ])
  const episodes = found.slice(0, query.per_page)
  const ids = episodes.map(({ episode_id }) => episode_id)
  const facts = await readFacts(turn, viewer, ids)
  const items = episodes.map((episode) => gradeOfEpisode(episode, factsOf(facts, episode.episode_id)))
  const last = found.length > query.per_page ? episodes.at(-1) : undefined
  return { items, total: one(counted).total, next_cursor: last ? writePosition(order, keysOf(last)) : null }
}

const keysOf = ({ enrolled_at, channel_id, position, episode_id }: Placed) => [
  enrolled_at,
  channel_id,
  String(position),
  episode_id,
]

function beyond(sql: Lane, cursor: string | undefined, order: string) {
  if (cursor === undefined) return sql``
  const checks = [isStoredTime, isUuid, isPosition, isUuid]
  const [time = '', channel_id = '', position = '', episode_id = ''] = readPosition(cursor, order, checks)
  return sql`
    and (n.enrolled_at, c.id) <= (${time}::timestamptz, ${channel_id}::uuid)
    and ((n.enrolled_at, c.id) < (${time}::timestamptz, ${channel_id}::uuid)
         or (e.position, e.id) > (${position}::text::integer, ${episode_id}::uuid))`
}

const factsOf = ({ homework, tests }: Facts, id: string): Facts => ({
  homework: homework.filter(({ episode_id }) => episode_id === id),
  tests: tests.filter(({ episode_id }) => episode_id === id),
})

const gradedColumns = (sql: Lane) => sql`
  e.id as episode_id, e.title as episode_title, c.id as channel_id, c.title as channel_title,
  c.passing_percent::float8, c.grade_weights`

const withWork = (sql: Lane, viewer: Viewer, { channel_id }: GradeQuery) => sql`
    from learning.enrollments n
    join learning.channels c on c.tenant_id = n.tenant_id and c.id = n.channel_id
    join learning.episodes e on e.tenant_id = c.tenant_id and e.channel_id = c.id,
         ${editorOf(sql, viewer)}
   where n.tenant_id = ${viewer.tenant_id} and n.user_id = ${viewer.user_id} and ${isVisibleToEnrolled(sql)}
     and e.deleted_at is null and learning.is_released(e.status, e.release_at)
     and e.published_homework + e.published_tests > 0
     ${channel_id === undefined ? sql`` : sql`and c.id = ${channel_id}`}`
