import { Type } from 'typebox'
import type { App } from '#foundation/http/http.ts'
import { publicAddress } from '#foundation/http/public-address.ts'
import { Uuid } from '#foundation/http/schemas.ts'
import type { SsoParts } from '../../core/parts.ts'
import { BASE, baseOf, byDirectory, config, errors } from './base-routes.ts'
import { BulkBody, BulkReply, runBulk } from './bulk.ts'
import { SCIM_JSON } from './errors.ts'

const Ids = Type.Object({ connection_id: Uuid })

export function scimBulkRoutes(app: App, parts: SsoParts) {
  const addressOf = publicAddress(parts.config.SSO_URL)
  app.post(
    `${BASE}/Bulk`,
    { config, schema: { params: Ids, body: BulkBody, response: { 200: BulkReply, ...errors } } },
    async (request, reply) => {
      const done = await runBulk(parts, byDirectory(request), request.body, baseOf(addressOf, request))
      return reply.type(SCIM_JSON).send(done)
    },
  )
}
