import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { type App, siteOf } from '#foundation/http/http.ts'
import type { Limiter } from '#foundation/rate-limit/limiter.ts'
import { OneOf, Uuid } from '#foundation/http/schemas.ts'
import { ASSETS_ROUTE, ASSETS_URL } from '#foundation/web/assets.ts'
import { originOf } from '../../core/access/identify.ts'
import { assets } from '../../core/pages/assets.ts'
import {
  counted,
  formOf,
  Line,
  NoQuery,
  pageConfig,
  pagesOf,
  sendAnswer,
  visitsOf,
} from '../../core/pages/requests.ts'
import type { Visit } from '../../core/pages/visit.ts'
import type { SsoParts } from '../../core/parts.ts'
import { TokensAnswer } from '../../people/sessions/answer.ts'
import { FACTOR_TYPES } from '../factors/factors.ts'
import { visitorOf } from '../../core/pages/visitor.ts'
import { exchangeCode } from './codes.ts'
import { Asked } from './asked.ts'
import { type Asked as Query, contextOf } from './destination.ts'
import { passkeyRoutes } from './passkey-routes.ts'
import { signedInPage } from './sign-in-pages.ts'
import { renewRoutes } from './renew-routes.ts'
import { FirstProofFields, questionRoutes } from './second-factor-question.ts'
import { silentWatch } from './silent.ts'
import { getConsent, postConsent } from './visit-consent.ts'
import { getEnrol, postActivate, postEnrol } from './visit-enrol.ts'
import { getForgot, LINK_PAGES, linkRoutes, postForgot } from './visit-mail.ts'
import { signInQuestion } from './visit-second-factor.ts'
import { getSignIn, postSignIn } from './visit-sign-in.ts'
import { getSignOut, postSignOut } from './visit-sign-out.ts'
import { contextOfLink, getFirstPassword, getSignUp, postFirstPassword, postSignUp } from './visit-sign-up.ts'

/** Signing out has no rate limit: it must never have to wait. */
const unlimited = { ...pageConfig, limit: 'none' } as const
const uncounted = { ...unlimited, form: true } as const

const querystring = Type.Object(Asked)
const hide = true

/** `code_verifier` as in RFC 7636, 4.1. */
const CodeBody = Type.Object({
  code: Type.String(),
  code_verifier: Type.Optional(Type.String({ pattern: '^[A-Za-z0-9._~-]{43,128}$' })),
})

/** The hosted sign-in pages and the endpoints they need. They work without script. */
export function hostedRoutes(app: App, parts: SsoParts, limiter: Limiter) {
  const visitOf = visitsOf(parts)
  const pages = pagesOf(app, parts)
  const { get, post } = pages
  const watch = silentWatch(parts, limiter)
  const at = (visit: Visit, query: Query) => contextOf(parts, visit, query)

  const Again = {
    again: Type.Optional(Type.Literal('1')),
    other: Type.Optional(Type.Literal('1')),
  }
  get('/sign-in', Type.Object({ ...Asked, ...Again }), (visit, query) =>
    getSignIn(parts, visit, query, watch),
  )
  post('/sign-in', { querystring, fields: { name: Line, password: Line } }, async (visit, query, typed) =>
    postSignIn(await at(visit, query), typed),
  )

  passkeyRoutes(app, parts)

  questionRoutes(pages, '/sign-in/mfa', querystring, async (visit, query, isPost) =>
    signInQuestion(await at(visit, query), isPost),
  )

  const type = OneOf([...FACTOR_TYPES])
  get('/sign-in/mfa/enrol', querystring, async (visit, query) => getEnrol(await at(visit, query)))
  const enrol = { querystring, fields: { type, phone: Type.Optional(Line) } }
  post('/sign-in/mfa/enrol', enrol, async (visit, query, chosen) => postEnrol(await at(visit, query), chosen))
  const activate = { querystring, fields: { ...FirstProofFields, factor_id: Uuid, type } }
  post('/sign-in/mfa/enrol/activate', activate, async (visit, query, given) =>
    postActivate(await at(visit, query), given),
  )

  // The consent form is signed for a person, who is known only after the request is read.
  get('/sign-in/consent', querystring, async (visit, query) => getConsent(await at(visit, query)))
  const body = formOf({ decision: Type.Union([Type.Literal('allow'), Type.Literal('cancel')]) })
  app.post(
    '/sign-in/consent',
    { config: counted, schema: { hide, querystring, body } },
    async (request, reply) => {
      const context = await at(visitOf(request), request.query)
      return sendAnswer(reply, await postConsent(context, request.body, watch), context.visit)
    },
  )
  get('/sign-in/done', NoQuery, async (visit) => {
    await visitorOf(parts, visit)
    return { page: signedInPage() }
  })

  get('/sign-up', querystring, async (visit, query) => getSignUp(await at(visit, query)))
  const signUp = { querystring, fields: { email: Line, display_name: Line } }
  post('/sign-up', signUp, async (visit, query, typed) => postSignUp(await at(visit, query), typed))
  get('/sign-up/password', querystring, async (visit, query) =>
    getFirstPassword(await contextOfLink(parts, visit, query)),
  )
  const first = { querystring, fields: { token: Line, password: Line } }
  post('/sign-up/password', first, async (visit, query, given) =>
    postFirstPassword(await contextOfLink(parts, visit, query), given),
  )

  renewRoutes(app, parts, watch)
  signOutRoutes(app, parts, visitOf)

  get('/forgot-password', querystring, async (visit, query) => getForgot(await at(visit, query)))
  post('/forgot-password', { querystring, fields: { email: Line } }, async (visit, query, typed) =>
    postForgot(await at(visit, query), typed),
  )
  linkRoutes(pages, parts, LINK_PAGES)

  app.get(ASSETS_URL, ASSETS_ROUTE, assets.answer)

  app.post(
    '/api/v1/auth/exchange',
    {
      config: { auth: 'site', limit: 'auth', compress: false, operational: true },
      schema: { body: CodeBody, response: { 200: TokensAnswer } },
    },
    async (request) => exchangeCode(parts, siteOf(request), request.body, originOf(request)),
  )
}

/**
 * The refresh cookie is sent only to /sign-in and below, so signing out happens there. /sign-out, which the pages of
 * the sibling services post to, redirects there and keeps method and body.
 */
function signOutRoutes(app: App, parts: SsoParts, visitOf: (request: FastifyRequest) => Visit) {
  const Query = Type.Object({
    return_to: Asked.return_to,
    client_id: Type.Optional(Type.String({ maxLength: 8_192 })),
    post_logout_redirect_uri: Type.Optional(Type.String({ maxLength: 8_192 })),
    state: Type.Optional(Type.String({ maxLength: 8_192 })),
  })
  const searchOf = ({ url }: FastifyRequest) => (url.includes('?') ? url.slice(url.indexOf('?')) : '')

  app.get('/sign-out', { config: unlimited, schema: { hide } }, async (request, reply) =>
    sendAnswer(reply, { location: `/sign-in/out${searchOf(request)}` }),
  )
  app.post('/sign-out', { config: uncounted, schema: { hide } }, async (request, reply) =>
    sendAnswer(reply, { location: `/sign-in/out${searchOf(request)}`, status: 307 }),
  )
  app.get(
    '/sign-in/out',
    { config: unlimited, schema: { hide, querystring: Query } },
    async (request, reply) => {
      const visit = visitOf(request)
      return sendAnswer(reply, await getSignOut(parts, visit, request.query), visit)
    },
  )
  app.post(
    '/sign-in/out',
    { config: uncounted, schema: { hide, querystring: Query, body: Query } },
    async (request, reply) => {
      const asked = { ...request.query, ...request.body }
      return sendAnswer(reply, await postSignOut(parts, visitOf(request), asked))
    },
  )
}
