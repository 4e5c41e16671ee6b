import { Type } from 'typebox'
import { type App, callerOf } from '#foundation/http/http.ts'
import { pageLinks } from '#foundation/http/paging.ts'
import { Uuid } from '#foundation/http/schemas.ts'
import type { Learning } from '../learning.ts'
import { DeletedNote, NewNote, Note, NoteChange, NotePage, NoteQuery } from './note.ts'
import { createNote, deleteNote, listNotes, updateNote } from './notes.ts'

const Params = Type.Object({ id: Uuid })
const config = { auth: 'user', permission: 'learning:use', operational: true } as const

export function noteRoutes(app: App, learning: Learning) {
  const { db, viewerOf } = learning
  app.get(
    '/api/notes',
    { config, schema: { querystring: NoteQuery, response: { 200: NotePage } } },
    async (request, reply) => {
      const notes = await listNotes(db, viewerOf(callerOf(request)), request.query)
      reply.header('Link', pageLinks(request.url, notes))
      return notes
    },
  )
  app.post(
    '/api/episodes/:id/notes',
    { config, schema: { params: Params, body: NewNote, response: { 200: Note, 201: Note } } },
    async (request, reply) => {
      const { params, body } = request
      const { isNew, note } = await createNote(learning, viewerOf(callerOf(request)), params.id, body)
      return reply.code(isNew ? 201 : 200).send(note)
    },
  )
  app.put(
    '/api/notes/:id',
    { config, schema: { params: Params, body: NoteChange, response: { 200: Note } } },
    async (request) => updateNote(learning, viewerOf(callerOf(request)), request.params.id, request.body),
  )
  app.delete(
    '/api/notes/:id',
    { config, schema: { params: Params, response: { 200: DeletedNote } } },
    async (request) => deleteNote(learning, viewerOf(callerOf(request)), request.params.id),
  )
}
