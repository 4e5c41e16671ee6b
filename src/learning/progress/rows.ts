import type { Lane } from '#foundation/database/database.ts'
import type { Viewer } from '../access/access.ts'
import { type Asset, UNWATCHED, type Watched } from './beat.ts'
import { fromText } from './ranges.ts'

/** The progress of one person in one episode, with the settings of the episode's asset. */
export type ProgressRow = {
  channel_id: string
  position_ms: number | null
  watched: string
  rewatched: string
  last_beat: string
  claimed_ms: number | null
  progress: number
  since_first: number
  since_last: number
  completed_at: string | null
  updated_at: string | null
  duration_ms: number | null
  is_trackable: boolean
  is_strict: boolean
  threshold: number
}

/**
 * The columns of a ProgressRow for episode `e`, channel `c`, video `v` and progress `w`; `v` and `w` may be left joins.
 */
export const progressColumns = (sql: Lane) => sql`
  e.channel_id, w.position_ms, w.watched::text, w.rewatched::text, w.last_beat::text, w.claimed_ms,
  (w.progress * 1000)::int as progress,
  (extract(epoch from clock_timestamp() - w.first_beat_at) * 1000)::float8 as since_first,
  (extract(epoch from clock_timestamp() - w.updated_at) * 1000)::float8 as since_last,
  w.completed_at, w.updated_at, (v.duration_seconds * 1000)::int as duration_ms,
  coalesce(v.trackable, false) as is_trackable, coalesce(v.strict_watch, false) as is_strict,
  (coalesce(v.completion_threshold, c.completion_threshold) * 1000)::int as threshold`

/** The progress row of the viewer. The caller has checked that the episode exists. */
export const progressRow = (sql: Lane, { tenant_id, user_id }: Viewer, episode_id: string) => sql<
  ProgressRow[]
>`
  select ${progressColumns(sql)}
    from learning.episodes e
    join learning.channels c on c.tenant_id = e.tenant_id and c.id = e.channel_id
    left join learning.videos v on v.tenant_id = e.tenant_id and v.episode_id = e.id
    left join learning.progress w
      on w.tenant_id = e.tenant_id and w.user_id = ${user_id} and w.episode_id = e.id
   where e.tenant_id = ${tenant_id} and e.id = ${episode_id}`

export const assetOf = ({ duration_ms, is_trackable, is_strict, threshold }: ProgressRow): Asset => ({
  duration: duration_ms,
  is_trackable,
  is_strict,
  threshold,
})

export const watchedOf = (row: ProgressRow): Watched =>
  row.position_ms === null
    ? UNWATCHED
    : {
        position: row.position_ms,
        watched: fromText(row.watched),
        rewatched: fromText(row.rewatched),
        last_beat: fromText(row.last_beat),
        claimed: row.claimed_ms,
        progress: row.progress,
        is_completed: row.completed_at !== null,
        since_first: row.since_first,
        since_last: row.since_last,
      }
