import { Type } from 'typebox'
import { notFound } from '#foundation/errors.ts'
import { type App, callerOf } from '#foundation/http.ts'
import { Uuid } from '#foundation/schemas.ts'
import type { SsoParts } from '../parts.ts'
import { findUser, User } from './users.ts'

export function userRoutes(app: App, { database }: SsoParts) {
  app.get(
    '/api/v1/users/:user_id',
    { config: { auth: 'user' }, schema: { params: Type.Object({ user_id: Uuid }), response: { 200: User } } },
    async (request) => {
      const user = await findUser(database, callerOf(request), request.params.user_id)
      if (!user) throw notFound()
      return user
    },
  )
}
