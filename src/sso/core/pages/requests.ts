import type { FastifyContextConfig, FastifyReply, FastifyRequest } from 'fastify'
import { type Static, type TObject, type TProperties, type TSchema, Type } from 'typebox'
import type { App } from '#foundation/http/http.ts'
import { publicAddress } from '#foundation/http/public-address.ts'
import { languageOf } from '#foundation/web/client/texts.ts'
import { originOf } from '../access/identify.ts'
import type { SsoParts } from '../parts.ts'
import type { Branding } from './branding.ts'
import { errorPage } from './error-page.ts'
import { textOf } from './html.ts'
import { createFormTokens } from './form-token.ts'
import { type Answer, openVisit, type Visit } from './visit.ts'

/** Not compressed: pages hold the form token next to text the visitor controls (BREACH). */
export const pageConfig = {
  auth: 'public',
  operational: true,
  compress: false,
  errorPage: (error, request, reply) => {
    const { branding } = reply.server
    reply.headers(headersOf({}, branding()))
    const back = TRY_AGAIN.has(error.status) ? formOfAddress(request.url) : undefined
    return textOf(
      errorPage(error, back, request.id),
      languageOf(null, request.headers['accept-language']),
      branding(),
    )
  },
} as const satisfies FastifyContextConfig
const TRY_AGAIN = new Set([403, 429, 503])
/** The page of the posted form. A form posts to its own page, except those listed here. */
const formOfAddress = (url: string) =>
  url
    .replace(/\/mfa\/(?:email|sms)/, '/mfa')
    .replace('/enrol/activate', '/enrol')
    .replace(/\/confirm\/factor\/(?:email|sms)/, '/confirm/factor')
export const counted = { ...pageConfig, form: true, limit: 'auth' } as const

export const Line = Type.String({ maxLength: 1_000 })
export const formOf = <T extends Record<string, TSchema>>(fields: T) =>
  Type.Object({ form_token: Line, ...fields })

export function visitsOf(parts: SsoParts): (request: FastifyRequest) => Visit {
  const addressOf = publicAddress(parts.config.SSO_URL)
  const forms = createFormTokens(parts.keys.derive('hosted forms'))
  return (request) =>
    openVisit(
      { headers: request.headers, address: addressOf(request), from: originOf(request) },
      parts.config,
      forms,
    )
}

type Form<F extends TProperties> = Static<TObject<F>>

/** Registers pages with their URL and query. The form token of a post is checked before the handler runs. */
export function pagesOf(app: App, parts: SsoParts) {
  const visitOf = visitsOf(parts)
  const get = <Q extends TSchema>(
    url: string,
    querystring: Q,
    answer: (visit: Visit, query: Static<Q>) => Answer | Promise<Answer>,
  ) =>
    app.get(url, { config: pageConfig, schema: { hide: true, querystring } }, async (request, reply) => {
      const visit = visitOf(request)
      return sendAnswer(reply, await answer(visit, request.query as Static<Q>), visit)
    })
  const post = <Q extends TSchema, F extends TProperties>(
    url: string,
    { querystring, fields }: { querystring: Q; fields: F },
    answer: (visit: Visit, query: Static<Q>, body: Form<F>) => Promise<Answer>,
  ) => {
    const schema = { hide: true, querystring, body: formOf(fields) }
    app.post(url, { config: counted, schema }, async (request, reply) => {
      const visit = visitOf(request)
      const body = request.body as Form<F> & { form_token: string }
      visit.requireOwnForm(body.form_token)
      return sendAnswer(reply, await answer(visit, request.query as Static<Q>, body), visit)
    })
  }
  return { get, post }
}
/** For a page without query parameters. */
export const NoQuery = Type.Object({})

/** Sends a page in the language of the `visit`, or else of the browser. */
export function sendAnswer(reply: FastifyReply, answer: Answer, { locale }: Pick<Visit, 'locale'> = {}) {
  for (const cookie of answer.cookies ?? []) reply.header('Set-Cookie', cookie)
  reply.headers(answer.headers ?? {})
  if ('location' in answer) return reply.redirect(answer.location, answer.status ?? 303)
  const { page } = answer
  const branding = reply.server.branding()
  const accepted = reply.request.headers['accept-language']
  return reply
    .code(answer.status ?? 200)
    .headers(headersOf(answer, branding))
    .type('text/html; charset=utf-8')
    .send(textOf(page, languageOf(locale, accepted), branding))
}

/**
 * Only our own files, no inline script, no framing. A form may redirect to the site it began at, since browsers apply
 * form-action to the redirect too. `no-referrer` would set the form's own Origin to `null`, which looks like a forged
 * one.
 */
function headersOf(
  { returns_to, fetches }: { returns_to?: string | undefined; fetches?: boolean | undefined },
  { logo_url }: Branding,
): Record<string, string> {
  const pictures = logo_url === null ? "'self'" : `'self' ${new URL(logo_url).origin}`
  const calls = fetches ? " connect-src 'self';" : ''
  const targets = returns_to === undefined ? "'self'" : `'self' ${new URL(returns_to).origin}`
  return {
    'Content-Security-Policy': `default-src 'none'; style-src 'self'; script-src 'self';${calls} img-src ${pictures}; form-action ${targets}; base-uri 'none'; frame-ancestors 'none'`,
    'Referrer-Policy': 'same-origin',
    Vary: 'Accept-Language',
    'Cross-Origin-Opener-Policy': 'same-origin',
  }
}
