import { type Database, type Lane, one } from '#foundation/database/database.ts'
import { inTurn } from '#foundation/database/lists.ts'
import { badRequest, notFound } from '#foundation/errors.ts'
import { cursorPage, startOf } from '#foundation/http/cursor-page.ts'
import { newId } from '#foundation/ids.ts'
import { editorOf, isVisible, type Store, type Viewer } from '../access/access.ts'
import { oneAtATime } from '../access/one-at-a-time.ts'
import { openEpisode, refuseLocked } from '../access/open.ts'
import { text } from '../values.ts'
import { MAX_NOTES, type NewNote, type Note, type NoteChange, type NoteQuery } from './note.ts'

/** The caller's own notes, the newest first. Also those of episodes they see no more: the words are theirs. */
export async function listNotes(db: Database, viewer: Viewer, query: NoteQuery) {
  const { sql, read } = inTurn(db, viewer.user_id)
  const { order, after, skip } = startOf('notes:-created_at', viewer, query)
  const asked = query.episode_id === undefined ? sql`` : sql`and n.episode_id = ${query.episode_id}`
  const [found, count] = await Promise.all([
    read(sql<Note[]>`
      ${noteRows(sql, viewer)} where n.tenant_id = ${viewer.tenant_id} and n.user_id = ${viewer.user_id} ${asked}
         ${after ? sql`and (n.created_at, n.id) < (${after.key}::timestamptz, ${after.id}::uuid)` : sql``}
       order by n.created_at desc, n.id desc limit ${query.per_page + 1} offset ${skip}`),
    read(sql<{ total: number }[]>`select count(*)::int as total from learning.notes n 
        where n.tenant_id = ${viewer.tenant_id} and n.user_id = ${viewer.user_id} ${asked}`),
  ])
  return cursorPage({ found, count, query, order }, ({ id, created_at }) => ({ id, key: created_at }))
}

/**
 * Keeps a note. A repeated `client_id` gets its note again (`isNew` false). 404, 403 for a locked episode, 400 when the
 * episode has MAX_NOTES of this person.
 */
export async function createNote({ db }: Store, viewer: Viewer, episode_id: string, body: NewNote) {
  const { tenant_id, user_id } = viewer
  const client_id = body.client_id ?? null
  return db.transaction(async (tx) => {
    refuseLocked(await openEpisode(tx, viewer, episode_id))
    await oneAtATime(tx, viewer, 'notes')
    const past = one(
      await tx<{ count: number; sent_before: string | null }[]>`
        select count(*) filter (where episode_id = ${episode_id})::int as count,
               min(id::text) filter (where client_id = ${client_id}) as sent_before
          from learning.notes where tenant_id = ${tenant_id} and user_id = ${user_id}`,
    )
    if (past.sent_before !== null)
      return { isNew: false, note: await requireNote(tx, viewer, past.sent_before) }
    if (past.count >= MAX_NOTES)
      throw badRequest('too_many_notes', `An episode has at most ${MAX_NOTES} notes of yours`)
    const id = newId()
    await tx`
      insert into learning.notes (tenant_id, user_id, id, episode_id, at_ms, text, client_id)
      values (${tenant_id}, ${user_id}, ${id}, ${episode_id}, ${toMs(body.at_seconds)}, ${text(body.text ?? '')}, ${client_id})`
    return { isNew: true, note: await requireNote(tx, viewer, id) }
  })
}

/** Changes what is sent of one of the caller's own notes. 404 for any other. */
export async function updateNote({ db }: Store, viewer: Viewer, note_id: string, body: NoteChange) {
  if (body.text === undefined && body.at_seconds === undefined)
    throw badRequest('nothing_to_change', 'The body has no field that can be changed')
  return db.transaction(async (tx) => {
    await tx`
      update learning.notes
         set text = coalesce(${body.text === undefined ? null : text(body.text)}, text),
             at_ms = coalesce(${body.at_seconds === undefined ? null : toMs(body.at_seconds)}, at_ms),
             updated_at = clock_timestamp()
       where tenant_id = ${viewer.tenant_id} and user_id = ${viewer.user_id} and id = ${note_id}`
    return requireNote(tx, viewer, note_id)
  })
}

/** Deletes one of the caller's own notes for good. 404 for any other. */
export async function deleteNote({ db }: Store, { tenant_id, user_id }: Viewer, note_id: string) {
  const gone = await db.pool`
    delete from learning.notes where tenant_id = ${tenant_id} and user_id = ${user_id} and id = ${note_id} returning id`
  if (gone.length === 0) throw notFound()
  return { id: note_id, deleted: true as const }
}

async function requireNote(sql: Lane, viewer: Viewer, note_id: string): Promise<Note> {
  const [note] = await sql<Note[]>`
    ${noteRows(sql, viewer)} where n.tenant_id = ${viewer.tenant_id} and n.user_id = ${viewer.user_id} and n.id = ${note_id}`
  if (!note) throw notFound()
  return note
}

const noteRows = (sql: Lane, viewer: Viewer) => sql`
  select n.id, n.episode_id, e.channel_id, n.at_ms / 1000.0::float8 as at_seconds, n.text, n.created_at, n.updated_at,
         case when seen.is_seen then e.title end as episode_title,
         case when seen.is_seen then c.title end as channel_title
    from learning.notes n
    join learning.episodes e on e.tenant_id = n.tenant_id and e.id = n.episode_id
    join learning.channels c on c.tenant_id = e.tenant_id and c.id = e.channel_id,
         ${editorOf(sql, viewer)},
         lateral (select e.deleted_at is null and ${isVisible(sql, viewer)}
                         and (editor.may_edit or learning.is_released(e.status, e.release_at)) as is_seen) as seen`

const toMs = (seconds: number) => Math.round(seconds * 1_000)
