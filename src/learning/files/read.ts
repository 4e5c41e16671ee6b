import { Readable } from 'node:stream'
import type { Database, Lane } from '#foundation/database/database.ts'
import { notFound } from '#foundation/errors.ts'
import { editorOf, isVisible, type Viewer } from '../access/access.ts'
import { isPublic, tenantOf } from '../device-feed/versions.ts'

/** A file that the caller may read. */
export type OpenFile = {
  tenant_id: string
  id: string
  name: string
  mime_type: string
  size_bytes: number
  sha256: string
}

const columns = (sql: Lane) => sql`f.tenant_id, f.id, f.name, f.mime_type, f.size_bytes::float8, f.sha256`

/**
 * A picture or captions of a channel: for who sees the channel, and for everybody while it is published and public, as
 * its feed names them. 404 otherwise.
 */
export async function findChannelFile(
  { fast: sql }: Database,
  viewer: Viewer | undefined,
  { channel_id, id }: { channel_id: string; id: string },
): Promise<OpenFile> {
  const [own] = viewer
    ? await sql<OpenFile[]>`
        select ${columns(sql)}
          from learning.files f
          join learning.channels c on c.tenant_id = f.tenant_id and c.id = f.channel_id, ${editorOf(sql, viewer)}
         where f.tenant_id = ${viewer.tenant_id} and f.id = ${id} and f.channel_id = ${channel_id}
           and f.homework_id is null and ${isVisible(sql, viewer)}`
    : []
  if (own) return own
  const [shared] = await sql<OpenFile[]>`
    select ${columns(sql)}
      from learning.channels c
      join learning.files f on f.tenant_id = c.tenant_id and f.channel_id = c.id
     where c.tenant_id = ${tenantOf(sql, channel_id)} and c.id = ${channel_id} and ${isPublic(sql)}
       and f.id = ${id} and f.homework_id is null`
  if (!shared) throw notFound()
  return shared
}

/** An attachment: for its uploader, and once it is handed in for the editors of the channel. 404 otherwise. */
export async function findAttachment({ fast: sql }: Database, viewer: Viewer, id: string): Promise<OpenFile> {
  const [file] = await sql<OpenFile[]>`
    select ${columns(sql)}
      from learning.files f
      join learning.channels c on c.tenant_id = f.tenant_id and c.id = f.channel_id
      join learning.homework h on h.tenant_id = f.tenant_id and h.id = f.homework_id, ${editorOf(sql, viewer)}
     where f.tenant_id = ${viewer.tenant_id} and f.id = ${id} and ${isVisible(sql, viewer)} and h.deleted_at is null
       and (f.user_id = ${viewer.user_id} or (editor.may_edit and f.submission_id is not null))`
  if (!file) throw notFound()
  return file
}

/** The bytes, a piece at a time. A file that is removed meanwhile breaks the stream off. */
export const bytesOf = ({ pool }: Database, { tenant_id, id, size_bytes }: OpenFile): Readable =>
  Readable.from(pieces(pool, tenant_id, id, size_bytes), { objectMode: false })

async function* pieces(sql: Lane, tenant_id: string, id: string, size: number) {
  for (let [place, sent] = [0, 0]; sent < size; place++) {
    const [piece] = await sql<{ content: Buffer }[]>`
      select content from learning.file_pieces
       where tenant_id = ${tenant_id} and file_id = ${id} and place = ${place}`
    if (!piece) throw new Error('the file was removed while it was read')
    sent += piece.content.length
    yield piece.content
  }
}
