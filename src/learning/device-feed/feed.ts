import type { Pool } from '#foundation/database.ts'
import type { Caption, Chapter, Kind, Source } from '../media/video.ts'
import type { Built } from './page-cache.ts'
import { type FeedVersion, tagOf } from './versions.ts'

export const ITEMS_PER_PAGE = 100

type FeedChannel = FeedVersion & {
  title: string
  description: string
  language: string
  tags: string[]
  thumbnail_url: string | null
  updated_at: string
  item_count: number
  items: FeedEpisode[]
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

/** Where the feed is read: `base` is the public address without a slash at the end. */
export type FeedPlace = { channel_id: string; page: number; base: string; base_hash: string }

/** One page of the JSON Feed 1.1 of a public channel, made from one snapshot. Undefined: not public any more. */
export async function buildFeed(pool: Pool, place: FeedPlace): Promise<Built | undefined> {
  const channel = await readFeed(pool, place)
  if (!channel) return undefined
  const newest = channel.newest_release ?? ''
  const last_modified = newest > channel.updated_at ? newest : channel.updated_at
  return {
    tag: tagOf(channel, place.page, place.base_hash),
    text: JSON.stringify(feedOf(channel, place)),
    last_modified: new Date(last_modified).toUTCString(),
  }
}

async function readFeed(pool: Pool, { channel_id, page }: FeedPlace): Promise<FeedChannel | undefined> {
  const [channel] = await pool<FeedChannel[]>`
    with shown as (
      select e.id, e.position, e.season, e.title, e.description, e.language, e.thumbnail_url, e.authors,
             e.recorded_on, coalesce(e.release_at, e.created_at) as published_at,
             greatest(e.updated_at, v.updated_at) as modified_at, v.url, v.kind, v.mime_type, v.poster_url,
             v.duration_seconds, v.size_bytes, v.sha256, v.sources, v.chapters, v.captions,
             e.published_homework as homework_count, e.published_tests as test_count, v.asset_version
        from learning.episodes e
        join learning.channels c on c.tenant_id = e.tenant_id and c.id = e.channel_id
        join learning.videos v on v.tenant_id = e.tenant_id and v.episode_id = e.id
       where c.id = ${channel_id} and e.deleted_at is null and learning.is_released(e.status, e.release_at))
    select c.id as channel_id, true as is_public, c.version, c.title, c.description, c.language, c.tags,
           c.thumbnail_url, c.updated_at, null as next_release,
           (select max(e.release_at) from learning.episodes e
             where e.tenant_id = c.tenant_id and e.channel_id = c.id and e.deleted_at is null
               and e.status = 'published' and e.release_at <= statement_timestamp()) as newest_release,
           (select count(*) from shown) as item_count,
           (select coalesce(jsonb_agg(row_to_json(item) order by item.position, item.id), '[]') from (
              select id, position, season, title, description, left(description, 200) as summary, language,
                     thumbnail_url, authors, recorded_on, foundation.iso(published_at) as published_at,
                     foundation.iso(modified_at) as modified_at, url,
                     kind, mime_type, poster_url, duration_seconds, size_bytes, sha256, sources, chapters, captions,
                     homework_count, test_count, asset_version
                from shown order by position, id
               limit ${ITEMS_PER_PAGE} offset ${(page - 1) * ITEMS_PER_PAGE}) as item) as items
      from learning.channels c
     where c.id = ${channel_id} and c.status = 'published' and c.visibility = 'public' and c.deleted_at is null`
  return channel
}

function feedOf(channel: FeedChannel, { page, base }: FeedPlace) {
  const { channel_id } = channel
  const address = `${base}/api/device/feed/${channel_id}`
  const absolute = (url: string) => (url.startsWith('/') ? base + url : url)
  return {
    version: 'https://jsonfeed.org/version/1.1',
    title: channel.title,
    description: channel.description,
    home_page_url: `${base}/channel?id=${channel_id}`,
    feed_url: page === 1 ? address : `${address}?page=${page}`,
    ...(channel.thumbnail_url !== null && { icon: absolute(channel.thumbnail_url) }),
    ...(page * ITEMS_PER_PAGE < channel.item_count && { next_url: `${address}?page=${page + 1}` }),
    language: channel.language,
    items: channel.items.map((episode) => itemOf(episode, channel, base, absolute)),
    _learning: { channel_id, channel_version: channel.version, episode_count: channel.item_count },
  }
}

function itemOf(episode: FeedEpisode, channel: FeedChannel, base: string, absolute: (url: string) => string) {
  const image = episode.thumbnail_url ?? episode.poster_url
  const isEmbed = episode.kind === 'embed'
  return {
    id: episode.id,
    url: `${base}/episode?id=${episode.id}&channel=${channel.channel_id}`,
    ...(isEmbed && { external_url: absolute(episode.url) }),
    title: episode.title,
    content_text: episode.description,
    summary: episode.summary,
    ...(image !== null && { image: absolute(image) }),
    date_published: episode.published_at,
    date_modified: episode.modified_at,
    ...(episode.authors.length > 0 && { authors: episode.authors.map((name) => ({ name })) }),
    ...(channel.tags.length > 0 && { tags: channel.tags }),
    language: episode.language ?? channel.language,
    ...(!isEmbed && { attachments: attachmentsOf(episode, absolute) }),
    _learning: {
      position: episode.position,
      season: episode.season,
      kind: episode.kind,
      ...(episode.recorded_on !== null && { recorded_on: episode.recorded_on }),
      captions: episode.captions.map((caption) => ({ ...caption, url: absolute(caption.url) })),
      chapters: episode.chapters,
      ...(episode.sha256 !== null && { sha256: episode.sha256 }),
      homework_count: episode.homework_count,
      test_count: episode.test_count,
      asset_version: episode.asset_version,
    },
  }
}

/** The asset and its renditions: one title, because they are one work (JSON Feed 1.1, "attachments"). */
const attachmentsOf = (episode: FeedEpisode, absolute: (url: string) => string) =>
  [episode, ...episode.sources].map(({ url, mime_type, size_bytes }) => ({
    url: absolute(url),
    mime_type,
    title: episode.title,
    ...(size_bytes !== null && { size_in_bytes: size_bytes }),
    ...(episode.duration_seconds !== null && { duration_in_seconds: episode.duration_seconds }),
  }))
