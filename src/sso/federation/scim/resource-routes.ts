import { type Static, Type } from 'typebox'
import type { App } from '#foundation/http/http.ts'
import { publicAddress } from '#foundation/http/public-address.ts'
import { NoContent, Uuid } from '#foundation/http/schemas.ts'
import type { SsoParts } from '../../core/parts.ts'
import {
  BASE,
  baseOf,
  byDirectory,
  config,
  errors,
  Preconditions,
  resourceOf,
  sendPage,
} from './base-routes.ts'
import { SCIM_JSON } from './errors.ts'
import type { ByDirectory } from './hold.ts'
import { ListQuery } from './list.ts'
import { PatchBody } from './patch.ts'
import { projected } from './projection.ts'
import { Page, Resource, Selection } from './replies.ts'
import type { ResourceType } from './schema.ts'
import { isKnown } from './tags.ts'
import type { Resource as Values } from './values.ts'

type Asked = { id: string; if_match: string | undefined }
type Found<Row> = { items: Row[]; totalResults: number; startIndex: number }

/** People or groups: how their rows are read, changed and shown. */
export type Kind<Row> = {
  path: 'Users' | 'Groups'
  type: ResourceType
  idOf: (row: Row) => string
  tagOf: (row: Row) => string
  shown: (row: Row, base: string) => Values
  /** Too large to be sent after each PATCH: only to who asks (RFC 7644, section 3.5.2). */
  isLarge: boolean
  list: (parts: SsoParts, by: ByDirectory, query: Static<typeof ListQuery>) => Promise<Found<Row>>
  create: (parts: SsoParts, by: ByDirectory, body: Values) => Promise<Row>
  read: (parts: SsoParts, by: ByDirectory, id: string, selection: Selection) => Promise<Row>
  replace: (parts: SsoParts, by: ByDirectory, asked: Asked, body: Values) => Promise<Row>
  patch: (parts: SsoParts, by: ByDirectory, asked: Asked, body: Static<typeof PatchBody>) => Promise<Row>
  remove: (parts: SsoParts, by: ByDirectory, asked: Asked) => Promise<void>
}

const Ids = Type.Object({ connection_id: Uuid })
const EachIds = Type.Object({ ...Ids.properties, id: Uuid })

/** The routes of one kind of resource of a directory (RFC 7644, section 3). */
export function resourceRoutes<Row>(app: App, parts: SsoParts, kind: Kind<Row>) {
  const { type, tagOf } = kind
  const addressOf = publicAddress(parts.config.SSO_URL)
  const all = `${BASE}/${kind.path}` as const
  const each = `${all}/:id` as const
  const show = (row: Row, request: Parameters<typeof baseOf>[1] & { query: Selection }) =>
    projected(type, request.query, kind.shown(row, baseOf(addressOf, request)))
  const response = { 200: Resource, ...errors }
  const mayBeEmpty = { ...response, 204: NoContent }
  const patched = kind.isLarge ? mayBeEmpty : (response as typeof mayBeEmpty)
  const asked = (request: { params: { id: string }; headers: { 'if-match'?: string | undefined } }) => ({
    id: request.params.id,
    if_match: request.headers['if-match'],
  })

  app.get(
    all,
    { config, schema: { params: Ids, querystring: ListQuery, response: { 200: Page, ...errors } } },
    async (request, reply) => {
      const found = await kind.list(parts, byDirectory(request), request.query)
      return sendPage(reply, { ...found, items: found.items.map((row) => show(row, request)) })
    },
  )

  app.post(
    all,
    {
      config,
      schema: { params: Ids, querystring: Selection, body: Resource, response: { 201: Resource, ...errors } },
    },
    async (request, reply) => {
      const row = await kind.create(parts, byDirectory(request), resourceOf(type, request.body))
      const location = `${baseOf(addressOf, request)}/${kind.path}/${kind.idOf(row)}`
      return reply
        .code(201)
        .type(SCIM_JSON)
        .headers({ location, etag: tagOf(row) })
        .send(show(row, request))
    },
  )

  app.get(
    each,
    {
      config,
      schema: {
        params: EachIds,
        querystring: Selection,
        headers: Preconditions,
        response: { ...response, 304: NoContent },
      },
    },
    async (request, reply) => {
      const row = await kind.read(parts, byDirectory(request), request.params.id, request.query)
      void reply.header('etag', tagOf(row))
      if (isKnown(request.headers['if-none-match'], tagOf(row))) return reply.code(304).send()
      return reply.type(SCIM_JSON).send(show(row, request))
    },
  )

  app.put(
    each,
    {
      config,
      schema: { params: EachIds, querystring: Selection, headers: Preconditions, body: Resource, response },
    },
    async (request, reply) => {
      const body = resourceOf(type, request.body)
      const row = await kind.replace(parts, byDirectory(request), asked(request), body)
      return reply.type(SCIM_JSON).header('etag', tagOf(row)).send(show(row, request))
    },
  )

  app.patch(
    each,
    {
      config,
      schema: {
        params: EachIds,
        querystring: Selection,
        headers: Preconditions,
        body: PatchBody,
        response: patched,
      },
    },
    async (request, reply) => {
      const row = await kind.patch(parts, byDirectory(request), asked(request), request.body)
      void reply.header('etag', tagOf(row))
      if (kind.isLarge && request.query.attributes === undefined) return reply.code(204).send()
      return reply.type(SCIM_JSON).send(show(row, request))
    },
  )

  app.delete(
    each,
    { config, schema: { params: EachIds, headers: Preconditions, response: { 204: NoContent, ...errors } } },
    async (request, reply) => {
      await kind.remove(parts, byDirectory(request), asked(request))
      return reply.code(204).send()
    },
  )
}
