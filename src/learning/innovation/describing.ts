import type { Lane } from '#foundation/database/database.ts'
import type { Finding, Target } from '../finding.ts'
import { isPlaceholder, leastDescription, lengthOf } from './words.ts'

type Described = {
  channel_id: string
  title: string
  description: string
  language: string | null
  thumbnail_url: string | null
  /** The poster of the video, if there is one. */
  poster_url: string | null
}
type ChannelRow = Described & {
  status: string
  published_count: number
  idle_days: number
  last_active_on: string | null
}
type EpisodeRow = Described & { id: string; has_video: boolean }

/** Findings about titles, descriptions and thumbnails, missing episodes or videos, and stale channels. */
export async function describingFindings(
  sql: Lane,
  tenant_id: string,
  channel_ids: string[],
): Promise<Finding[]> {
  const [channels, episodes] = await Promise.all([
    sql<ChannelRow[]>`
      select c.id as channel_id, c.title, c.description, c.language, c.thumbnail_url, c.status, c.published_count,
             floor(extract(epoch from statement_timestamp() - c.updated_at) / 86400)::int as idle_days,
             (select to_char(max(a.day), 'YYYY-MM-DD') from learning.activity_days a
               where a.tenant_id = c.tenant_id and a.channel_id = c.id
                 and a.day > (statement_timestamp() at time zone 'UTC')::date - 90) as last_active_on,
             (select v.poster_url from learning.episodes e
                join learning.videos v on v.tenant_id = e.tenant_id and v.episode_id = e.id
               where e.tenant_id = c.tenant_id and e.channel_id = c.id and e.deleted_at is null
                 and v.poster_url is not null
               order by e.position, e.id limit 1) as poster_url
        from learning.channels c
       where c.tenant_id = ${tenant_id} and c.id = any(${channel_ids}) and c.deleted_at is null
       order by c.id`,
    sql<EpisodeRow[]>`
      select e.channel_id, e.id, e.title, e.description, coalesce(e.language, c.language) as language, e.thumbnail_url,
             v.poster_url, v.id is not null as has_video
        from learning.episodes e
        join learning.channels c on c.tenant_id = e.tenant_id and c.id = e.channel_id and c.deleted_at is null
        left join learning.videos v on v.tenant_id = e.tenant_id and v.episode_id = e.id
       where e.tenant_id = ${tenant_id} and e.channel_id = any(${channel_ids}) and e.deleted_at is null
       order by e.channel_id, e.position, e.id`,
  ])
  return [...channels.flatMap(ofChannel), ...episodes.flatMap(ofEpisode)]
}

function ofChannel(row: ChannelRow): Finding[] {
  const target: Target = { type: 'channel', id: row.channel_id, title: row.title }
  const found = textFindings(row, target)
  if (row.status === 'published' && row.published_count === 0)
    found.push({
      kind: 'channel_without_episodes',
      severity: 'warning',
      title: `“${row.title}” is published without episodes`,
      body: 'Learners find this channel in the catalogue and can join it, but there is nothing to watch. Publish an episode, or make the channel a draft until there is one.',
      evidence: { published_episodes: 0 },
      channel_id: row.channel_id,
      target,
      patch: { status: 'draft' },
      confidence: 1,
    })
  if (row.idle_days > 365 && row.last_active_on !== null)
    found.push({
      kind: 'content_stale',
      severity: 'info',
      title: `“${row.title}” has not changed for ${row.idle_days} days`,
      body: 'People still learn here. Check whether what is said still holds, and say in the description when it was last reviewed.',
      evidence: { days_since_change: row.idle_days, last_active_on: row.last_active_on },
      channel_id: row.channel_id,
      target,
      confidence: 0.6,
      metric: row.idle_days,
    })
  return found
}

function ofEpisode(row: EpisodeRow): Finding[] {
  const target: Target = { type: 'episode', id: row.id, title: row.title }
  const found = textFindings(row, target)
  if (!row.has_video)
    found.push({
      kind: 'episode_without_video',
      severity: 'warning',
      title: `“${row.title}” has no video`,
      body: 'The episode stands in the outline, but there is nothing to play and it never reaches the feed. Add its video.',
      evidence: {},
      channel_id: row.channel_id,
      target,
      confidence: 1,
    })
  return found
}

/** The rules that apply to both channels and episodes. */
function textFindings(row: Described, target: Target): Finding[] {
  const common = { channel_id: row.channel_id, target }
  const found: Finding[] = []
  if (isPlaceholder(row.title))
    found.push({
      ...common,
      kind: 'title_placeholder',
      severity: 'warning',
      title: `The ${target.type} “${row.title}” needs a title`,
      body: 'The title says nothing about what is taught. Name the subject in a few words that somebody would search for.',
      evidence: { title: row.title },
      confidence: 0.9,
    })
  const [length, least] = [lengthOf(row.description), leastDescription(row.language, row.description)]
  if (length < least)
    found.push({
      ...common,
      kind: 'description_short',
      severity: target.type === 'channel' ? 'warning' : 'info',
      title:
        length === 0
          ? `“${row.title}” has no description`
          : `The description of “${row.title}” has ${length} characters`,
      body: 'Say what is taught, for whom, and what one can do afterwards: the search and the feed show this text.',
      evidence: { characters: length, recommended: least },
      confidence: 0.8,
      metric: least - length,
    })
  if (row.thumbnail_url === null)
    found.push({
      ...common,
      kind: 'thumbnail_missing',
      severity: 'info',
      title: `“${row.title}” has no picture`,
      body:
        row.poster_url === null
          ? 'Lists show a grey field instead. Add a picture of the subject.'
          : 'Lists show a grey field instead. The poster of the video can serve as the picture.',
      evidence: { poster_url: row.poster_url },
      confidence: 0.7,
      ...(row.poster_url === null ? undefined : { patch: { thumbnail_url: row.poster_url } }),
    })
  return found
}
