import { setImmediate as breathe } from 'node:timers/promises'
import type { Lane } from '#foundation/database/database.ts'
import { type Finding, rounded } from '../finding.ts'

type WatchedRow = {
  channel_id: string
  episode_id: string
  title: string
  duration: number
  threshold: number
  viewers: number
  /** Pairs of a second and the change of the number of viewers at that second. */
  watched: [number, number][]
  rewatched: [number, number][]
}

const VIEWERS = 20
const DROP = { points: 20, seconds: 30 }
const PEAK = { slice: 10, times: 2, viewers: 5 }

/**
 * Where viewers leave a video, and which parts they watch again. Ranges are reduced to changes per second: at most
 * 86,400 per video, whatever the number of viewers.
 */
export async function watchingFindings(
  sql: Lane,
  tenant_id: string,
  channel_ids: string[],
): Promise<Finding[]> {
  const rows = await sql<WatchedRow[]>`
    with video as materialized (
      select e.channel_id, v.episode_id, e.title, v.duration_seconds,
             coalesce(v.completion_threshold, c.completion_threshold) as threshold
        from learning.videos v
        join learning.episodes e on e.tenant_id = v.tenant_id and e.id = v.episode_id and e.deleted_at is null
        join learning.channels c on c.tenant_id = e.tenant_id and c.id = e.channel_id and c.deleted_at is null
       where v.tenant_id = ${tenant_id} and e.channel_id = any(${channel_ids}) and v.trackable
         and v.duration_seconds is not null),
    viewer as materialized (
      select video.episode_id, w.watched, w.rewatched
        from video
        join learning.progress w on w.tenant_id = ${tenant_id} and w.episode_id = video.episode_id
        join learning.enrollments n
          on n.tenant_id = w.tenant_id and n.user_id = w.user_id and n.channel_id = video.channel_id
       where not isempty(w.watched) and not n.as_admin
         and not learning.is_editor(n.tenant_id, n.user_id, n.channel_id)),
    counted as (
      select episode_id, count(*)::int as viewers from viewer group by episode_id having count(*) >= ${VIEWERS})
    select video.channel_id, video.episode_id, video.title, ceil(video.duration_seconds)::int as duration,
           video.threshold::float8, counted.viewers,
           ${steps(sql, sql`watched`)} as watched, ${steps(sql, sql`rewatched`)} as rewatched
      from video join counted using (episode_id)
     order by video.episode_id`
  const found: Finding[] = []
  for (const row of rows) {
    found.push(...dropOf(row), ...peakOf(row))
    // A day-long video takes some milliseconds, so requests get a turn in between.
    await breathe()
  }
  return found
}

/** The starts and ends of all ranges, rounded to the second and summed. */
const steps = (sql: Lane, column: ReturnType<Lane>) => sql`
  coalesce((select json_agg(json_build_array(second, change) order by second) from (
    select second, sum(change)::int as change
      from viewer, unnest(viewer.${column}) as part,
           lateral (values (round(lower(part) / 1000.0)::int, 1), (round(upper(part) / 1000.0)::int, -1)) as edge(second, change)
     where viewer.episode_id = video.episode_id group by second) as summed), '[]')`

/** The number of viewers at each second. */
function curveOf(steps: [number, number][], duration: number): number[] {
  const curve = Array.from({ length: duration }, () => 0)
  let [seeing, next] = [0, 0]
  for (let second = 0; second < duration; second++) {
    for (; (steps[next]?.[0] ?? Infinity) <= second; next++) seeing += steps[next]?.[1] ?? 0
    curve[second] = seeing
  }
  return curve
}

/**
 * The steepest loss within half a minute. Everything after the completion threshold counts as credits and is ignored.
 */
function dropOf(row: WatchedRow): Finding[] {
  const curve = curveOf(row.watched, Math.floor(row.duration * row.threshold))
  let worst = { from: 0, to: 0, points: 0 }
  for (let from = 0; from < curve.length; from++)
    for (let to = from + 1; to <= Math.min(from + DROP.seconds, curve.length - 1); to++) {
      const points = (100 * ((curve[from] ?? 0) - (curve[to] ?? 0))) / row.viewers
      if (points > worst.points) worst = { from, to, points }
    }
  if (worst.points <= DROP.points) return []
  return [
    {
      kind: 'retention_drop',
      severity: 'warning',
      title: `${Math.round(worst.points)} of 100 viewers leave “${row.title}” at ${clock(worst.from)}`,
      body: 'Look at this passage: a long pause, a change of subject or a hard step often stands here. Shorten it, or say before it what comes.',
      evidence: {
        viewers: row.viewers,
        from_seconds: worst.from,
        to_seconds: worst.to,
        lost_points: rounded(worst.points),
        retention: hundredths(curve, row.viewers),
      },
      channel_id: row.channel_id,
      target: { type: 'video', id: row.episode_id, title: row.title },
      confidence: 0.6,
      metric: rounded(worst.points),
    },
  ]
}

/** The ten seconds that stand out most from their neighbours. */
function peakOf(row: WatchedRow): Finding[] {
  const curve = curveOf(row.rewatched, row.duration)
  const slices = Array.from({ length: Math.ceil(curve.length / PEAK.slice) }, (_, index) => {
    const part = curve.slice(index * PEAK.slice, (index + 1) * PEAK.slice)
    return part.reduce((sum, viewers) => sum + viewers, 0) / part.length
  })
  let best = { index: -1, times: 0, beside: 0 }
  for (const [index, times] of slices.entries()) {
    const neighbours = [slices[index - 1], slices[index + 1]].filter((value) => value !== undefined)
    const beside = neighbours.reduce((sum, value) => sum + value, 0) / Math.max(1, neighbours.length)
    if (times >= PEAK.viewers && times > PEAK.times * beside && times > best.times)
      best = { index, times, beside }
  }
  if (best.index < 0) return []
  const from = best.index * PEAK.slice
  return [
    {
      kind: 'rewatch_peak',
      severity: 'info',
      title: `A passage of “${row.title}” is watched again and again, from ${clock(from)}`,
      body: 'It is either the most useful passage or an unclear one. A chapter that begins here, or a question about it, helps in both cases.',
      evidence: {
        viewers: row.viewers,
        from_seconds: from,
        to_seconds: Math.min(from + PEAK.slice, row.duration),
        watched_again: rounded(best.times),
        neighbours: rounded(best.beside),
      },
      channel_id: row.channel_id,
      target: { type: 'video', id: row.episode_id, title: row.title },
      confidence: 0.5,
      metric: rounded(best.times / row.viewers),
    },
  ]
}

/** The percentage of viewers at up to a hundred points, for the chart beside the suggestion. */
const hundredths = (curve: number[], viewers: number) =>
  Array.from({ length: Math.min(100, curve.length) }, (_, index) =>
    Math.round(
      (100 * (curve[Math.floor((index * curve.length) / Math.min(100, curve.length))] ?? 0)) / viewers,
    ),
  )

const clock = (seconds: number) => {
  const [minutes, rest] = [Math.floor(seconds / 60), seconds % 60]
  return `${minutes}:${String(rest).padStart(2, '0')}`
}
