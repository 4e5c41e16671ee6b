import { Type } from 'typebox'
import type { Database } from '#foundation/database/database.ts'
import type { App } from '#foundation/http/http.ts'
import { NoContent, Typed } from '#foundation/http/schemas.ts'
import type { Identity } from '#foundation/security/session-gate.ts'
import { visitorOf } from '../identify.ts'
import { findProfile, login, logout, TOKEN_SECONDS, User, verifyMfa } from './account.ts'

const Credentials = Type.Object(
  {
    email: Typed({ minLength: 1, maxLength: 320 }),
    // An empty password is accepted here so that it costs one hash, like every wrong password.
    password: Type.String({ maxLength: 1_024 }),
  },
  { additionalProperties: false },
)
const Token = Type.String({ minLength: 1, maxLength: 200 })
const SecondFactorCode = Type.Object(
  { mfa_token: Token, code: Type.String({ minLength: 1, maxLength: 100 }) },
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
    '/api/auth/mfa/verify',
    {
      config: { auth: 'public', limit: 'auth', compress: false, operational: true },
      schema: { body: SecondFactorCode, response: { 200: LoggedIn } },
    },
    async (request) => {
      const from = { client_ip: request.clientIp, user_agent: request.headers['user-agent'] ?? '' }
      const answer = await verifyMfa(db, identity, request.body, from)
      return { ...answer, token_type: 'Bearer' as const, expires_in: TOKEN_SECONDS }
    },
  )
  for (const method of ['email', 'sms'] as const)
    app.post(
      `/api/auth/mfa/${method}`,
      {
        config: { auth: 'public', limit: 'auth', compress: false, operational: true },
        schema: {
          body: Type.Object({ mfa_token: Token }, { additionalProperties: false }),
          response: { 200: Type.Object({ sent_to: Type.String(), resend_after: Type.Integer() }) },
        },
      },
      async (request) => {
        const from = { client_ip: request.clientIp, user_agent: request.headers['user-agent'] ?? '' }
        const { mfa_token } = request.body
        return identity.sendMfaCode('collections', { mfa_token, method }, from)
      },
    )
  app.post(
    '/api/auth/logout',
    { config: { auth: 'user', permission: 'collections:use' }, schema: { response: { 204: NoContent } } },
    async (request, reply) => {
      await logout(db, identity, visitorOf(request))
      return reply.code(204).send()
    },
  )
  app.get(
    '/api/auth/me',
    { config: { auth: 'user', permission: 'collections:use' }, schema: { response: { 200: User } } },
    async (request) => {
      return findProfile(identity, visitorOf(request))
    },
  )
}
