import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { type App, callerOf } from '#foundation/http.ts'
import type { Limiter } from '#foundation/rate-limit/limiter.ts'
import { counted, formOf, Line, pageConfig, sendAnswer, visitsOf } from '../../core/pages/requests.ts'
import { ProofFields, SendFields } from '../hosted/proof-fields.ts'
import type { Visit } from '../../core/pages/visit.ts'
import { originOf } from '../../core/access/identify.ts'
import { SecondFactorAsked } from '../factors/challenges.ts'
import { Options, OptionsBody, prepareSecondFactor } from '../factors/options.ts'
import { SENT_METHODS } from '../factors/sent-codes.ts'
import type { SsoParts } from '../../core/parts.ts'
import { type CountTaken, createTakenByCount } from '../../core/limits/taken.ts'
import { ProofBody, proveAgain, Proven } from './prove-again.ts'
import { exportVisitor, getAccount, getEmail, getPassword, postEmail, postPassword } from './visit-account.ts'
import {
  getConfirm,
  getConfirmFactor,
  postConfirm,
  postConfirmCode,
  postConfirmFactor,
} from './visit-confirm.ts'
import { getMailPage, MAIL_PAGES, postMailPage } from './visit-mail.ts'

const hide = true
const Address = Type.Optional(Type.String({ maxLength: 4_096 }))
const To = Type.Object({ to: Address })

/** What a person does with their own account: the pages, and what first-party programs do it with. */
export function accountRoutes(app: App, parts: SsoParts, limiter: Limiter) {
  const visitOf = visitsOf(parts)
  /** The visit of a form that was posted, once it is known to be one of ours. */
  const postedVisit = (request: FastifyRequest, { form_token }: { form_token: string }): Visit => {
    const visit = visitOf(request)
    visit.requireOwnForm(form_token)
    return visit
  }
  proofRoutes(app, parts)
  confirmRoutes(app, parts, { visitOf, postedVisit })
  changeRoutes(app, parts, { visitOf, postedVisit }, createTakenByCount(parts, limiter))

  app.get('/account', { config: pageConfig, schema: { hide } }, async (request, reply) =>
    sendAnswer(reply, await getAccount(parts, visitOf(request))),
  )
  app.post(
    '/account/export',
    { config: counted, schema: { hide, body: formOf({}) } },
    async (request, reply) => {
      const found = await exportVisitor(parts, postedVisit(request, request.body))
      if ('answer' in found) return sendAnswer(reply, found.answer)
      reply.header('Content-Disposition', 'attachment; filename="account.json"')
      return reply.type('application/json; charset=utf-8').send(JSON.stringify(found.data, null, 2))
    },
  )
}

function proofRoutes(app: App, parts: SsoParts) {
  const config = {
    auth: 'user',
    permission: 'profile:write',
    first_party: '/account/confirm',
    limit: 'auth',
    operational: true,
    compress: false,
  } as const
  app.post(
    '/api/v1/auth/reauthenticate',
    { config, schema: { body: ProofBody, response: { 200: Type.Union([Proven, SecondFactorAsked]) } } },
    async (request) => proveAgain(parts, callerOf(request), request.body, originOf(request)),
  )
  app.post(
    '/api/v1/auth/reauthenticate/options',
    { config, schema: { body: OptionsBody, response: { 200: Options } } },
    async (request) => prepareSecondFactor(parts, callerOf(request), request.body),
  )
}

type Visits = {
  visitOf: (request: FastifyRequest) => Visit
  postedVisit: (request: FastifyRequest, body: { form_token: string }) => Visit
}

function confirmRoutes(app: App, parts: SsoParts, { visitOf, postedVisit }: Visits) {
  const page = { config: pageConfig, schema: { hide, querystring: To } }
  app.get('/account/confirm', page, async (request, reply) =>
    sendAnswer(reply, await getConfirm(parts, visitOf(request), request.query)),
  )
  app.post(
    '/account/confirm',
    {
      config: counted,
      schema: { hide, querystring: To, body: formOf({ password: Type.Optional(Line) }) },
    },
    async (request, reply) => {
      const visit = postedVisit(request, request.body)
      return sendAnswer(reply, await postConfirm(parts, visit, request.query, request.body.password))
    },
  )
  app.get('/account/confirm/factor', page, async (request, reply) =>
    sendAnswer(reply, await getConfirmFactor(parts, visitOf(request), request.query)),
  )
  app.post(
    '/account/confirm/factor',
    { config: counted, schema: { hide, querystring: To, body: formOf(ProofFields) } },
    async (request, reply) => {
      const visit = postedVisit(request, request.body)
      return sendAnswer(reply, await postConfirmFactor(parts, visit, request.query, request.body))
    },
  )
  for (const method of SENT_METHODS)
    app.post(
      `/account/confirm/factor/${method}`,
      { config: counted, schema: { hide, querystring: To, body: formOf(SendFields) } },
      async (request, reply) => {
        const [visit, sent_by] = [postedVisit(request, request.body), request.body.method]
        return sendAnswer(reply, await postConfirmCode(parts, visit, request.query, { method, sent_by }))
      },
    )
}

function changeRoutes(app: App, parts: SsoParts, { visitOf, postedVisit }: Visits, countTaken: CountTaken) {
  app.get('/account/email', { config: pageConfig, schema: { hide } }, async (request, reply) =>
    sendAnswer(reply, await getEmail(parts, visitOf(request))),
  )
  app.post(
    '/account/email',
    { config: counted, schema: { hide, body: formOf({ email: Line }) } },
    async (request, reply) => {
      const visit = postedVisit(request, request.body)
      return sendAnswer(reply, await postEmail(parts, visit, request.body.email, countTaken))
    },
  )
  app.get('/account/password', { config: pageConfig, schema: { hide } }, async (request, reply) =>
    sendAnswer(reply, await getPassword(parts, visitOf(request))),
  )
  app.post(
    '/account/password',
    {
      config: counted,
      schema: {
        hide,
        body: formOf({ current_password: Line, password: Line, username: Type.Optional(Line) }),
      },
    },
    async (request, reply) => {
      const visit = postedVisit(request, request.body)
      return sendAnswer(reply, await postPassword(parts, visit, request.body))
    },
  )
  for (const [name, kind] of Object.entries(MAIL_PAGES)) {
    app.get(`/account/${name}`, { config: pageConfig, schema: { hide } }, async (request, reply) =>
      sendAnswer(reply, getMailPage(visitOf(request), kind)),
    )
    app.post(
      `/account/${name}`,
      { config: counted, schema: { hide, body: formOf({ token: Line }) } },
      async (request, reply) => {
        const visit = postedVisit(request, request.body)
        return sendAnswer(reply, await postMailPage(parts, visit, kind, request.body.token))
      },
    )
  }
}
