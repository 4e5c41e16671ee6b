import { type Static, Type } from 'typebox'
import { Nullable, OneOf, Time, Uuid } from '#foundation/http/schemas.ts'

export const KINDS = ['file', 'hls', 'embed'] as const
export type Kind = (typeof KINDS)[number]

const Url = Type.String({ minLength: 1, maxLength: 2048 })
const MimeType = Type.String({ minLength: 1, maxLength: 100 })
const Pixels = Type.Integer({ minimum: 1, maximum: 16_384 })
const Bytes = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })
const Fraction = Type.Number({ minimum: 0.5, maximum: 1 })
const Duration = Type.Number({ exclusiveMinimum: 0, maximum: 86_400 })
const Lang = Type.String({ minLength: 1, maxLength: 35 })
/** One of the words; null means the default. */
const optionalWord = <const T extends string[]>(words: T) => Nullable(OneOf(words))

export const Source = Type.Object({
  url: Type.String(),
  mime_type: Type.String(),
  height: Nullable(Type.Integer()),
  size_bytes: Nullable(Type.Integer()),
})
export const Chapter = Type.Object({ start_seconds: Type.Number(), title: Type.String() })
export const Caption = Type.Object({
  lang: Type.String(),
  label: Type.String(),
  url: Type.String(),
  kind: OneOf(['subtitles', 'captions', 'descriptions']),
  default: Type.Boolean(),
})
export type Source = Static<typeof Source>
export type Chapter = Static<typeof Chapter>
export type Caption = Static<typeof Caption>

const given = {
  poster_url: Type.Optional(Nullable(Url)),
  kind: Type.Optional(optionalWord([...KINDS])),
  mime_type: Type.Optional(Nullable(MimeType)),
  duration_seconds: Type.Optional(Nullable(Duration)),
  width: Type.Optional(Nullable(Pixels)),
  height: Type.Optional(Nullable(Pixels)),
  size_bytes: Type.Optional(Nullable(Bytes)),
  sha256: Type.Optional(Nullable(Type.String({ pattern: '^[0-9a-fA-F]{64}$' }))),
  sources: Type.Optional(
    Nullable(
      Type.Array(
        Type.Object({
          url: Url,
          mime_type: Type.Optional(Nullable(MimeType)),
          height: Type.Optional(Nullable(Pixels)),
          size_bytes: Type.Optional(Nullable(Bytes)),
        }),
        { maxItems: 10 },
      ),
    ),
  ),
  chapters: Type.Optional(
    Nullable(
      Type.Array(
        Type.Object({
          start_seconds: Type.Number({ minimum: 0, maximum: 86_400 }),
          title: Type.String({ minLength: 1, maxLength: 120 }),
        }),
        { maxItems: 100 },
      ),
    ),
  ),
  captions: Type.Optional(
    Nullable(
      Type.Array(
        Type.Object({
          lang: Lang,
          label: Type.Optional(Nullable(Type.String({ maxLength: 80 }))),
          url: Url,
          kind: Type.Optional(optionalWord(['subtitles', 'captions', 'descriptions'])),
          default: Type.Optional(Nullable(Type.Boolean())),
        }),
        { maxItems: 20 },
      ),
    ),
  ),
  transcript: Type.Optional(Nullable(Type.String({ maxLength: 200_000 }))),
  completion_threshold: Type.Optional(Nullable(Fraction)),
  strict_watch: Type.Optional(Nullable(Type.Boolean())),
}

/** The body of an author; `url` is optional once the episode has an asset. */
export const VideoBody = Type.Object({ url: Type.Optional(Url), ...given })
export type VideoBody = Static<typeof VideoBody>

/**
 * How learners watched a video. Percentages are of its viewers. `retention` and `rewatch` have one value per hundredth
 * of its length.
 */
export const VideoStats = Type.Object({
  viewers: Type.Integer(),
  completed: Type.Integer(),
  average_percent: Type.Number(),
  retention: Type.Array(Type.Number()),
  rewatch: Type.Array(Type.Number()),
})
export type VideoStats = Static<typeof VideoStats>
export const VideoInclude = Type.Object({ include: Type.Optional(OneOf(['stats'])) })

/** The asset. The order of the fields is fixed. Editors who ask for it also get `stats`. */
export const Video = Type.Object({
  id: Uuid,
  episode_id: Uuid,
  url: Type.String(),
  poster_url: Nullable(Type.String()),
  kind: OneOf([...KINDS]),
  mime_type: Type.String(),
  duration_seconds: Nullable(Type.Number()),
  width: Nullable(Type.Integer()),
  height: Nullable(Type.Integer()),
  size_bytes: Nullable(Type.Integer()),
  sha256: Nullable(Type.String()),
  sources: Type.Array(Source),
  chapters: Type.Array(Chapter),
  captions: Type.Array(Caption),
  transcript: Type.String(),
  completion_threshold: Nullable(Type.Number()),
  strict_watch: Type.Boolean(),
  trackable: Type.Boolean(),
  embed_url: Nullable(Type.String()),
  asset_version: Type.Integer(),
  created_at: Time,
  updated_at: Time,
  stats: Type.Optional(VideoStats),
})
export type Video = Static<typeof Video>

/** The asset of an episode as the channel shows it. */
export const VideoSummary = Type.Object({
  url: Type.String(),
  kind: OneOf([...KINDS]),
  mime_type: Type.String(),
  duration_seconds: Nullable(Type.Number()),
  poster_url: Nullable(Type.String()),
  trackable: Type.Boolean(),
  has_captions: Type.Boolean(),
  has_transcript: Type.Boolean(),
  asset_version: Type.Integer(),
})
export type VideoSummary = Static<typeof VideoSummary>
