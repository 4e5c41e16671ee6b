import { createHash } from 'node:crypto'
import type { Lane } from '#foundation/database/database.ts'

/** What decides whether a feed still shows the same. */
export type FeedVersion = {
  version: number
  /** The newest release that has passed: from then on an episode shows without any write. */
  newest_release: string | null
}

/** Where the feed is read: `base` is the public address without a slash at the end. */
export type FeedPlace = { channel_id: string; page: number; base: string }

/** The columns of a FeedVersion of the channel `c`. */
export const versionColumns = (sql: Lane) => sql`
  c.version,
  case when c.last_release_at is not null then (
    select max(e.release_at) from learning.episodes e
     where e.tenant_id = c.tenant_id and e.channel_id = c.id and e.deleted_at is null
       and e.status = 'published' and e.release_at <= statement_timestamp()) end as newest_release`

export const isPublic = (sql: Lane) =>
  sql`(c.status = 'published' and c.visibility = 'public' and c.deleted_at is null)`

/**
 * One point read. The feed is the one route without a token, hence without a tenant: it serves the public channels of all
 * of them (docs/choices-learning.md). Undefined: no public channel.
 */
export async function readVersion(sql: Lane, channel_id: string): Promise<FeedVersion | undefined> {
  const [row] = await sql<FeedVersion[]>`
    select ${versionColumns(sql)} from learning.channels c where c.id = ${channel_id} and ${isPublic(sql)}`
  return row
}

/** Grows with the shape of the feed, so that bytes of an older release are never taken for today's. */
const FORMAT = 2

/** The strong ETag of one page under one base address, without quotes and coding. */
export function tagOf({ version, newest_release }: FeedVersion, { page, base }: FeedPlace): string {
  const base_hash = createHash('sha256').update(base).digest('base64url').slice(0, 16)
  return `${FORMAT}-${version}-${newest_release === null ? 0 : Date.parse(newest_release).toString(36)}-${page}-${base_hash}`
}
