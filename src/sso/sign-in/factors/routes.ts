import { Type } from 'typebox'
import { notFound } from '#foundation/errors.ts'
import { type App, callerOf, siteOf } from '#foundation/http/http.ts'
import { PageQuery } from '#foundation/http/paging.ts'
import { Uuid } from '#foundation/http/schemas.ts'
import { originOf } from '../../core/access/identify.ts'
import type { SsoParts } from '../../core/parts.ts'
import { requireFreshProof } from '../../people/sessions/fresh-proof.ts'
import { ActivateBody, activateFactor, EnrolBody, Enrolment, enrolFactor } from './enrolment.ts'
import { deleteFactor, Factor, Factors, listFactors } from './factors.ts'
import { Options, OptionsBody, prepareSecondFactor } from './options.ts'
import { renewRecoveryCodes } from './recovery-codes.ts'
import { resetFactors } from './reset.ts'

const plain = {
  auth: 'user',
  permission: 'profile:write',
  first_party: '/account',
  operational: true,
} as const
/** Responses that contain a secret are never compressed (BREACH). */
const secret = { ...plain, compress: false } as const
const FactorId = Type.Object({ factor_id: Uuid })
/** The password is needed if the caller did not sign in within the last 15 minutes. */
const WithPassword = Type.Object({ password: Type.Optional(Type.String()) })

export function mfaRoutes(app: App, parts: SsoParts) {
  app.post(
    '/api/v1/auth/mfa/options',
    {
      config: { auth: 'site', limit: 'auth', operational: true, compress: false },
      schema: { body: OptionsBody, response: { 200: Options } },
    },
    async (request) => prepareSecondFactor(parts, siteOf(request), request.body),
  )

  app.get(
    '/api/v1/mfa/factors',
    {
      config: { ...plain, permission: 'profile:read' },
      schema: { querystring: PageQuery, response: { 200: Factors } },
    },
    async (request) => listFactors(parts.database, callerOf(request), request.query),
  )

  app.post(
    '/api/v1/mfa/factors',
    { config: secret, schema: { body: EnrolBody, response: { 201: Enrolment } } },
    async (request, reply) => {
      const caller = callerOf(request)
      await requireFreshProof(parts, caller, request.body.password, originOf(request))
      return reply.code(201).send(await enrolFactor(parts, caller, request.body))
    },
  )

  app.post(
    '/api/v1/mfa/factors/:factor_id/activate',
    { config: plain, schema: { params: FactorId, body: ActivateBody, response: { 200: Factor } } },
    async (request) => {
      const activated = { ...request.params, ...request.body, from: originOf(request) }
      return activateFactor(parts, callerOf(request), activated)
    },
  )

  app.delete(
    '/api/v1/mfa/factors/:factor_id',
    { config: plain, schema: { params: FactorId, body: WithPassword, response: { 204: Type.Null() } } },
    async (request, reply) => {
      const [caller, from] = [callerOf(request), originOf(request)]
      await requireFreshProof(parts, caller, request.body.password, from)
      if (!(await deleteFactor(parts, caller, request.params.factor_id, from))) throw notFound()
      return reply.code(204).send(null)
    },
  )

  app.post(
    '/api/v1/mfa/recovery-codes',
    {
      config: secret,
      schema: { body: WithPassword, response: { 201: Type.Object({ codes: Type.Array(Type.String()) }) } },
    },
    async (request, reply) => {
      const [caller, from] = [callerOf(request), originOf(request)]
      await requireFreshProof(parts, caller, request.body.password, from)
      return reply.code(201).send({ codes: await renewRecoveryCodes(parts, caller, from) })
    },
  )

  app.delete(
    '/api/v1/users/:user_id/mfa',
    {
      config: { auth: 'user', permission: 'users:write', operational: true },
      schema: {
        params: Type.Object({ user_id: Uuid }),
        body: WithPassword,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      const [caller, from] = [callerOf(request), originOf(request)]
      await requireFreshProof(parts, caller, request.body.password, from)
      await resetFactors(parts, caller, request.params.user_id, from)
      return reply.code(204).send(null)
    },
  )
}
