import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { notFound } from '#foundation/errors.ts'
import { type App, siteOf } from '#foundation/http.ts'
import { OneOf, Uuid } from '#foundation/schemas.ts'
import { originOf } from '../../core/access/identify.ts'
import { FACTOR_TYPES } from '../factors/factors.ts'
import { SENT_METHODS } from '../factors/sent-codes.ts'
import type { Limiter } from '#foundation/rate-limit/limiter.ts'
import type { SsoParts } from '../../core/parts.ts'
import { TokensAnswer } from '../../people/sessions/answer.ts'
import { findAsset } from '../../core/pages/assets.ts'
import { exchangeCode } from './codes.ts'
import { counted, formOf, Line, pageConfig, sendAnswer, visitsOf } from '../../core/pages/requests.ts'
import { FirstProofFields, ProofFields, SendFields } from './proof-fields.ts'
import { signedInPage } from './sign-in-pages.ts'
import { getForgot, getReset, getVerify, postForgot, postReset, postVerify } from './visit-mail.ts'
import { getEnrol, postActivate, postEnrol } from './visit-enrol.ts'
import { silentWatch } from './silent-watch.ts'
import { getConsent, postConsent } from './visit-consent.ts'
import { getSecondFactor, postSecondFactor, postSentCode } from './visit-second-factor.ts'
import { getSignIn, postSignIn } from './visit-sign-in.ts'
import { getSignOut, postSignOut } from './visit-sign-out.ts'
import { getFirstPassword, getSignUp, postFirstPassword, postSignUp } from './visit-sign-up.ts'
import type { SilentWatch } from './silent.ts'
import type { Visit } from '../../core/pages/visit.ts'

/** Signing out is not counted: it must never have to wait. */
const unlimited = { ...pageConfig, limit: 'none' } as const
const uncounted = { ...unlimited, form: true } as const

const Asked = {
  site_code: Type.Optional(Type.String({ maxLength: 40 })),
  return_to: Type.Optional(Type.String({ maxLength: 2_048 })),
  openid: Type.Optional(Type.String({ maxLength: 12_000 })),
  code_challenge: Type.Optional(Type.String({ maxLength: 100 })),
  code_challenge_method: Type.Optional(Type.String({ maxLength: 10 })),
}
const querystring = Type.Object(Asked)
const hide = true

/** RFC 7636, 4.1. */
const CodeBody = Type.Object({
  code: Type.String(),
  code_verifier: Type.Optional(Type.String({ pattern: '^[A-Za-z0-9._~-]{43,128}$' })),
})

/** The pages on which people sign in, and what belongs to them. They work without script. */
export function hostedRoutes(app: App, parts: SsoParts, limiter: Limiter) {
  const visitOf = visitsOf(parts)
  const watch = silentWatch(parts, limiter)
  /** The visit of a form that was posted, once it is known to be one of ours. */
  const postedVisit = (request: FastifyRequest, { form_token }: { form_token: string }): Visit => {
    const visit = visitOf(request)
    visit.requireOwnForm(form_token)
    return visit
  }

  app.get(
    '/sign-in',
    {
      config: pageConfig,
      schema: {
        hide,
        querystring: Type.Object({
          ...Asked,
          again: Type.Optional(Type.Literal('1')),
          other: Type.Optional(Type.Literal('1')),
        }),
      },
    },
    async (request, reply) =>
      sendAnswer(reply, await getSignIn(parts, visitOf(request), request.query, watch)),
  )
  app.post(
    '/sign-in',
    { config: counted, schema: { hide, querystring, body: formOf({ name: Line, password: Line }) } },
    async (request, reply) => {
      const visit = postedVisit(request, request.body)
      return sendAnswer(reply, await postSignIn(parts, visit, request.query, request.body))
    },
  )

  app.get('/sign-in/mfa', { config: pageConfig, schema: { hide, querystring } }, async (request, reply) =>
    sendAnswer(reply, await getSecondFactor(parts, visitOf(request), request.query)),
  )
  const Proof = formOf(ProofFields)
  app.post(
    '/sign-in/mfa',
    { config: counted, schema: { hide, querystring, body: Proof } },
    async (request, reply) => {
      const visit = postedVisit(request, request.body)
      return sendAnswer(reply, await postSecondFactor(parts, visit, request.query, request.body))
    },
  )
  for (const method of SENT_METHODS)
    app.post(
      `/sign-in/mfa/${method}`,
      { config: counted, schema: { hide, querystring, body: formOf(SendFields) } },
      async (request, reply) => {
        const [visit, sent_by] = [postedVisit(request, request.body), request.body.method]
        return sendAnswer(reply, await postSentCode(parts, visit, request.query, { method, sent_by }))
      },
    )

  const FirstFactor = OneOf([...FACTOR_TYPES])
  app.get(
    '/sign-in/mfa/enrol',
    { config: pageConfig, schema: { hide, querystring } },
    async (request, reply) => sendAnswer(reply, await getEnrol(parts, visitOf(request), request.query)),
  )
  app.post(
    '/sign-in/mfa/enrol',
    {
      config: counted,
      schema: { hide, querystring, body: formOf({ type: FirstFactor, phone: Type.Optional(Line) }) },
    },
    async (request, reply) => {
      const visit = postedVisit(request, request.body)
      return sendAnswer(reply, await postEnrol(parts, visit, request.query, request.body))
    },
  )
  const FirstProof = formOf({ ...FirstProofFields, factor_id: Uuid, type: FirstFactor })
  app.post(
    '/sign-in/mfa/enrol/activate',
    { config: counted, schema: { hide, querystring, body: FirstProof } },
    async (request, reply) => {
      const visit = postedVisit(request, request.body)
      return sendAnswer(reply, await postActivate(parts, visit, request.query, request.body))
    },
  )
  consentRoutes(app, parts, visitOf, watch)

  app.get('/sign-in/done', { config: pageConfig, schema: { hide } }, async (_, reply) =>
    sendAnswer(reply, { page: signedInPage() }),
  )

  app.get('/sign-up', { config: pageConfig, schema: { hide, querystring } }, async (request, reply) =>
    sendAnswer(reply, await getSignUp(parts, visitOf(request), request.query)),
  )
  app.post(
    '/sign-up',
    {
      config: counted,
      schema: { hide, querystring, body: formOf({ email: Line, display_name: Line }) },
    },
    async (request, reply) => {
      const visit = postedVisit(request, request.body)
      return sendAnswer(reply, await postSignUp(parts, visit, request.query, request.body))
    },
  )

  app.get(
    '/sign-up/password',
    { config: pageConfig, schema: { hide, querystring } },
    async (request, reply) =>
      sendAnswer(reply, await getFirstPassword(parts, visitOf(request), request.query)),
  )
  app.post(
    '/sign-up/password',
    { config: counted, schema: { hide, querystring, body: formOf({ token: Line, password: Line }) } },
    async (request, reply) => {
      const visit = postedVisit(request, request.body)
      return sendAnswer(reply, await postFirstPassword(parts, visit, request.query, request.body))
    },
  )

  signOutRoutes(app, parts, visitOf)

  app.get('/forgot-password', { config: pageConfig, schema: { hide, querystring } }, async (request, reply) =>
    sendAnswer(reply, await getForgot(parts, visitOf(request), request.query)),
  )
  app.post(
    '/forgot-password',
    { config: counted, schema: { hide, querystring, body: formOf({ email: Line }) } },
    async (request, reply) => {
      const visit = postedVisit(request, request.body)
      return sendAnswer(reply, await postForgot(parts, visit, request.query, request.body))
    },
  )
  app.get('/reset-password', { config: pageConfig, schema: { hide } }, async (request, reply) =>
    sendAnswer(reply, getReset(visitOf(request))),
  )
  app.post(
    '/reset-password',
    { config: counted, schema: { hide, body: formOf({ token: Line, password: Line }) } },
    async (request, reply) =>
      sendAnswer(reply, await postReset(parts, postedVisit(request, request.body), request.body)),
  )
  app.get('/verify-email', { config: pageConfig, schema: { hide } }, async (request, reply) =>
    sendAnswer(reply, getVerify(visitOf(request))),
  )
  app.post(
    '/verify-email',
    { config: counted, schema: { hide, body: formOf({ token: Line }) } },
    async (request, reply) =>
      sendAnswer(reply, await postVerify(parts, postedVisit(request, request.body), request.body)),
  )

  app.get(
    '/assets/:name',
    { config: { auth: 'public', limit: 'none', operational: true }, schema: { hide } },
    async (request, reply) => {
      const asset = findAsset((request.params as { name: string }).name)
      if (!asset) throw notFound()
      reply.header('Cache-Control', 'public, max-age=31536000, immutable')
      return reply.type(asset.type).send(asset.text)
    },
  )

  app.post(
    '/api/v1/auth/exchange',
    {
      config: { auth: 'site', limit: 'auth', compress: false, operational: true },
      schema: { body: CodeBody, response: { 200: TokensAnswer } },
    },
    async (request) => exchangeCode(parts, siteOf(request), request.body, originOf(request)),
  )
}

/** Whether a partner's site may know the person. Not counted with the forms that take passwords. */
function consentRoutes(
  app: App,
  parts: SsoParts,
  visitOf: (request: FastifyRequest) => Visit,
  watch: SilentWatch,
) {
  app.get('/sign-in/consent', { config: pageConfig, schema: { hide, querystring } }, async (request, reply) =>
    sendAnswer(reply, await getConsent(parts, visitOf(request), request.query)),
  )
  const body = formOf({ decision: Type.Union([Type.Literal('allow'), Type.Literal('cancel')]) })
  app.post(
    '/sign-in/consent',
    { config: counted, schema: { hide, querystring, body } },
    async (request, reply) =>
      sendAnswer(reply, await postConsent(parts, visitOf(request), request.query, request.body, watch)),
  )
}

/**
 * The refresh cookie goes to /sign-in and below only, so signing out happens there; /sign-out, which the pages of the
 * sibling services post to, leads there with method and body as they are.
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
    async (request, reply) => sendAnswer(reply, await getSignOut(parts, visitOf(request), request.query)),
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
