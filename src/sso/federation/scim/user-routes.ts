import { Type } from 'typebox'
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
import { ListQuery } from './list.ts'
import { listUsers } from './list-users.ts'
import { PatchBody } from './patch.ts'
import { projected } from './projection.ts'
import { Page, Resource, Selection } from './replies.ts'
import { TYPES } from './schema.ts'
import { isKnown } from './tags.ts'
import { shownUser, type UserRow, userTag } from './user-rows.ts'
import { createUser, deleteUser, patchUser, readUser, replaceUser } from './users.ts'

const Ids = Type.Object({ connection_id: Uuid })
const UserIds = Type.Object({ ...Ids.properties, id: Uuid })
const type = TYPES.User

/** People of a directory (RFC 7644, section 3). */
export function scimUserRoutes(app: App, parts: SsoParts) {
  const addressOf = publicAddress(parts.config.SSO_URL)
  const all = `${BASE}/Users` as const
  const each = `${all}/:id` as const
  const show = (row: UserRow, request: Parameters<typeof baseOf>[1] & { query: Selection }) =>
    projected(type, request.query, shownUser(row, baseOf(addressOf, request)))
  const response = { 200: Resource, ...errors }
  const asked = (request: { params: { id: string }; headers: { 'if-match'?: string | undefined } }) => ({
    user_id: request.params.id,
    if_match: request.headers['if-match'],
  })

  app.get(
    all,
    { config, schema: { params: Ids, querystring: ListQuery, response: { 200: Page, ...errors } } },
    async (request, reply) => {
      const found = await listUsers(parts, byDirectory(request), request.query)
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
      const row = await createUser(parts, byDirectory(request), resourceOf(type, request.body))
      const location = `${baseOf(addressOf, request)}/Users/${row.user_id}`
      return reply
        .code(201)
        .type(SCIM_JSON)
        .headers({ location, etag: userTag(row) })
        .send(show(row, request))
    },
  )

  app.get(
    each,
    {
      config,
      schema: {
        params: UserIds,
        querystring: Selection,
        headers: Preconditions,
        response: { ...response, 304: NoContent },
      },
    },
    async (request, reply) => {
      const row = await readUser(parts, byDirectory(request), request.params.id)
      void reply.header('etag', userTag(row))
      if (isKnown(request.headers['if-none-match'], userTag(row))) return reply.code(304).send()
      return reply.type(SCIM_JSON).send(show(row, request))
    },
  )

  app.put(
    each,
    {
      config,
      schema: { params: UserIds, querystring: Selection, headers: Preconditions, body: Resource, response },
    },
    async (request, reply) => {
      const body = resourceOf(type, request.body)
      const row = await replaceUser(parts, byDirectory(request), asked(request), body)
      return reply.type(SCIM_JSON).header('etag', userTag(row)).send(show(row, request))
    },
  )

  app.patch(
    each,
    {
      config,
      schema: { params: UserIds, querystring: Selection, headers: Preconditions, body: PatchBody, response },
    },
    async (request, reply) => {
      const row = await patchUser(parts, byDirectory(request), asked(request), request.body)
      return reply.type(SCIM_JSON).header('etag', userTag(row)).send(show(row, request))
    },
  )

  app.delete(
    each,
    { config, schema: { params: UserIds, headers: Preconditions, response: { 204: NoContent, ...errors } } },
    async (request, reply) => {
      await deleteUser(parts, byDirectory(request), asked(request))
      return reply.code(204).send()
    },
  )
}
