import { Type } from 'typebox'
import type { Database } from '#foundation/database.ts'
import type { App } from '#foundation/http.ts'
import { PageOf, PageQuery } from '#foundation/paging.ts'
import { visitorOf } from '../identify.ts'
import { Collection, listCollections } from './collections.ts'

/** A filter that is not known must not be passed over: the list would be wrong and look right. */
const ListQuery = Type.Object(PageQuery.properties, { additionalProperties: false })

export function collectionRoutes(app: App, db: Database) {
  app.get(
    '/api/collections',
    { config: { auth: 'user' }, schema: { querystring: ListQuery, response: { 200: PageOf(Collection) } } },
    async (request) => {
      const { tenant_id, user_id } = visitorOf(request)
      return listCollections(db, tenant_id, user_id, request.query)
    },
  )
}
