import { Type } from 'typebox'
import type { App } from '#foundation/http/http.ts'
import { NoContent, Uuid } from '#foundation/http/schemas.ts'
import type { ServiceParts } from '#foundation/http/service.ts'
import { actorOf } from '../identify.ts'
import { listViews, NewView, removeView, saveView, View, Views } from './views.ts'

const CollectionId = Type.Object({ id: Uuid })
const ViewId = Type.Object({ id: Uuid, view_id: Uuid })
const config = { auth: 'user', permission: 'collections:use', operational: true } as const

export function viewRoutes(app: App, { database: db }: Pick<ServiceParts, 'database'>) {
  app.get(
    '/api/collections/:id/views',
    { config, schema: { params: CollectionId, response: { 200: Views } } },
    async (request) => ({ items: await listViews(db, actorOf(request), request.params.id) }),
  )
  app.put(
    '/api/collections/:id/views',
    { config, schema: { params: CollectionId, body: NewView, response: { 200: View, 201: View } } },
    async (request, reply) => {
      const [actor, { id }] = [actorOf(request), request.params]
      const { view, is_new } = await db.transaction((tx) => saveView(tx, actor, id, request.body))
      return reply.code(is_new ? 201 : 200).send(view)
    },
  )
  app.delete(
    '/api/collections/:id/views/:view_id',
    { config, schema: { params: ViewId, response: { 204: NoContent } } },
    async (request, reply) => {
      const [actor, { id, view_id }] = [actorOf(request), request.params]
      await db.transaction((tx) => removeView(tx, actor, id, view_id))
      return reply.code(204).send()
    },
  )
}
