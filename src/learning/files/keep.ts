import { createReadStream } from 'node:fs'
import { createHash } from 'node:crypto'
import { one, type Tx } from '#foundation/database/database.ts'
import { badRequest, forbidden, notFound, unprocessable } from '#foundation/errors.ts'
import { newId } from '#foundation/ids.ts'
import { editorOf, isVisible, type Store, type Viewer } from '../access/access.ts'
import { rewriteCaptions } from './captions.ts'
import { MAX_FILES, type Purpose, type StoredFile, urlOf } from './file.ts'
import { cleanName, isPicture, typeOf } from './types.ts'

/** `quota` is the most bytes of a tenant's files. */
export type FileStore = Store & { quota: number }
/** A file on the disk of this process, which the caller removes. */
export type Received = { path: string; name: string; size: number; sha256: string }
type Place = { channel_id: string; homework_id: string | null; purpose: Purpose }
type Facts = { name: string; mime_type: string; size_bytes: number; sha256: string }

/** Bytes of a piece. */
const PIECE = 262_144

/** Keeps a picture or captions of a channel. 404, 403 for who may not change it, 422 for another kind of file. */
export async function keepChannelFile(
  store: FileStore,
  viewer: Viewer,
  { channel_id, purpose }: Omit<Place, 'homework_id'>,
  file: Received,
): Promise<StoredFile> {
  await requireRoom(store, viewer, channel_id)
  const facts = await judged(purpose, file)
  return store.db.transaction((tx) =>
    save(tx, store, viewer, { place: { channel_id, homework_id: null, purpose }, facts, path: file.path }),
  )
}

async function requireRoom({ db }: FileStore, viewer: Viewer, channel_id: string) {
  const [channel] = await db.pool<{ may_edit: boolean; files: number }[]>`
    select editor.may_edit,
           (select count(*)::int from learning.files f
             where f.tenant_id = c.tenant_id and f.channel_id = c.id and f.homework_id is null) as files
      from learning.channels c, ${editorOf(db.pool, viewer)}
     where c.tenant_id = ${viewer.tenant_id} and c.id = ${channel_id} and ${isVisible(db.pool, viewer)}`
  if (!channel) throw notFound()
  if (!channel.may_edit) throw forbidden('not_an_editor', 'Only an editor of the channel may change it')
  if (channel.files >= MAX_FILES)
    throw badRequest('too_many_files', `A channel holds at most ${MAX_FILES} files`)
}

/** What is stored of the file: its type is that of its bytes. 422 if it is empty or does not fit its purpose. */
export async function judged(purpose: Purpose, { path, name, size, sha256 }: Received): Promise<Facts> {
  if (size === 0) throw unprocessable('file', 'empty', 'must not be empty')
  const clean = cleanName(name)
  if (purpose === 'captions') {
    const bytes = await rewriteCaptions(path)
    return {
      name: `${clean.replace(/\.\w{1,10}$/, '')}.vtt`,
      mime_type: 'text/vtt; charset=utf-8',
      size_bytes: bytes.length,
      sha256: createHash('sha256').update(bytes).digest('hex'),
    }
  }
  const mime_type = await typeOf(path)
  if (purpose === 'picture' && !isPicture(mime_type))
    throw unprocessable('file', 'not_a_picture', 'must be a PNG, JPEG, GIF or WebP picture')
  return { name: clean, mime_type, size_bytes: size, sha256 }
}

/** Stores the file and its bytes in the caller's transaction, which ends here: the tenant's total comes last. */
export async function save(
  tx: Tx,
  { quota }: FileStore,
  { tenant_id, user_id }: Viewer,
  { place, facts, path }: { place: Place; facts: Facts; path: string },
): Promise<StoredFile> {
  const id = newId()
  const { created_at } = one(
    await tx<{ created_at: string }[]>`
      insert into learning.files (
        tenant_id, id, channel_id, homework_id, user_id, purpose, name, mime_type, size_bytes, sha256)
      values (
        ${tenant_id}, ${id}, ${place.channel_id}, ${place.homework_id}, ${user_id}, ${place.purpose}, ${facts.name},
        ${facts.mime_type}, ${facts.size_bytes}, ${facts.sha256})
      returning created_at`,
  )
  let number = 0
  for await (const content of createReadStream(path, { highWaterMark: PIECE }) as AsyncIterable<Buffer>)
    await tx`
      insert into learning.file_pieces (tenant_id, file_id, place, content)
      values (${tenant_id}, ${id}, ${number++}, ${content})`
  await takeBytes(tx, tenant_id, facts.size_bytes, quota)
  const shown = { id, channel_id: place.channel_id, purpose: place.purpose }
  return { ...shown, ...facts, url: urlOf(shown), created_at }
}

/** Counts bytes against the quota; the last statement of a transaction, as a tenant shares the row. 400 when it is full. */
export async function takeBytes(tx: Tx, tenant_id: string, bytes: number, quota: number) {
  const taken = await tx`
    insert into learning.file_totals as t (tenant_id, bytes)
    select ${tenant_id}, ${bytes}::bigint where ${bytes}::bigint <= ${quota}::bigint
    on conflict (tenant_id) do update set bytes = t.bytes + excluded.bytes
     where t.bytes + excluded.bytes <= ${quota}::bigint
    returning bytes`
  if (taken.length === 0)
    throw badRequest('quota_reached', 'The files of this organisation have reached their quota')
}
