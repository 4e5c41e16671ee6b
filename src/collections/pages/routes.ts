import type { FastifyRequest } from 'fastify'
import { ApiError, unauthorized } from '#foundation/errors.ts'
import type { App } from '#foundation/http/http.ts'
import { publicAddress } from '#foundation/http/public-address.ts'
import type { ServiceParts } from '#foundation/http/service.ts'
import { cookieOf } from '#foundation/security/identity.ts'
import { isSiteAdmin } from '#foundation/security/powers.ts'
import type { Caller, SessionGate } from '#foundation/security/session-gate.ts'
import { ASSETS_ROUTE, ASSETS_URL } from '#foundation/web/assets.ts'
import { languageOf, textsIn } from '#foundation/web/client/texts.ts'
import { isLoopbackName } from '#foundation/web/hosts.ts'
import { liveHeaders, livePage, plainPage } from '#foundation/web/live-page.ts'
import { PageToken, pageToken, requireOwnPage } from '#foundation/web/page-token.ts'
import { assets, STYLES } from './assets.ts'
import { FIRST_CALLS, type Module, SHELL_TEXTS } from './client/first-calls.ts'

const page = { auth: 'public', limit: 'none', operational: true, compress: false } as const
/** In the address of somebody who comes back from the sign-in: whose browser keeps no cookie is not sent there again. */
const ASKED = 'signed_in'
/** The palette finds items of all collections. */
const PALETTE = {
  path: '/api/items?per_page=8&q={q}',
  text: 'name',
  note: 'external_key',
  href: '/?item={id}',
}
const PLACES: Record<Module, string> = { collections: '/', uploads: '/uploads' }

/**
 * The pages of curators, at the session that the sso keeps in this browser, and `POST /token`, by which they get its
 * access token: to a page of this origin alone. Whoever is not signed in is led to the sso, where a sign-in that is still
 * alive is renewed without a question.
 */
export function pageRoutes(app: App, parts: Pick<ServiceParts, 'config' | 'ssoUrl'>, gate: SessionGate) {
  const { COLLECTIONS_URL, COLLECTIONS_ALLOWED_SITES: sites } = parts.config
  const addressOf = publicAddress(COLLECTIONS_URL)

  /** Whom the browser's cookie names; only people, at a site of the network itself. */
  async function visitorOf(request: FastifyRequest): Promise<{ caller: Caller; token: string } | undefined> {
    const token = cookieOf(request, 'access_token')
    if (token === undefined) return undefined
    try {
      const caller = await gate.verifyAccessToken(token)
      const isTaken = sites.length === 0 || sites.includes(caller.site_code)
      return caller.is_first_party && isTaken ? { caller, token } : undefined
    } catch (error) {
      if (error instanceof ApiError && error.status === 401) return undefined
      throw error
    }
  }

  /** On localhost cookies belong to a host name, so the sso is called by that of this page. */
  function ssoOf(request: FastifyRequest): string {
    const [sso, own] = [new URL(parts.ssoUrl()), new URL(addressOf(request))]
    if (isLoopbackName(sso.hostname) && isLoopbackName(own.hostname)) sso.hostname = own.hostname
    return sso.origin
  }

  /** The answer of the API, as the page itself would get it. Undefined for a refusal, which the page then asks for. */
  async function call({ headers: { host = '' }, ip }: FastifyRequest, url: string, token: string) {
    const headers = { host, authorization: `Bearer ${token}` }
    const reply = await app.inject({ url, headers, remoteAddress: ip })
    return reply.statusCode === 200 ? reply.json<unknown>() : undefined
  }

  for (const module of Object.keys(PLACES) as Module[])
    app.get(PLACES[module], { config: page, schema: { hide: true } }, async (request, reply) => {
      const visitor = await visitorOf(request)
      const lang = languageOf(visitor?.caller.locale, request.headers['accept-language'])
      const t = textsIn(SHELL_TEXTS, lang)
      const sso = ssoOf(request)
      const shell = {
        lang,
        title: t(module),
        label: t('navigation'),
        styles: STYLES,
        navigation: [
          ...Object.entries(PLACES).map(([name, href]) => ({
            href,
            text: t(name as Module),
            is_current: name === module,
          })),
          { href: `${sso}/account`, text: t('account'), is_current: false },
        ],
      }
      void reply
        .headers({ ...liveHeaders(sso), Vary: 'Accept-Language, Cookie, Origin' })
        .type('text/html; charset=utf-8')
      if (!visitor) {
        const back = new URL(request.url, addressOf(request))
        const wasAsked = back.searchParams.has(ASKED)
        back.searchParams.set(ASKED, '1')
        const asked = { site_code: 'collections', return_to: back.href }
        const href = `${sso}/sign-in?${new URLSearchParams(asked).toString()}`
        if (!wasAsked) return reply.redirect(href, 303)
        return reply.send(plainPage(assets, shell, { text: t('signed_out'), href, action: t('sign_in') }))
      }
      const { caller, token } = visitor
      const search = new URLSearchParams(/\?([^#]*)/.exec(request.url)?.[1])
      const calls = FIRST_CALLS[module](search)
      const answers = await Promise.all(calls.map((path) => call(request, path, token)))
      return reply.send(
        livePage(assets, `pages/client/${module}.ts`, {
          ...shell,
          data: {
            me: { user_id: caller.user_id, is_site_admin: isSiteAdmin(caller) },
            types: parts.config.COLLECTIONS_TYPES,
            inviters: parts.config.COLLECTIONS_INVITE_ROLE,
            palette: PALETTE,
            ...Object.fromEntries(answers.flatMap((answer, i) => (answer ? [[calls[i], answer]] : []))),
          },
          visit: {
            person: caller.user_id,
            token: '/token',
            renew: `${sso}/sign-in/renew?site_code=${caller.site_code}`,
          },
        }),
      )
    })
  app.post(
    '/token',
    { config: page, schema: { hide: true, response: { 200: PageToken } } },
    async (request) => {
      requireOwnPage(request, addressOf(request))
      const visitor = await visitorOf(request)
      if (!visitor) throw unauthorized('signed_out', 'Nobody is signed in in this browser')
      return pageToken(visitor.token)
    },
  )
  app.get(ASSETS_URL, ASSETS_ROUTE, assets.answer)
}
