import { Type } from 'typebox'
import type { Database } from '#foundation/database.ts'
import type { App } from '#foundation/http.ts'
import { NoContent } from '#foundation/schemas.ts'
import type { Identity } from '#foundation/session-gate.ts'
import { visitorOf } from '../identify.ts'
import { findProfile, login, logout, TOKEN_SECONDS, User } from './account.ts'

const Credentials = Type.Object(
  {
    email: Type.String({ minLength: 1, maxLength: 320 }),
    password: Type.String({ minLength: 1, maxLength: 1_024 }),
  },
  { additionalProperties: false },
)
const LoggedIn = Type.Object({
  access_token: Type.String(),
  token_type: Type.Literal('Bearer'),
  expires_in: Type.Integer(),
  user: User,
})
const SecondFactor = Type.Object({
  mfa_required: Type.Literal(true),
  mfa_token: Type.String(),
  mfa_methods: Type.Array(Type.String()),
})

export function accountRoutes(app: App, db: Database, identity: Identity) {
  app.post(
    '/api/auth/login',
    {
      config: { auth: 'public', limit: 'auth', compress: false },
      schema: { body: Credentials, response: { 200: Type.Union([LoggedIn, SecondFactor]) } },
    },
    async (request) => {
      const from = { client_ip: request.clientIp, user_agent: request.headers['user-agent'] ?? '' }
      const answer = await login(db, identity, request.body, from)
      if ('mfa_required' in answer) return answer
      return { ...answer, token_type: 'Bearer' as const, expires_in: TOKEN_SECONDS }
    },
  )
  app.post(
    '/api/auth/logout',
    { config: { auth: 'user' }, schema: { response: { 204: NoContent } } },
    async (request, reply) => {
      await logout(db, identity, visitorOf(request))
      return reply.code(204).send()
    },
  )
  app.get(
    '/api/auth/me',
    { config: { auth: 'user' }, schema: { response: { 200: User } } },
    async (request) => {
      const { tenant_id, user_id } = visitorOf(request)
      return findProfile(identity, tenant_id, user_id)
    },
  )
}
