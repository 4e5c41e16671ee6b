import { createHash } from 'node:crypto'
import type { Lane } from '#foundation/database/database.ts'

/** What changes when the content of a feed changes. */
export type FeedVersion = {
  version: number
  /** The newest release in the past. An episode appears at its release without any write. */
  newest_release: string | null
  updated_at: string
}

/** One page of a feed; `base` is the public address without a trailing slash. */
export type FeedPlace = { channel_id: string; page: number; base: string }

/** The columns of a FeedVersion of the channel `c`. */
export const versionColumns = (sql: Lane) => sql`
  c.version, c.updated_at,
  case when c.last_release_at is not null then (
    select max(e.release_at) from learning.episodes e
     where e.tenant_id = c.tenant_id and e.channel_id = c.id and e.deleted_at is null
       and e.status = 'published' and e.release_at <= statement_timestamp()) end as newest_release`

export const isPublic = (sql: Lane) =>
  sql`(c.status = 'published' and c.visibility = 'public' and c.deleted_at is null)`

/**
 * The tenant of a channel. The feed is the only route without a token and thus without a tenant: it serves the public
 * channels of all tenants (docs/choices-learning.md).
 */
export const tenantOf = (sql: Lane, channel_id: string) => sql`
  (select o.tenant_id from learning.channel_tenants o where o.channel_id = ${channel_id})`

/** One point read. Undefined when there is no such public channel. */
export async function readVersion(sql: Lane, channel_id: string): Promise<FeedVersion | undefined> {
  const [row] = await sql<FeedVersion[]>`
    select ${versionColumns(sql)} from learning.channels c
     where c.tenant_id = ${tenantOf(sql, channel_id)} and c.id = ${channel_id} and ${isPublic(sql)}`
  return row
}

/**
 * Raise it when the shape of the feed changes, so that no client takes a cached feed of an older release for the
 * current one.
 */
const FORMAT = 2

/** When the content of a feed last changed, in whole seconds since 1970. */
export const changedAt = ({ newest_release, updated_at }: FeedVersion): number =>
  Math.floor(Math.max(Date.parse(updated_at), Date.parse(newest_release ?? updated_at)) / 1_000)

/** The strong ETag of one page under one base address, without quotes and without the suffix of the coding. */
export function tagOf({ version, newest_release }: FeedVersion, { page, base }: FeedPlace): string {
  const base_hash = createHash('sha256').update(base).digest('base64url').slice(0, 16)
  return `${FORMAT}-${version}-${newest_release === null ? 0 : Date.parse(newest_release).toString(36)}-${page}-${base_hash}`
}
