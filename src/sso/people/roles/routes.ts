import { Type } from 'typebox'
import { type App, callerOf } from '#foundation/http/http.ts'
import { PageOf } from '#foundation/http/paging.ts'
import { NoContent, Uuid } from '#foundation/http/schemas.ts'
import { originOf } from '../../core/access/identify.ts'
import type { SsoParts } from '../../core/parts.ts'
import { Assignment, assignRole, removeRole, RoleBody } from './assign.ts'
import { listRoles, Role, RoleQuery } from './roles.ts'

const Params = Type.Object({ user_id: Uuid })

export function roleRoutes(app: App, parts: SsoParts) {
  app.get(
    '/api/v1/roles',
    {
      config: { auth: 'user', permission: ['roles:assign', 'users:read', 'profile:read'] },
      schema: { querystring: RoleQuery, response: { 200: PageOf(Role) } },
    },
    async (request) => listRoles(parts.database, callerOf(request), request.query),
  )

  // The call may concern another site than the token's, so assignRole checks the caller's role there.
  app.post(
    '/api/v1/users/:user_id/roles',
    {
      config: { auth: 'user', permission: 'roles:assign' },
      schema: { params: Params, body: RoleBody, response: { 201: Assignment } },
    },
    async (request, reply) => {
      const { params, body } = request
      const given = await assignRole(parts, callerOf(request), params.user_id, body, originOf(request))
      return reply.code(201).send(given)
    },
  )

  app.delete(
    '/api/v1/users/:user_id/roles/:role',
    {
      config: { auth: 'user', permission: 'roles:assign', operational: true },
      schema: {
        params: Type.Object({ ...Params.properties, role: Type.String() }),
        querystring: Type.Object({ site_code: Type.Optional(Type.String()) }),
        response: { 204: NoContent },
      },
    },
    async (request, reply) => {
      const { user_id, role } = request.params
      const { site_code } = request.query
      await removeRole(parts, callerOf(request), { user_id, role, site_code }, originOf(request))
      return reply.code(204).send()
    },
  )
}
