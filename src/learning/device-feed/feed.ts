import type { Lane } from '#foundation/database/database.ts'
import type { Caption, Chapter, Kind, Source } from '../media/video.ts'
import type { FeedItem, JsonFeed } from './json-feed.ts'
import {
  changedAt,
  type FeedPlace,
  type FeedVersion,
  isPublic,
  tagOf,
  tenantOf,
  versionColumns,
} from './versions.ts'

const ITEMS_PER_PAGE = 100

type FeedChannel = FeedVersion & {
  channel_title: string
  channel_description: string
  channel_language: string
  channel_thumbnail_url: string | null
  tags: string[]
  item_count: number
}
type FeedEpisode = {
  id: string
  position: number
  season: number
  title: string
  description: string
  summary: string
  language: string | null
  thumbnail_url: string | null
  authors: string[]
  recorded_on: string | null
  published_at: string
  modified_at: string
  url: string
  kind: Kind
  mime_type: string
  poster_url: string | null
  duration_seconds: number | null
  size_bytes: number | null
  sha256: string | null
  sources: Source[]
  chapters: Chapter[]
  captions: Caption[]
  homework_count: number
  test_count: number
  asset_version: number
}
/** A page without items is one row with only the channel. */
type Row = FeedChannel & (FeedEpisode | { id: null })

/** One page of the feed of a public channel; undefined when the channel is no longer public. */
export async function readFeed(sql: Lane, place: FeedPlace) {
  const rows = await readRows(sql, place)
  const [channel] = rows
  if (!channel) return undefined
  return {
    tag: tagOf(channel, place),
    feed: feedOf(
      channel,
      rows.filter((row) => row.id !== null),
      place,
    ),
    last_modified: new Date(changedAt(channel) * 1_000).toUTCString(),
  }
}

/** Each row repeats the channel: one statement is one snapshot, so the tag matches exactly these items. */
const readRows = (sql: Lane, { channel_id, page }: FeedPlace) => sql<Row[]>`
  with shown as (
    select e.id, e.position, e.season, e.title, e.description, left(e.description, 200) as summary, e.language,
           e.thumbnail_url, e.authors, e.recorded_on, coalesce(e.release_at, e.created_at) as published_at, greatest(e.updated_at, v.updated_at) as modified_at,
           v.url, v.kind, v.mime_type, v.poster_url, v.duration_seconds::float8, v.size_bytes, v.sha256, v.sources,
           v.chapters, v.captions, e.published_homework as homework_count, e.published_tests as test_count,
           v.asset_version
      from learning.channels c
      join learning.episodes e on e.tenant_id = c.tenant_id and e.channel_id = c.id
      join learning.videos v on v.tenant_id = e.tenant_id and v.episode_id = e.id
     where c.tenant_id = ${tenantOf(sql, channel_id)} and c.id = ${channel_id} and e.deleted_at is null
       and learning.is_released(e.status, e.release_at))
  select ${versionColumns(sql)}, c.title as channel_title, c.description as channel_description,
         c.language as channel_language, c.thumbnail_url as channel_thumbnail_url, c.tags,
         (select count(*) from shown) as item_count, item.*
    from learning.channels c
    left join (select * from shown order by position, id
                limit ${ITEMS_PER_PAGE} offset ${(page - 1) * ITEMS_PER_PAGE}) as item on true
   where c.tenant_id = ${tenantOf(sql, channel_id)} and c.id = ${channel_id} and ${isPublic(sql)}
   order by item.position, item.id`

function feedOf(
  channel: FeedChannel,
  episodes: FeedEpisode[],
  { channel_id, page, base }: FeedPlace,
): JsonFeed {
  const address = `${base}/api/device/feed/${channel_id}`
  const { channel_thumbnail_url: thumbnail_url, item_count, tags } = channel
  return {
    version: 'https://jsonfeed.org/version/1.1',
    title: channel.channel_title,
    description: channel.channel_description,
    home_page_url: `${base}/channel?id=${channel_id}`,
    feed_url: page === 1 ? address : `${address}?page=${page}`,
    ...(thumbnail_url !== null && { icon: absolute(base, thumbnail_url) }),
    ...(page * ITEMS_PER_PAGE < item_count && { next_url: `${address}?page=${page + 1}` }),
    language: channel.channel_language,
    items: episodes.map((episode) => ({
      ...itemOf(episode, base),
      url: `${base}/episode?id=${episode.id}&channel=${channel_id}`,
      ...(tags.length > 0 && { tags }),
      language: episode.language ?? channel.channel_language,
    })),
    _learning: { channel_id, channel_version: channel.version, episode_count: item_count },
  }
}

function itemOf(episode: FeedEpisode, base: string): Omit<FeedItem, 'url' | 'language'> {
  const { authors, recorded_on, sha256 } = episode
  const image = episode.thumbnail_url ?? episode.poster_url
  const isEmbed = episode.kind === 'embed'
  return {
    id: episode.id,
    ...(isEmbed && { external_url: absolute(base, episode.url) }),
    title: episode.title,
    content_text: episode.description,
    summary: episode.summary,
    ...(image !== null && { image: absolute(base, image) }),
    date_published: episode.published_at,
    date_modified: episode.modified_at,
    ...(authors.length > 0 && { authors: authors.map((name) => ({ name })) }),
    ...(!isEmbed && { attachments: attachmentsOf(episode, base) }),
    _learning: {
      position: episode.position,
      season: episode.season,
      kind: episode.kind,
      ...(recorded_on !== null && { recorded_on }),
      captions: episode.captions.map((caption) => ({ ...caption, url: absolute(base, caption.url) })),
      chapters: episode.chapters,
      ...(sha256 !== null && { sha256 }),
      homework_count: episode.homework_count,
      test_count: episode.test_count,
      asset_version: episode.asset_version,
    },
  }
}

/** The asset and its renditions share one title, because they are one work (JSON Feed 1.1, "attachments"). */
const attachmentsOf = (episode: FeedEpisode, base: string) =>
  [episode, ...episode.sources].map(({ url, mime_type, size_bytes }) => ({
    url: absolute(base, url),
    mime_type,
    title: episode.title,
    ...(size_bytes !== null && { size_in_bytes: size_bytes }),
    ...(episode.duration_seconds !== null && { duration_in_seconds: episode.duration_seconds }),
  }))

const absolute = (base: string, url: string) => (url.startsWith('/') ? base + url : url)
