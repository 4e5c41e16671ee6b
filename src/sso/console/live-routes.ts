import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { notFound } from '#foundation/errors.ts'
import type { App } from '#foundation/http/http.ts'
import { Uuid } from '#foundation/http/schemas.ts'
import { liveHeaders, livePage } from '#foundation/web/live-page.ts'
import { type Language, languageOf } from '#foundation/web/client/texts.ts'
import type { SsoParts } from '../core/parts.ts'
import { assets } from '../core/pages/assets.ts'
import { pageConfig, sendAnswer } from '../core/pages/requests.ts'
import type { FullSite } from '../partners/sites/sites.ts'
import { findUser, type User } from '../people/person/users.ts'
import { addressOf, placesIn, titleOf } from './client/places.ts'
import type { Place } from './client/places.ts'
import { firstCalls, type Module, OWN_SITES } from './client/first-calls.ts'
import type { Admit } from './visitor-routes.ts'

/** The palette finds sites by their name. */
const PALETTE = {
  path: `${OWN_SITES}?q={q}`,
  text: 'name',
  note: 'site_code',
  href: '/console/sites/{site_id}',
}
const SESSION = { token: '/console/token', renew: '/sign-in/renew?site_code=console' }

/**
 * A page below a place. With `id` it is about one thing, which its first call reads: 404 if there is none for the visitor.
 */
type One = { module: Module; id?: string; named: (thing: unknown, lang: Language) => string }

/**
 * Registers a page that a module of `client/` renders. What the module asks for first is asked here, with the same token
 * and by the same routes, and comes along in the HTML.
 */
export function liveRoutes(app: App, { database }: SsoParts, admit: Admit) {
  const live = (place: Place, url: string, one?: One) => {
    const params = Type.Object(one?.id === undefined ? {} : { [one.id]: Uuid })
    app.get(url, { config: pageConfig, schema: { hide: true, params } }, async (request, reply) => {
      const found = await admit(request)
      if ('answer' in found) return sendAnswer(reply, found.answer)
      const { caller, is_operator } = found
      const id = one?.id === undefined ? undefined : request.params[one.id]
      const calls = firstCalls[one?.module ?? place]?.(searchOf(request), is_operator, id) ?? []
      const [person, ...answers] = await Promise.all([
        findUser(database.fast, caller, caller.user_id),
        ...calls.map((path) => call(request, path, found.token)),
      ])
      if (one?.id !== undefined && !answers[0]) throw notFound()
      const lang = languageOf(person?.locale, request.headers['accept-language'])
      const page = livePage(assets, `console/client/${one?.module ?? place}.ts`, {
        lang,
        title: one ? one.named(answers[0], lang) : titleOf(place, lang),
        trail: one ? [{ href: addressOf(place), text: titleOf(place, lang) }] : [],
        label: titleOf('console', lang),
        navigation: placesIn(lang, is_operator, place),
        data: {
          is_operator,
          palette: PALETTE,
          ...Object.fromEntries(answers.flatMap((answer, i) => (answer ? [[calls[i], answer]] : []))),
        },
        visit: { person: caller.user_id, ...SESSION },
      })
      return reply.headers(liveHeaders()).type('text/html; charset=utf-8').send(page)
    })
  }

  /** The answer of the API, as the page itself would get it. Undefined for a refusal, which the page then asks for. */
  async function call({ headers: { host = '' }, ip }: FastifyRequest, url: string, token: string) {
    const headers = { host, authorization: `Bearer ${token}` }
    const reply = await app.inject({ url, headers, remoteAddress: ip })
    return reply.statusCode === 200 ? reply.json<unknown>() : undefined
  }

  live('overview', '/console')
  const named = (user: unknown) => (user as User).display_name ?? (user as User).email
  live('people', '/console/people')
  live('people', '/console/people/:user_id', { module: 'person', id: 'user_id', named })
  const nameOf = (site: unknown) => (site as FullSite).name
  live('sites', '/console/sites')
  const titled = (_: unknown, lang: Language) => titleOf('new_site', lang)
  live('sites', '/console/sites/new', { module: 'site-wizard', named: titled })
  live('sites', '/console/sites/:site_id', { module: 'site', id: 'site_id', named: nameOf })
  // Operators approve sites in the list of them.
  app.get('/console/approvals', { config: pageConfig, schema: { hide: true } }, async (_, reply) =>
    reply.redirect('/console/sites?status=pending', 303),
  )
  live('webhooks', '/console/webhooks')
  live('imports', '/console/imports')
  live('enterprise', '/console/enterprise')
  live('orders', '/console/orders')
  live('audit', '/console/audit')
  live('messages', '/console/messages')
  live('settings', '/console/settings')
}

const searchOf = ({ url }: FastifyRequest) => new URLSearchParams(/\?([^#]*)/.exec(url)?.[1])
