import type { Lane } from '#foundation/database.ts'

/** What decides whether a feed still shows the same: asked on every request, never kept by time. */
export type FeedVersion = {
  channel_id: string
  is_public: boolean
  version: number
  /** The newest release that has passed: from then on an episode shows without any write. */
  newest_release: string | null
  /** Milliseconds since the epoch; until then nothing changes without a write. */
  next_release: number | null
}

/**
 * The point read behind every feed request. The feed is the one route without a token, hence without a tenant: it
 * serves the public channels of all of them (docs/choices-learning.md).
 */
export async function readVersion(sql: Lane, channel_id: string): Promise<FeedVersion | undefined> {
  const [row] = await sql<FeedVersion[]>`
    select c.id as channel_id, c.status = 'published' and c.visibility = 'public' and c.deleted_at is null as is_public,
           c.version, passed.newest_release, passed.next_release
      from learning.channels c
      left join lateral (
        select max(e.release_at) filter (where e.release_at <= statement_timestamp()) as newest_release,
               (extract(epoch from min(e.release_at) filter (where e.release_at > statement_timestamp())) * 1000)::float8 as next_release
          from learning.episodes e
         where e.tenant_id = c.tenant_id and e.channel_id = c.id and e.deleted_at is null
           and e.status = 'published' and e.release_at is not null) as passed on c.last_release_at is not null
     where c.id = ${channel_id}`
  return row
}

/** Grows with the shape of the feed, so that bytes of an older release are never taken for today's. */
const FORMAT = 2

/** The strong ETag of one page under one base address, without quotes and coding. */
export const tagOf = ({ version, newest_release }: FeedVersion, page: number, base_hash: string) =>
  `${FORMAT}-${version}-${newest_release === null ? 0 : Date.parse(newest_release).toString(36)}-${page}-${base_hash}`
