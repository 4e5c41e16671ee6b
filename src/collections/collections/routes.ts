import { Type } from 'typebox'
import type { Config } from '#foundation/settings/config.ts'
import type { Database, Tx } from '#foundation/database/database.ts'
import { forbidden, notFound } from '#foundation/errors.ts'
import type { App } from '#foundation/http/http.ts'
import { CursorPageOf } from '#foundation/http/paging.ts'
import { NoContent, OneOf, Uuid } from '#foundation/http/schemas.ts'
import { requireRole } from '../access.ts'
import { answerOnce } from '../idempotency.ts'
import { actorOf } from '../identify.ts'
import { listQuerySchema } from '../query/listing.ts'
import { readListQuery } from '../query/read.ts'
import {
  cleanChange,
  cleanNew,
  Collection,
  CollectionBody,
  CollectionChangeBody,
  etagOf,
  ListedCollection,
} from './collection.ts'
import { createCollection } from './create.ts'
import { deleteCollection } from './delete.ts'
import { collectionListing, listCollections } from './list.ts'
import { findCollection } from './show.ts'
import { updateCollection } from './update.ts'

const Params = Type.Object({ id: Uuid })
/** Every parameter that any caller may send. The listing rejects those reserved for site admins. */
const ListQuery = listQuerySchema(collectionListing({ user_id: '', tenant_id: '', is_site_admin: true }), {
  scope: Type.Optional(OneOf(['own', 'all'])),
})
const DeleteQuery = Type.Object({ cascade: Type.Optional(Type.Boolean()) }, { additionalProperties: false })

export function collectionRoutes(app: App, db: Database, { COLLECTIONS_TYPES: types }: Config) {
  app.get(
    '/api/collections',
    {
      config: { auth: 'user', permission: 'collections:use', conditional: true },
      schema: { querystring: ListQuery, response: { 200: CursorPageOf(ListedCollection), 304: NoContent } },
    },
    async (request) => {
      const actor = actorOf(request)
      const { scope = 'own' } = request.query
      if (scope === 'all' && !actor.is_site_admin)
        throw forbidden('insufficient_role', 'Only a site admin may list all collections')
      const query = readListQuery(collectionListing(actor), request.query, { actor, others: ['scope'] })
      return listCollections(db, actor, query, scope)
    },
  )
  app.post(
    '/api/collections',
    {
      config: { auth: 'user', permission: 'collections:use' },
      schema: { body: CollectionBody, response: { 201: Collection } },
    },
    async (request, reply) => {
      const [actor, fields] = [actorOf(request), cleanNew(request.body, types)]
      const work = async (tx: Tx) => {
        const body = await createCollection(tx, actor, fields)
        const headers = { Location: `/api/collections/${body.id}`, ETag: etagOf(body) }
        return { status: 201, body, headers }
      }
      return answerOnce(db, request, reply, work, {
        mayReplay: (tx, { id }) => requireRole(tx, actor, id, 'viewer'),
      })
    },
  )
  app.get(
    '/api/collections/:id',
    {
      config: { auth: 'user', permission: 'collections:use' },
      schema: { params: Params, response: { 200: Collection } },
    },
    async (request, reply) => {
      const found = await findCollection(db.fast, actorOf(request), request.params.id)
      if (!found) throw notFound()
      reply.header('ETag', etagOf(found))
      return found
    },
  )
  for (const method of ['PATCH', 'PUT'] as const)
    app.route({
      method,
      url: '/api/collections/:id',
      // PUT is an undocumented alias of PATCH and also changes only the sent fields.
      config: { auth: 'user', permission: 'collections:use', ...(method === 'PUT' && { operational: true }) },
      schema: { params: Params, body: CollectionChangeBody, response: { 200: Collection } },
      handler: async (request, reply) => {
        const changed = await updateCollection(db, actorOf(request), request.params.id, {
          change: cleanChange(request.body),
          if_match: request.headers['if-match'],
          types,
        })
        reply.header('ETag', etagOf(changed))
        return changed
      },
    })
  app.delete(
    '/api/collections/:id',
    {
      config: { auth: 'user', permission: 'collections:use' },
      schema: { params: Params, querystring: DeleteQuery, response: { 204: NoContent } },
    },
    async (request, reply) => {
      const { cascade = false } = request.query
      const asked = { cascade, if_match: request.headers['if-match'] }
      await deleteCollection(db, actorOf(request), request.params.id, asked)
      return reply.code(204).send()
    },
  )
}
