import { Type } from 'typebox'
import type { Tx } from '#foundation/database/database.ts'
import type { App } from '#foundation/http/http.ts'
import { Uuid } from '#foundation/http/schemas.ts'
import type { ServiceParts } from '#foundation/http/service.ts'
import type { Identity } from '#foundation/security/session-gate.ts'
import { answerOnce } from '../idempotency.ts'
import { actorOf } from '../identify.ts'
import { etagOf, Item, requireItem } from '../items/item.ts'
import { History, HistoryQuery, listHistory } from './history.ts'
import { putBack } from './put-back.ts'

const ItemId = Type.Object({ item_id: Uuid })
const ChangeId = Type.Object({ item_id: Uuid, change_id: Uuid })
const Field = Type.String({ minLength: 1, maxLength: 80 })
const Chosen = Type.Object(
  { fields: Type.Optional(Type.Array(Field, { minItems: 1, maxItems: 100 })) },
  { additionalProperties: false },
)

export function historyRoutes(
  app: App,
  { database: db }: Pick<ServiceParts, 'database'>,
  identity: Identity,
) {
  app.get(
    '/api/items/:item_id/history',
    {
      config: { auth: 'user', permission: 'collections:use', operational: true },
      schema: { params: ItemId, querystring: HistoryQuery, response: { 200: History } },
    },
    async (request) => listHistory({ db, identity }, actorOf(request), request.params.item_id, request.query),
  )
  app.post(
    '/api/items/:item_id/history/:change_id/put-back',
    {
      config: { auth: 'user', permission: 'collections:use', operational: true },
      schema: { params: ChangeId, body: Chosen, response: { 200: Item } },
    },
    async (request, reply) => {
      const [actor, { item_id }, if_match] = [actorOf(request), request.params, request.headers['if-match']]
      const work = async (tx: Tx) => {
        const asked = { ...request.params, fields: request.body.fields, if_match }
        const item = await putBack(tx, actor, asked)
        return { status: 200, body: item, headers: { ETag: etagOf(item) } }
      }
      return answerOnce(db, request, reply, work, {
        mayReplay: (tx) => requireItem(tx, actor, item_id, 'editor'),
      })
    },
  )
}
