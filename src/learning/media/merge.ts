import { newId } from '#foundation/ids.ts'
import {
  asSent,
  cleanFields,
  decimals,
  type Faults,
  language,
  link,
  name,
  type Refuse,
  type Rules,
  text,
} from '../values.ts'
import { embedUrlOf, kindOf, mimeTypeOf } from './media.ts'
import type { Caption, Chapter, Kind, Source, VideoBody } from './video.ts'

/** The columns of learning.videos that a write sets. */
export type VideoRow = {
  id: string
  episode_id: string
  url: string
  poster_url: string | null
  kind: Kind
  mime_type: string
  embed_url: string | null
  duration_seconds: number | null
  width: number | null
  height: number | null
  size_bytes: number | null
  sha256: string | null
  sources: Source[]
  chapters: Chapter[]
  captions: Caption[]
  transcript: string
  completion_threshold: number | null
  strict_watch: boolean
}

/** `kind` and `mime_type` are null when they follow from the address. */
type Given = Omit<VideoRow, 'id' | 'episode_id' | 'embed_url' | 'kind' | 'mime_type'> & {
  kind: Kind | null
  mime_type: string | null
}
export type VideoPatch = Partial<Given>

const DEFAULTS: Omit<Given, 'url'> = {
  poster_url: null,
  kind: null,
  mime_type: null,
  duration_seconds: null,
  width: null,
  height: null,
  size_bytes: null,
  sha256: null,
  sources: [],
  chapters: [],
  captions: [],
  transcript: '',
  completion_threshold: null,
  strict_watch: false,
}

type Sent<Name extends keyof VideoBody> = NonNullable<VideoBody[Name]>

const RULES: Rules<Given> = {
  url: link,
  poster_url: link,
  kind: asSent,
  mime_type: text,
  duration_seconds: decimals(3),
  width: asSent,
  height: asSent,
  size_bytes: asSent,
  sha256: (value) => value.toLowerCase(),
  sources: (sources: Sent<'sources'>, refuse) => sources.map((source) => cleanSource(source, refuse)),
  chapters: (chapters, refuse) =>
    chapters
      .map(({ start_seconds, title }) => ({
        start_seconds: decimals(3)(start_seconds, refuse),
        title: name(title, refuse),
      }))
      .toSorted((a, b) => a.start_seconds - b.start_seconds),
  captions: cleanCaptions,
  transcript: text,
  completion_threshold: decimals(3),
  strict_watch: asSent,
}

/** The sent fields in the form that is stored. Faults go to `faults`, prefixed with `path`. */
export const cleanVideo = (body: VideoBody, faults: Faults, path = ''): VideoPatch =>
  cleanFields<Given>(body, RULES, DEFAULTS, faults, path)

/**
 * Merges: fields that are not sent keep their values. A new address resets kind and type, unless they are sent with it.
 * Returns undefined when there is no asset yet and no `url` was sent.
 */
export function mergeVideo(
  current: VideoRow | undefined,
  patch: VideoPatch,
  episode_id: string,
): VideoRow | undefined {
  const url = patch.url ?? current?.url
  if (url === undefined) return undefined
  const isSameAddress = current !== undefined && url === current.url
  const kind = patch.kind ?? (isSameAddress && patch.kind === undefined ? current.kind : kindOf(url))
  const mime_type =
    patch.mime_type ??
    (isSameAddress && patch.mime_type === undefined && kind === current.kind
      ? current.mime_type
      : mimeTypeOf(url, kind))
  const base = current ?? { ...DEFAULTS, id: newId(), episode_id }
  return { ...base, ...patch, url, kind, mime_type, embed_url: embedUrlOf(url, kind) }
}

function cleanSource(
  { url, mime_type, height, size_bytes }: Sent<'sources'>[number],
  refuse: Refuse,
): Source {
  link(url, refuse)
  return {
    url,
    mime_type: mime_type ?? (URL.canParse(url, 'https://own.invalid') ? mimeTypeOf(url, 'file') : ''),
    height: height ?? null,
    size_bytes: size_bytes ?? null,
  }
}

/** Uploaded captions are WebVTT, whatever their address (../files/captions.ts). */
const UPLOADED = /^\/files\/[0-9a-f-]{36}\/[0-9a-f-]{36}$/

function cleanCaptions(captions: Sent<'captions'>, refuse: Refuse): Caption[] {
  if (captions.filter((caption) => caption.default).length > 1)
    refuse('default', 'may have one default at most')
  return captions.map((caption) => {
    link(caption.url, refuse)
    if (!/\.vtt(?:[?#]|$)/i.test(caption.url) && !UPLOADED.test(caption.url))
      refuse('url', 'must name .vtt files')
    return {
      lang: language(caption.lang, refuse),
      label: text(caption.label ?? ''),
      url: caption.url,
      kind: caption.kind ?? 'subtitles',
      default: caption.default ?? false,
    }
  })
}
