import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { notFound } from '#foundation/errors.ts'
import { type App, callerOf, siteOf } from '#foundation/http/http.ts'
import { Uuid } from '#foundation/http/schemas.ts'
import { originOf } from '../../core/access/identify.ts'
import type { SsoParts } from '../../core/parts.ts'
import { actOnPeople, PeopleAct, PeopleResults } from './acts.ts'
import { createUser, NewUser } from './create.ts'
import { exportUser, UserExport } from './export.ts'
import { profileFaultsIn } from '../person/fields.ts'
import { listUsers, UserPage, UserQuery } from './list.ts'
import { passwordFaultsIn } from '../person/password-rules.ts'
import { ResolveBody, Profiles, resolveUsers } from '../person/resolve.ts'
import { UserPatch } from './patch.ts'
import { updateUser } from './update.ts'
import { findUser, User } from '../person/users.ts'

const Params = Type.Object({ user_id: Uuid })
const etagOf = ({ version }: User) => `"${version}"`

export function userRoutes(app: App, parts: SsoParts) {
  const faultsOf = async (body: unknown, { caller }: FastifyRequest) => [
    ...profileFaultsIn(body),
    ...(await passwordFaultsIn(parts.database, body, caller?.site_id ?? null)),
  ]
  app.get(
    '/api/v1/users',
    {
      config: { auth: 'user', permission: ['users:read', 'profile:read'] },
      schema: { querystring: UserQuery, response: { 200: UserPage } },
    },
    async (request) => listUsers(parts.database, callerOf(request), request.query),
  )

  app.post(
    '/api/v1/users',
    {
      config: { auth: 'user', permission: 'users:write', faultsOf },
      schema: { body: NewUser, response: { 201: User } },
    },
    async (request, reply) => {
      const user = await createUser(parts, callerOf(request), request.body, originOf(request))
      return reply.code(201).header('ETag', etagOf(user)).send(user)
    },
  )

  app.post(
    '/api/v1/users/acts',
    {
      config: { auth: 'user', permission: 'users:write', operational: true },
      schema: { body: PeopleAct, response: { 200: PeopleResults } },
    },
    async (request) => actOnPeople(parts, callerOf(request), request.body, originOf(request)),
  )

  app.get(
    '/api/v1/users/:user_id',
    {
      config: { auth: 'user', permission: ['users:read', 'profile:read'] },
      schema: { params: Params, response: { 200: User } },
    },
    async (request, reply) => {
      const user = await findUser(parts.database.fast, callerOf(request), request.params.user_id)
      if (!user) throw notFound()
      reply.header('ETag', etagOf(user))
      return user
    },
  )

  app.patch(
    '/api/v1/users/:user_id',
    {
      config: { auth: 'user', permission: ['users:write', 'profile:write'], faultsOf: profileFaultsIn },
      schema: {
        consumes: ['application/json', 'application/merge-patch+json'],
        params: Params,
        querystring: Type.Object({ site_code: Type.Optional(Type.String()) }),
        body: UserPatch,
        response: { 200: User },
      },
    },
    async (request, reply) => {
      const { params, query, body, headers } = request
      const asked = { patch: body, if_match: headers['if-match'], site_code: query.site_code }
      const user = await updateUser(parts, callerOf(request), params.user_id, asked, originOf(request))
      reply.header('ETag', etagOf(user))
      return user
    },
  )

  app.get(
    '/api/v1/users/:user_id/export',
    {
      config: { auth: 'user', permission: ['users:read', 'profile:read'], operational: true },
      schema: { params: Params, response: { 200: UserExport } },
    },
    async (request) => exportUser(parts, callerOf(request), request.params.user_id),
  )

  app.post(
    '/api/v1/users/resolve',
    {
      config: { auth: 'site', operational: true },
      schema: { body: ResolveBody, response: { 200: Profiles } },
    },
    async (request) => resolveUsers(parts.database.fast, siteOf(request), request.body),
  )
}
