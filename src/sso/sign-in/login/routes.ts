import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { bearerToken } from '#foundation/security/identity.ts'
import { type App, siteOf } from '#foundation/http/http.ts'
import { Uuid } from '#foundation/http/schemas.ts'
import type { Site } from '#foundation/security/session-gate.ts'
import { originOf } from '../../core/access/identify.ts'
import type { SsoParts } from '../../core/parts.ts'
import { profileFaultsIn } from '../../people/person/fields.ts'
import { passwordFaultsIn } from '../../people/person/password-rules.ts'
import { User } from '../../people/person/users.ts'
import { answerWith, TokensAnswer } from '../../people/sessions/answer.ts'
import type { SignIn } from '../completing/complete.ts'
import { SecondFactorAsked } from '../factors/challenges.ts'
import { enrolmentRequired } from '../../people/sessions/required.ts'
import { login, LoginBody } from './login.ts'
import { logout, LogoutAnswer, LogoutBody } from './logout.ts'
import { SecondFactorBody, verifySecondFactor } from './mfa.ts'
import { refresh, RefreshBody, RefreshHeaders } from './refresh.ts'
import { isKnownAt, register, RegisterBody } from './register.ts'
import { toldTo } from '../../core/told/told.ts'

/** Responses with tokens are never compressed (BREACH). */
const config = { auth: 'site', limit: 'auth', compress: false } as const

export function signInRoutes(app: App, parts: SsoParts) {
  const answerTo = (site: Site, { user, member, session, refresh_token }: SignIn) =>
    answerWith(parts, site, user, member, session, refresh_token)
  const faultsOf = async (body: unknown, { site }: FastifyRequest) => [
    ...profileFaultsIn(body),
    ...(await passwordFaultsIn(parts.database, body, site?.site_id ?? null)),
  ]
  const doubleSubmits = parts.metrics.counter(
    'lyceum_refresh_double_submits_total',
    'Refresh tokens presented twice within ten seconds from one place: refused, nothing revoked',
  )

  app.post(
    '/api/v1/auth/register',
    {
      config: { ...config, faultsOf },
      schema: { body: RegisterBody, response: { 201: Type.Object({ user_id: Uuid, user: User }) } },
    },
    async (request, reply) => {
      const { body, clientIp } = request
      const site = siteOf(request)
      const user = await parts.told.counted(
        toldTo.visitor(clientIp, site),
        () => register(parts, site, body, originOf(request)),
        () => isKnownAt(parts, site, body.email),
      )
      return reply.code(201).send({ user_id: user.user_id, user })
    },
  )

  app.post(
    '/api/v1/auth/login',
    { config, schema: { body: LoginBody, response: { 200: Type.Union([TokensAnswer, SecondFactorAsked]) } } },
    async (request) => {
      const site = siteOf(request)
      const result = await login(parts, site, request.body, originOf(request))
      if (!('mfa_token' in result)) return answerTo(site, result)
      if (result.mfa_methods.length === 0) throw enrolmentRequired(parts, site)
      return result
    },
  )

  app.post(
    '/api/v1/auth/mfa/verify',
    { config, schema: { body: SecondFactorBody, response: { 200: TokensAnswer } } },
    async (request) => {
      const site = siteOf(request)
      return answerTo(site, await verifySecondFactor(parts, site, request.body, originOf(request)))
    },
  )

  app.post(
    '/api/v1/auth/refresh',
    { config, schema: { body: RefreshBody, headers: RefreshHeaders, response: { 200: TokensAnswer } } },
    async (request, reply) => {
      const { refresh_token } = request.body
      const { answer, is_replay } = await refresh(parts, siteOf(request), {
        refresh_token,
        idempotency_key: request.headers['idempotency-key'],
        from: originOf(request),
        onDoubleSubmit: () => doubleSubmits.inc(),
      })
      if (is_replay) reply.header('Idempotent-Replayed', 'true')
      return answer
    },
  )

  app.post(
    '/api/v1/auth/logout',
    { config, schema: { body: LogoutBody, response: { 200: LogoutAnswer } } },
    async (request) => {
      const presented = { ...request.body, access_token: bearerToken(request) }
      return logout(parts, siteOf(request), presented, originOf(request))
    },
  )
}
