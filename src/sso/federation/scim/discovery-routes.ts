import { Type } from 'typebox'
import type { App } from '#foundation/http/http.ts'
import { publicAddress } from '#foundation/http/public-address.ts'
import { Uuid } from '#foundation/http/schemas.ts'
import type { SsoParts } from '../../core/parts.ts'
import {
  Document,
  listOf,
  resourceType,
  resourceTypes,
  schema,
  schemas,
  serviceProviderConfig,
} from './discovery.ts'
import { SCIM_JSON } from './errors.ts'
import { baseOf, BASE, config, errors } from './base-routes.ts'

const Ids = Type.Object({ connection_id: Uuid })
const NamedIds = Type.Object({ ...Ids.properties, id: Type.String() })

/** What a directory asks first: which resources there are, and what they consist of. */
export function discoveryRoutes(app: App, parts: SsoParts) {
  const addressOf = publicAddress(parts.config.SSO_URL)
  const response = { 200: Document, ...errors }

  for (const [name, read] of [
    ['ServiceProviderConfig', serviceProviderConfig],
    ['ResourceTypes', (base: string) => listOf(resourceTypes(base))],
    ['Schemas', (base: string) => listOf(schemas(base))],
  ] as const)
    app.get(`${BASE}/${name}`, { config, schema: { params: Ids, response } }, async (request, reply) =>
      reply.type(SCIM_JSON).send(read(baseOf(addressOf, request))),
    )

  for (const [name, read] of [
    ['ResourceTypes', resourceType],
    ['Schemas', schema],
  ] as const)
    app.get(
      `${BASE}/${name}/:id`,
      { config, schema: { params: NamedIds, response } },
      async (request, reply) =>
        reply.type(SCIM_JSON).send(read(baseOf(addressOf, request), request.params.id)),
    )
}
