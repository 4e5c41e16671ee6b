import type { Lane } from '#foundation/database/database.ts'
import { badRequest, forbidden, notFound } from '#foundation/errors.ts'
import { type Asker, editorOf, isEnrolled, isOpenToJoin, isVisible, type Viewer } from './access.ts'
import { notJoinable } from './join.ts'

/** An episode as its channel lets the caller at it. */
export type OpenEpisode = {
  episode_id: string
  title: string
  channel_id: string
  channel_status: 'draft' | 'published' | 'archived'
  is_editor: boolean
  is_enrolled: boolean
  /** The caller may learn here: enrolled, an editor, or free to join. */
  is_joinable: boolean
  /** In a sequential channel the episode before this one is not completed by the caller; `locked_by` is its title. */
  locked: boolean
  locked_by: string | null
}

/** SQL that stands for one value, such as a subselect of the episode of a test. */
type Fragment = ReturnType<typeof isVisible>

/**
 * Stands for the title of the episode the caller must complete before the episode `e` of the channel `c`, which the
 * `editor` sees: in a sequential channel the one before it, as learners see it. Null: not locked.
 */
export const lockedBy = (sql: Lane, { tenant_id, user_id }: Asker) => sql`
  case when c.sequential and not editor.may_edit
       then learning.uncompleted_before(${tenant_id}, ${user_id}, c.id, e.position, e.id) end`

/**
 * The one rule of who comes to an episode and what lies in it, in one statement. `episode_id` is the id, or SQL that
 * yields it: openEpisode(sql, viewer, sql`(select episode_id from … where …)`). 404 when the caller does not see it; whether
 * a lock or a closed enrollment matters is for the caller's route to say: see refuseLocked and mayLearn.
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

/** The same for many people at once, each with an episode: one answer for each in their order, undefined instead of 404. */
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

/** 403 to a learner where only editors may write. */
export function requireEditor({ is_editor }: Pick<OpenEpisode, 'is_editor'>) {
  if (!is_editor) throw forbidden('not_an_editor', 'Only an editor of the channel may change it')
}

/** 403 on everything inside a locked episode; the outline of its channel still shows it. */
export function refuseLocked({ locked_by }: Pick<OpenEpisode, 'locked_by'>) {
  if (locked_by !== null) throw forbidden('locked', `Episode is locked until "${locked_by}" is completed`)
}

/** Before a learner's work is taken: 403 not joinable or locked, then 400 archived. */
export function mayLearn(episode: OpenEpisode) {
  if (!episode.is_joinable) throw notJoinable()
  refuseLocked(episode)
  if (episode.channel_status === 'archived') throw badRequest('archived', 'The channel is archived')
}
