import type { Tx } from '#foundation/database/database.ts'
import { forbidden, notFound } from '#foundation/errors.ts'
import { editorOf, isVisible, type Viewer } from '../access/access.ts'
import type { ChannelFields } from './fields.ts'

/** The fields that an editor may change, with their current values. */
export type LockedChannel = ChannelFields & { owner_id: string; version: number; may_edit: boolean }

/**
 * Locks the channel. Every change by an author, of the channel or of anything in it, begins here, so that changes are
 * serialized. 404 when the caller does not see it, 403 when they may not change it.
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
 * Ends every change of episodes or videos: recomputes the sums of the channel and raises its version, unless the
 * channel is new.
 */
export const sumUp = (tx: Tx, tenant_id: string, channel_id: string, isNew = false) => tx`
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
