import { type Static, Type } from 'typebox'
import type { Lane } from '#foundation/database/database.ts'
import { notFound } from '#foundation/errors.ts'
import { Nullable } from '#foundation/http/schemas.ts'
import { isPublic, tenantOf } from '../device-feed/versions.ts'
import { Channel } from './channel.ts'

const SHOWN = [
  'id',
  'title',
  'description',
  'language',
  'category',
  'level',
  'tags',
  'thumbnail_url',
  'enrollment',
] as const

/** What a visitor sees of a public channel: nothing about people, and of its episodes no more than their titles. */
export const ChannelPreview = Type.Object({
  ...Type.Pick(Channel, SHOWN).properties,
  episodes: Type.Array(
    Type.Object({
      title: Type.String(),
      language: Nullable(Type.String()),
      season: Type.Integer(),
      position: Type.Integer(),
      duration_seconds: Nullable(Type.Number()),
    }),
  ),
})
export type ChannelPreview = Static<typeof ChannelPreview>
type Listed = ChannelPreview['episodes'][number]

/** The channel in whatever tenant it is. 404 unless it is published and public. */
export async function readPreview(sql: Lane, channel_id: string): Promise<ChannelPreview> {
  const [[channel], episodes] = await Promise.all([
    sql<Omit<ChannelPreview, 'episodes'>[]>`
      select c.id, c.title, c.description, c.language, c.category, c.level, c.tags, c.thumbnail_url, c.enrollment
        from learning.channels c
       where c.tenant_id = ${tenantOf(sql, channel_id)} and c.id = ${channel_id} and ${isPublic(sql)}`,
    sql<Listed[]>`
      select e.title, e.language, e.season, e.position, v.duration_seconds::float8
        from learning.channels c
        join learning.episodes e on e.tenant_id = c.tenant_id and e.channel_id = c.id
        left join learning.videos v on v.tenant_id = e.tenant_id and v.episode_id = e.id
       where c.tenant_id = ${tenantOf(sql, channel_id)} and c.id = ${channel_id} and ${isPublic(sql)}
         and e.deleted_at is null and learning.is_released(e.status, e.release_at)
       order by e.position, e.id`,
  ])
  if (!channel) throw notFound()
  return { ...channel, episodes }
}
