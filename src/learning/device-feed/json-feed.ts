import { type Static, Type } from 'typebox'
import { OneOf, Time, Uuid } from '#foundation/http/schemas.ts'
import { Caption, Chapter, KINDS } from '../media/video.ts'

const Text = Type.Optional(Type.String())

const FeedItem = Type.Object({
  id: Uuid,
  url: Type.String(),
  external_url: Text,
  title: Type.String(),
  content_text: Type.String(),
  summary: Type.String(),
  image: Text,
  date_published: Time,
  date_modified: Time,
  authors: Type.Optional(Type.Array(Type.Object({ name: Type.String() }))),
  tags: Type.Optional(Type.Array(Type.String())),
  language: Type.String(),
  attachments: Type.Optional(
    Type.Array(
      Type.Object({
        url: Type.String(),
        mime_type: Type.String(),
        title: Type.String(),
        size_in_bytes: Type.Optional(Type.Integer()),
        duration_in_seconds: Type.Optional(Type.Number()),
      }),
    ),
  ),
  _learning: Type.Object({
    position: Type.Integer(),
    season: Type.Integer(),
    kind: OneOf([...KINDS]),
    recorded_on: Text,
    captions: Type.Array(Caption),
    chapters: Type.Array(Chapter),
    sha256: Text,
    homework_count: Type.Integer(),
    test_count: Type.Integer(),
    asset_version: Type.Integer(),
  }),
})
export type FeedItem = Static<typeof FeedItem>

/** JSON Feed 1.1, with what devices need beyond it under `_learning`. Absent values are left out. */
export const JsonFeed = Type.Object({
  version: Type.Literal('https://jsonfeed.org/version/1.1'),
  title: Type.String(),
  description: Type.String(),
  home_page_url: Type.String(),
  feed_url: Type.String(),
  icon: Text,
  next_url: Text,
  language: Type.String(),
  items: Type.Array(FeedItem),
  _learning: Type.Object({
    channel_id: Uuid,
    channel_version: Type.Integer(),
    episode_count: Type.Integer(),
  }),
})
export type JsonFeed = Static<typeof JsonFeed>
