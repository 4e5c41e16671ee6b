import type { Lane } from '#foundation/database/database.ts'
import { badRequest, forbidden, notFound } from '#foundation/errors.ts'
import { type Asker, editorOf, isEnrolled, isOpenToJoin, isVisible, type Viewer } from './access.ts'
import { notJoinable } from './join.ts'

/** An episode with what its channel allows the caller. */
export type OpenEpisode = {
  episode_id: string
  title: string
  channel_id: string
  channel_status: 'draft' | 'published' | 'archived'
  is_editor: boolean
  is_enrolled: boolean
  /** The caller may learn here: enrolled, an editor, or free to join. */
  is_joinable: boolean
  /**
   * In a sequential channel: the caller has not completed the previous episode; `locked_by` is the title of that
   * episode.
   */
  locked: boolean
  locked_by: string | null
}

/** SQL that yields one value, such as a subselect of the episode of a test. */
type Fragment = ReturnType<typeof isVisible>

/**
 * SQL for the title of the episode that the caller must complete before the episode `e` of the channel `c`: the
 * previous one that learners see, if the channel is sequential. Null when `e` is not locked. Join `editor` first.
 */
export const lockedBy = (sql: Lane, { tenant_id, user_id }: Asker) => sql`
  case when c.sequential and not editor.may_edit
       then learning.uncompleted_before(${tenant_id}, ${user_id}, c.id, e.position, e.id) end`

/**
 * The one rule of who may open an episode and its content, in one statement. `episode_id` is an id or SQL that yields
 * one: openEpisode(sql, viewer, sql`(select episode_id from … where …)`). 404 when the caller does not see it. The
 * route checks locks and closed enrollment itself: see refuseLocked and mayLearn.
 */
export async function openEpisode(
  sql: Lane,
  viewer: Viewer,
  episode_id: string | Fragment,
): Promise<OpenEpisode> {
  const [episode] = await sql<OpenEpisode[]>`
    select ${openColumns(sql)}
      from (
        select ${openTerms(sql, viewer)}
          from learning.episodes e
          join learning.channels c on c.tenant_id = e.tenant_id and c.id = e.channel_id,
               ${editorOf(sql, viewer)}
         where e.tenant_id = ${viewer.tenant_id} and e.id = ${episode_id} and ${isSeen(sql, viewer)}) as opened`
  if (!episode) throw notFound()
  return episode
}

/**
 * openEpisode for many people at once, one episode each. Results keep the order of `asked`; undefined stands for 404.
 */
export async function openEpisodes(
  sql: Lane,
  asked: readonly { viewer: Viewer; episode_id: string }[],
): Promise<(OpenEpisode | undefined)[]> {
  const sent = asked.map(({ viewer: { tenant_id, user_id, edits_all }, episode_id }, no) => ({
    no,
    tenant_id,
    user_id,
    edits_all,
    episode_id,
  }))
  const asker = { tenant_id: sql`sent.tenant_id`, user_id: sql`sent.user_id`, edits_all: sql`sent.edits_all` }
  const rows = await sql<(OpenEpisode & { no: number })[]>`
    select no, ${openColumns(sql)}
      from (
        select sent.no, ${openTerms(sql, asker)}
          from jsonb_to_recordset(${sql.json(sent)}) as sent(
                 no int, tenant_id text, user_id text, edits_all boolean, episode_id uuid)
          join learning.episodes e on e.tenant_id = sent.tenant_id and e.id = sent.episode_id
          join learning.channels c on c.tenant_id = e.tenant_id and c.id = e.channel_id,
               ${editorOf(sql, asker)}
         where ${isSeen(sql, asker)}) as opened`
  const found = new Map(rows.map((row) => [row.no, row]))
  return asked.map((_, no) => found.get(no))
}

const openColumns = (sql: Lane) => sql`
  episode_id, title, channel_id, channel_status, is_editor, is_enrolled,
  is_editor or is_enrolled or may_join as is_joinable, locked_by is not null as locked, locked_by`

const openTerms = (sql: Lane, asker: Asker) => sql`
  e.id as episode_id, e.title, c.id as channel_id, c.status as channel_status, editor.may_edit as is_editor,
  ${isEnrolled(sql, asker)} as is_enrolled, ${isOpenToJoin(sql)} as may_join, ${lockedBy(sql, asker)} as locked_by`

const isSeen = (sql: Lane, asker: Asker) => sql`
  e.deleted_at is null and ${isVisible(sql, asker)}
  and (editor.may_edit or learning.is_released(e.status, e.release_at))`

/** Throws 403 not_an_editor. */
export function requireEditor({ is_editor }: Pick<OpenEpisode, 'is_editor'>) {
  if (!is_editor) throw forbidden('not_an_editor', 'Only an editor of the channel may change it')
}

/** Throws 403 for anything inside a locked episode. The outline of the channel still shows that episode. */
export function refuseLocked({ locked_by }: Pick<OpenEpisode, 'locked_by'>) {
  if (locked_by !== null) throw forbidden('locked', `Episode is locked until "${locked_by}" is completed`)
}

/** Call this before work of a learner is accepted. 403 not joinable or locked, then 400 archived. */
export function mayLearn(episode: OpenEpisode) {
  if (!episode.is_joinable) throw notJoinable()
  refuseLocked(episode)
  if (episode.channel_status === 'archived') throw badRequest('archived', 'The channel is archived')
}
