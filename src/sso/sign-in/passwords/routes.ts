import { Type } from 'typebox'
import { Typed } from '#foundation/http/schemas.ts'
import { type App, callerOf, siteOf } from '#foundation/http/http.ts'
import { originOf } from '../../core/access/identify.ts'
import type { SsoParts } from '../../core/parts.ts'
import { PasswordBody } from '../../people/person/password-rules.ts'
import { User } from '../../people/person/users.ts'
import { changePassword } from './change.ts'
import { forgotPassword, resendVerification } from './forgot.ts'
import { resetPassword } from './reset.ts'
import { verifyEmail } from './verify-email.ts'

const config = { auth: 'site', limit: 'auth', compress: false, operational: true } as const

const EmailBody = Type.Object({ email: Typed({ maxLength: 320 }) })
/** Identical for known and unknown addresses. */
const Accepted = Type.Object({ accepted: Type.Literal(true) })

export function passwordRoutes(app: App, parts: SsoParts) {
  app.post(
    '/api/v1/auth/password/forgot',
    { config, schema: { body: EmailBody, response: { 202: Accepted } } },
    async (request, reply) => {
      await forgotPassword(parts, siteOf(request), request.body.email, originOf(request))
      return reply.code(202).send({ accepted: true })
    },
  )

  app.post(
    '/api/v1/auth/password/reset',
    {
      config,
      schema: {
        body: Type.Object({ token: Type.String(), password: PasswordBody }),
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      await resetPassword(parts, { ...request.body, site: siteOf(request) }, originOf(request))
      return reply.code(204).send(null)
    },
  )

  app.post(
    '/api/v1/auth/password/change',
    {
      config: {
        auth: 'user',
        permission: 'profile:write',
        first_party: '/account/password',
        compress: false,
        operational: true,
      },
      schema: {
        body: Type.Object({ current_password: Type.String(), new_password: PasswordBody }),
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      await changePassword(parts, callerOf(request), request.body, originOf(request))
      return reply.code(204).send(null)
    },
  )

  app.post(
    '/api/v1/auth/email/verify',
    {
      config,
      schema: {
        body: Type.Object({
          token: Type.String(),
          /** Whoever registered gives it, to keep the ways in that they set up. */
          password: Type.Optional(Type.String()),
        }),
        response: { 200: User },
      },
    },
    async (request) => verifyEmail(parts, { ...request.body, site: siteOf(request) }, originOf(request)),
  )

  app.post(
    '/api/v1/auth/email/resend',
    { config, schema: { body: EmailBody, response: { 202: Accepted } } },
    async (request, reply) => {
      await resendVerification(parts, siteOf(request), request.body.email, originOf(request))
      return reply.code(202).send({ accepted: true })
    },
  )
}
