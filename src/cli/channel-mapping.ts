import { isDeepStrictEqual } from 'node:util'
import { normalized } from '#foundation/text.ts'

/** A line of the file. Nothing in it is validated yet. */
type Line = {
  title?: string
  description?: string | null
  language?: string | null
  source_url?: string | null
  episodes?: {
    title: string
    description?: string | null
    speakers?: string[] | null
    recorded?: string | null
    duration_seconds?: number | null
    videos?: { type: string; url: string }[] | null
    thumbnail_url?: string | null
    language?: string | null
  }[]
}

export type EpisodeBody = {
  title: string
  description: string
  authors: string[]
  recorded_on: string | null
  thumbnail_url: string | null
  language: string | null
  video?: { url: string; kind: 'file' | 'embed'; duration_seconds: number | null; sources: { url: string }[] }
}
export type ChannelBody = {
  title: string
  description: string
  language: string | null
  external_id?: string
  episodes: EpisodeBody[]
}

/** Formats that browsers play, the most widely supported first. Any other address becomes an embedded player. */
const FILES = ['mp4', 'm4v', 'webm', 'ogv']

/** Maps a line of the file to the body of POST /api/channels. Throws an Error whose message says what is wrong. */
export function toChannel(text: string): ChannelBody {
  const line = JSON.parse(text) as Line | null
  if (typeof line !== 'object' || line === null) throw new Error('is not an object')
  if (typeof line.title !== 'string') throw new Error('has no title')
  if (line.episodes !== undefined && !Array.isArray(line.episodes))
    throw new Error('has episodes that are no list')
  const episodes = (line.episodes ?? []).map(toEpisode)
  if (episodes.length > 500) throw new Error(`has ${episodes.length} episodes; a channel holds at most 500`)
  return {
    title: line.title,
    description: line.description ?? '',
    language: line.language ?? null,
    ...(line.source_url && { external_id: line.source_url }),
    episodes,
  }
}

function toEpisode(episode: NonNullable<Line['episodes']>[number]): EpisodeBody {
  const videos = (episode.videos ?? []).toSorted((a, b) => rank(a.type) - rank(b.type))
  const files = videos.filter(({ type }) => FILES.includes(type))
  const best = videos[0]
  return {
    title: episode.title,
    description: episode.description ?? '',
    authors: episode.speakers ?? [],
    // Some dates have a time of day; the local day of the organisers is kept.
    recorded_on: episode.recorded?.slice(0, 10) ?? null,
    thumbnail_url: episode.thumbnail_url ?? null,
    language: episode.language ?? null,
    ...(best && {
      video: {
        url: best.url,
        kind: files.length > 0 ? 'file' : 'embed',
        duration_seconds: episode.duration_seconds ?? null,
        sources: files.slice(1).map(({ url }) => ({ url })),
      },
    }),
  }
}

const rank = (type: string) => (FILES.includes(type) ? FILES.indexOf(type) : FILES.length)

export type KnownEpisode = Omit<EpisodeBody, 'video'> & {
  id: string
  video: { url: string; kind: string; duration_seconds: number | null } | null
}
export type KnownChannel = Omit<ChannelBody, 'episodes'> & {
  id: string
  version: number
  episodes: KnownEpisode[]
}

/**
 * The body of the PUT that updates a known channel to the file, or undefined when they agree. Episodes are matched by
 * the address of their video, then by their title. Episodes that the file does not name stay.
 */
export function changesOf(known: KnownChannel, wanted: ChannelBody) {
  const left = [...known.episodes]
  const take = (isIt: (episode: KnownEpisode) => boolean) => {
    const index = left.findIndex(isIt)
    return index < 0 ? undefined : left.splice(index, 1)[0]
  }
  const pairs = wanted.episodes.map((episode) => ({
    episode,
    twin: episode.video && take(({ video }) => video?.url === episode.video?.url),
  }))
  const episodes = pairs.map(({ episode, twin }) => {
    const same = twin ?? take(({ title }) => title === clean(episode.title))
    return { same, body: { ...(same && { id: same.id }), ...episode } }
  })
  const { external_id: _, ...channel } = wanted
  const isSame =
    isDeepStrictEqual(essenceOf(known), essenceOf(wanted)) &&
    episodes.every(
      ({ same, body }, index) =>
        same?.id === known.episodes[index]?.id &&
        isDeepStrictEqual(episodeEssence(same), episodeEssence(body)),
    )
  return isSame ? undefined : { ...channel, episodes: episodes.map(({ body }) => body) }
}

const essenceOf = ({ title, description, language }: Omit<ChannelBody, 'episodes'>) => ({
  title: clean(title),
  description: normalized(description, 'NFC'),
  language: language === null ? 'en' : canonical(language),
})

/**
 * The comparable fields of an episode. `sources` are left out, because a channel shows only a summary of its videos.
 */
const episodeEssence = (episode: KnownEpisode | EpisodeBody | undefined) =>
  episode && {
    title: clean(episode.title),
    description: normalized(episode.description, 'NFC'),
    authors: [...new Set(episode.authors.map(clean))],
    recorded_on: episode.recorded_on,
    thumbnail_url: episode.thumbnail_url,
    language: episode.language === null ? null : canonical(episode.language),
    video: episode.video
      ? { url: episode.video.url, kind: episode.video.kind, duration_seconds: episode.video.duration_seconds }
      : null,
  }

/** Normalises titles and names like the service. */
const clean = (text: string) => normalized(text, 'NFC').trim()

/** Normalises language tags like the service (BCP 47). */
function canonical(tag: string): string {
  try {
    return Intl.getCanonicalLocales(tag)[0] ?? tag
  } catch {
    return tag
  }
}
