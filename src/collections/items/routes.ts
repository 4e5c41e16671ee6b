import { Type } from 'typebox'
import type { Tx } from '#foundation/database/database.ts'
import type { App } from '#foundation/http/http.ts'
import { CursorPageOf } from '#foundation/http/paging.ts'
import { NoContent, Uuid } from '#foundation/http/schemas.ts'
import type { ServiceParts } from '#foundation/http/service.ts'
import { requireRole } from '../access.ts'
import { answerOnce } from '../idempotency.ts'
import { actorOf } from '../identify.ts'
import { addItem, linkExisting } from './add.ts'
import { BatchResults, BatchWrite } from './batch.ts'
import { ItemOrLink, ItemPatch, readItemOrLink, readPatch } from './fields.ts'
import { findItems, FindQuery, FoundItems } from './find.ts'
import { etagOf, Item, requireItem } from './item.ts'
import { ItemsQuery, ListedItem, listItems } from './list.ts'
import { removeItem } from './remove.ts'
import { updateItem } from './update.ts'
import { writeBatch } from './write-batch.ts'

const CollectionId = Type.Object({ id: Uuid })
const LinkId = Type.Object({ id: Uuid, item_id: Uuid })
const ItemId = Type.Object({ item_id: Uuid })
const Removal = Type.Object({
  removed: Type.Literal(true),
  item_deleted: Type.Boolean(),
  remaining_collections: Type.Integer(),
})
const Batch = Type.Object(
  { item_ids: Type.Array(Uuid, { minItems: 1, maxItems: 100 }) },
  { additionalProperties: false },
)
const Linked = Type.Object({ linked: Type.Integer(), existing: Type.Integer() })

export function itemRoutes(app: App, { database: db }: Pick<ServiceParts, 'database'>) {
  app.get(
    '/api/collections/:id/items',
    {
      config: { auth: 'user', permission: 'collections:use', conditional: true },
      schema: {
        params: CollectionId,
        querystring: ItemsQuery,
        response: { 200: CursorPageOf(Type.Partial(ListedItem)), 304: NoContent },
      },
    },
    async (request) => listItems(db, actorOf(request), request.params.id, request.query),
  )
  app.post(
    '/api/collections/:id/items',
    {
      config: { auth: 'user', permission: 'collections:use' },
      schema: { params: CollectionId, body: ItemOrLink, response: { 200: Item, 201: Item } },
    },
    async (request, reply) => {
      const [actor, { id }] = [actorOf(request), request.params]
      const sent = readItemOrLink(request.body)
      const work = async (tx: Tx) => {
        if ('fields' in sent) return made(await addItem(tx, actor, id, sent.fields), true)
        const { linked } = await linkExisting(tx, actor, id, [sent.item_id])
        return made(await requireItem(tx, actor, sent.item_id, 'viewer'), linked > 0)
      }
      return answerOnce(db, request, reply, work, { mayReplay: (tx) => requireRole(tx, actor, id, 'editor') })
    },
  )
  app.delete(
    '/api/collections/:id/items/:item_id',
    {
      config: { auth: 'user', permission: 'collections:use' },
      schema: { params: LinkId, response: { 200: Removal } },
    },
    async (request) => {
      const [actor, if_match] = [actorOf(request), request.headers['if-match']]
      const removal = await db.transaction((tx) => removeItem(tx, actor, request.params, if_match))
      return { removed: true as const, ...removal }
    },
  )
  app.post(
    '/api/collections/:id/items/batch',
    {
      config: { auth: 'user', permission: 'collections:use', operational: true },
      schema: { params: CollectionId, body: Batch, response: { 200: Linked } },
    },
    async (request, reply) => {
      const [actor, { id }] = [actorOf(request), request.params]
      const item_ids = [...new Set(request.body.item_ids.map((item_id) => item_id.toLowerCase()))]
      const work = async (tx: Tx) => ({ status: 200, body: await linkExisting(tx, actor, id, item_ids) })
      return answerOnce(db, request, reply, work, { mayReplay: (tx) => requireRole(tx, actor, id, 'editor') })
    },
  )
  app.post(
    '/api/collections/:id/items/batch-write',
    {
      config: { auth: 'user', permission: 'collections:use', operational: true },
      schema: { params: CollectionId, body: BatchWrite, response: { 200: BatchResults } },
    },
    async (request, reply) => {
      const [actor, { id }, { operations }] = [actorOf(request), request.params, request.body]
      const work = async (tx: Tx) => ({
        status: 200,
        body: { results: await writeBatch(tx, actor, id, operations) },
      })
      return answerOnce(db, request, reply, work, { mayReplay: (tx) => requireRole(tx, actor, id, 'editor') })
    },
  )
  app.get(
    '/api/items',
    {
      config: { auth: 'user', permission: 'collections:use', operational: true, conditional: true },
      schema: { querystring: FindQuery, response: { 200: FoundItems, 304: NoContent } },
    },
    async (request) => findItems(db, actorOf(request), request.query),
  )
  app.get(
    '/api/items/:item_id',
    {
      config: { auth: 'user', permission: 'collections:use', operational: true },
      schema: { params: ItemId, response: { 200: Item } },
    },
    async (request, reply) => {
      const item = await requireItem(db.fast, actorOf(request), request.params.item_id, 'viewer')
      void reply.header('ETag', etagOf(item))
      return item
    },
  )
  for (const method of ['PATCH', 'PUT'] as const)
    app.route({
      method,
      url: '/api/items/:item_id',
      config: { auth: 'user', permission: 'collections:use', operational: true },
      schema: { params: ItemId, body: ItemPatch, response: { 200: Item } },
      handler: async (request, reply) => {
        const [actor, { item_id }] = [actorOf(request), request.params]
        const change = readPatch(request.body)
        const item = await db.transaction((tx) =>
          updateItem(tx, actor, item_id, change, request.headers['if-match']),
        )
        void reply.header('ETag', etagOf(item))
        return item
      },
    })
}

const made = (item: Item, is_new: boolean) => ({
  status: is_new ? 201 : 200,
  body: item,
  headers: { ETag: etagOf(item), ...(is_new && { Location: `/api/items/${item.id}` }) },
})
