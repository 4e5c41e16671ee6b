import type { Database, Lane, Tx } from '#foundation/database.ts'
import { forbidden, notFound } from '#foundation/errors.ts'
import { shownEpisodes } from '../episodes/shown.ts'
import type { ChannelFields } from './fields.ts'

/** Who looks or changes, as far as the rules of learning ask. */
export type Viewer = {
  tenant_id: string
  user_id: string
  /** Copied onto enrollments and submissions, where only editors of the channel see it: there is no list of people. */
  email: string
  is_admin: boolean
  /** An editor of every channel of the tenant: an ADMIN, or everybody under LEARNING_AUTHORING=any_user. */
  edits_all: boolean
}

/** Who asks, as values, or as SQL such as the columns of a list of people who are answered together. */
export type Asker = {
  [Name in 'tenant_id' | 'user_id' | 'edits_all']: Viewer[Name] | ReturnType<typeof isOpenToJoin>
}

/** What a slice that changes channels works with. */
export type Store = {
  db: Database
  /** Called after COMMIT and before the reply for every channel that may show something else now. */
  changed: (channel_id: string) => void
}

/**
 * Stands behind the channel `c` in a from list. `editor.may_edit`: the caller is its owner, one of its instructors, or
 * an editor of all (docs/learning.md).
 */
export const editorOf = (sql: Lane, { user_id, edits_all }: Asker) => sql`
  lateral (select ${edits_all} or c.owner_id = ${user_id} or ${user_id} = any(c.instructor_ids) as may_edit) as editor`

/** Whether the caller is enrolled in the channel `c`. */
export const isEnrolled = (sql: Lane, { tenant_id, user_id }: Asker) =>
  sql`learning.is_enrolled(${tenant_id}, ${user_id}, c.id)`

/**
 * The one rule of who sees the channel `c` at all, beside its `editor`; what is not visible is 404 on every route. Who is
 * enrolled keeps what has become private or archived, and waits while it is a draft (docs/choices-learning.md).
 */
export const isVisible = (sql: Lane, viewer: Asker) => sql`
  c.tenant_id = ${viewer.tenant_id} and c.deleted_at is null
  and (c.is_listed or editor.may_edit or (c.status <> 'draft' and ${isEnrolled(sql, viewer)}))`

/** Whether somebody who is neither enrolled nor an editor may join the channel `c`. */
export const isOpenToJoin = (sql: Lane) =>
  sql`(c.status = 'published' and c.visibility <> 'private' and c.enrollment = 'open')`

/**
 * One transaction that may change what the channel shows. The maps that stand in for reads hear of it even when the
 * outcome of COMMIT is unknown.
 */
export async function changeChannel<T>(
  { db, changed }: Store,
  channel_id: string,
  work: (tx: Tx) => Promise<T>,
): Promise<T> {
  try {
    return await db.transaction(work)
  } finally {
    changed(channel_id)
  }
}

/** What an editor may change, as it stands now. */
export type LockedChannel = ChannelFields & { owner_id: string; version: number; may_edit: boolean }

/**
 * Locks the channel for a change of it or of anything in it that authors write: every such change begins here, so they come one after
 * the other. 404 when the caller does not see it, 403 when he may not change it.
 */
export async function lockForEdit(tx: Tx, viewer: Viewer, channel_id: string): Promise<LockedChannel> {
  const [channel] = await tx<LockedChannel[]>`
    select c.owner_id, c.instructor_ids, c.version, c.title, c.description, c.language, c.category, c.level, c.tags,
           c.thumbnail_url, c.status, c.enrollment, c.visibility, c.sequential,
           c.completion_threshold::float8, c.passing_percent::float8, c.grade_weights,
           editor.may_edit
      from learning.channels c, ${editorOf(tx, viewer)}
     where c.tenant_id = ${viewer.tenant_id} and c.id = ${channel_id} and ${isVisible(tx, viewer)}
       for update of c`
  if (!channel) throw notFound()
  if (!channel.may_edit) throw forbidden('not_an_editor', 'Only an editor of the channel may change it')
  return channel
}

/**
 * The end of every change of episodes or videos: what each live episode shows, the sums of the channel, both made anew,
 * and, unless the channel has just been created, a new version.
 */
export const sumUp = (tx: Tx, tenant_id: string, channel_id: string, isNew = false) => tx`
  with rendered as (
    update learning.episodes set shown = now.shown
      from (${shownEpisodes(tx, tenant_id, channel_id)}) as now
     where episodes.tenant_id = ${tenant_id} and episodes.id = now.id and episodes.shown <> now.shown)
  update learning.channels c
     set version = c.version + ${isNew ? 0 : 1},
         updated_at = case when ${isNew} then c.updated_at else clock_timestamp() end,
         episode_count = sums.episode_count, duration_seconds = sums.duration_seconds,
         published_count = sums.published_count, published_seconds = sums.published_seconds,
         last_release_at = sums.last_release_at
    from (select count(*) as episode_count,
                 coalesce(sum(v.duration_seconds), 0) as duration_seconds,
                 count(*) filter (where e.status = 'published') as published_count,
                 coalesce(sum(v.duration_seconds) filter (where e.status = 'published'), 0) as published_seconds,
                 max(e.release_at) filter (where e.status = 'published') as last_release_at
            from learning.episodes e
            left join learning.videos v on v.tenant_id = e.tenant_id and v.episode_id = e.id
           where e.tenant_id = ${tenant_id} and e.channel_id = ${channel_id} and e.deleted_at is null) as sums
   where c.tenant_id = ${tenant_id} and c.id = ${channel_id}`
