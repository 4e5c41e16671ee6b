import { type Static, Type } from 'typebox'
import { CursorPageOf, CursorQuery } from '#foundation/http/cursor-page.ts'
import { Nullable, Time, Uuid } from '#foundation/http/schemas.ts'

/** Limit of notes of one person in one episode. */
export const MAX_NOTES = 200

const Text = Type.String({ maxLength: 2_000 })
/** At most a day: no video here is longer. */
export const AtSeconds = Type.Number({ minimum: 0, maximum: 86_400 })

export const NewNote = Type.Object({
  at_seconds: AtSeconds,
  text: Type.Optional(Nullable(Text)),
  client_id: Type.Optional(Nullable(Type.String({ minLength: 1, maxLength: 255 }))),
})
export type NewNote = Static<typeof NewNote>

export const NoteChange = Type.Object({ at_seconds: Type.Optional(AtSeconds), text: Type.Optional(Text) })
export type NoteChange = Static<typeof NoteChange>

/** A note at a second of a video; without text it is a bookmark. Titles are null once the caller sees them no more. */
export const Note = Type.Object({
  id: Uuid,
  episode_id: Uuid,
  episode_title: Nullable(Type.String()),
  channel_id: Uuid,
  channel_title: Nullable(Type.String()),
  at_seconds: Type.Number(),
  text: Type.String(),
  created_at: Time,
  updated_at: Time,
})
export type Note = Static<typeof Note>

export const NoteQuery = Type.Object({ ...CursorQuery.properties, episode_id: Type.Optional(Uuid) })
export type NoteQuery = Static<typeof NoteQuery>
export const NotePage = CursorPageOf(Note)
export const DeletedNote = Type.Object({ id: Uuid, deleted: Type.Literal(true) })
