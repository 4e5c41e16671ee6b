import { Type } from 'typebox'
import { type App, callerOf } from '#foundation/http/http.ts'
import { counted, formOf, Line, NoQuery, pagesOf, sendAnswer, visitsOf } from '../../core/pages/requests.ts'
import { questionRoutes } from '../hosted/second-factor-question.ts'
import { linkRoutes } from '../hosted/visit-mail.ts'
import { originOf } from '../../core/access/identify.ts'
import { SecondFactorAsked } from '../factors/challenges.ts'
import { Options, OptionsBody, prepareSecondFactor } from '../factors/options.ts'
import type { SsoParts } from '../../core/parts.ts'
import { ProofBody, proveAgain, Proven } from './prove-again.ts'
import { exportVisitor, getAccount, getEmail, getPassword, postEmail, postPassword } from './visit-account.ts'
import { confirmQuestion, getConfirm, postConfirm } from './visit-confirm.ts'
import { LINK_PAGES } from './mail-pages.ts'
import { getProfile, postProfile, ProfileForm } from './visit-profile.ts'

const To = Type.Object({ to: Type.Optional(Type.String({ maxLength: 4_096 })) })

/** The account pages, and the API with which first-party programs do the same. */
export function accountRoutes(app: App, parts: SsoParts) {
  const pages = pagesOf(app, parts)
  proofRoutes(app, parts)
  confirmRoutes(pages, parts)
  linkRoutes(pages, parts, LINK_PAGES)
  const { get, post } = pages

  // The start page is the visitor's own account, which leads to sign-in first.
  get('/', Type.Object({}), () => ({ location: '/account' }))
  get('/account', NoQuery, (visit) => getAccount(parts, visit))
  const visitOf = visitsOf(parts)
  app.post(
    '/account/export',
    { config: counted, schema: { hide: true, body: formOf({}) } },
    async (request, reply) => {
      const visit = visitOf(request)
      visit.requireOwnForm(request.body.form_token)
      const found = await exportVisitor(parts, visit)
      if ('answer' in found) return sendAnswer(reply, found.answer, visit)
      reply.header('Content-Disposition', 'attachment; filename="account.json"')
      return reply.type('application/json; charset=utf-8').send(JSON.stringify(found.data, null, 2))
    },
  )

  get('/account/email', NoQuery, (visit) => getEmail(parts, visit))
  post('/account/email', { querystring: NoQuery, fields: { email: Line } }, (visit, _, { email }) =>
    postEmail(parts, visit, email),
  )
  get('/account/profile', NoQuery, (visit) => getProfile(parts, visit))
  post('/account/profile', { querystring: NoQuery, fields: ProfileForm }, (visit, _, typed) =>
    postProfile(parts, visit, typed),
  )
  get('/account/password', NoQuery, (visit) => getPassword(parts, visit))
  const fields = { current_password: Line, password: Line, username: Type.Optional(Line) }
  post('/account/password', { querystring: NoQuery, fields }, (visit, _, typed) =>
    postPassword(parts, visit, typed),
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

function confirmRoutes(pages: ReturnType<typeof pagesOf>, parts: SsoParts) {
  const { get, post } = pages
  get('/account/confirm', To, (visit, query) => getConfirm(parts, visit, query))
  const password = { querystring: To, fields: { password: Type.Optional(Line) } }
  post('/account/confirm', password, (visit, query, typed) =>
    postConfirm(parts, visit, query, typed.password),
  )
  questionRoutes(pages, '/account/confirm/factor', To, (visit, query) => confirmQuestion(parts, visit, query))
}
