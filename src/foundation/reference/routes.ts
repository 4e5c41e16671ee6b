import type { FastifyRequest } from 'fastify'
import type { App } from '../http/http.ts'
import type { Assets } from '../web/assets.ts'
import { languageOf, textsIn } from '../web/client/texts.ts'
import { liveHeaders, livePage } from '../web/live-page.ts'
import type { ApiDocument } from './client/description.ts'
import { completed } from './document.ts'
import { postmanCollection } from './postman.ts'
import { REFERENCE_TEXTS } from './client/reference-texts.ts'

/** What differs between the services. `more` adds members to the description. */
type Reference = {
  url: string
  auth: 'public' | 'site_or_admin'
  assets: Assets
  addressOf: (request: FastifyRequest) => string
  more?: object
}

const open = { auth: 'public', limit: 'none', operational: true } as const

/**
 * The OpenAPI 3.1 description, generated from the schemas of the routes, at `url`; `/docs` shows it to people and lets
 * them call it, `/docs/postman.json` is the same for Postman. What a route is for is no secret: `/docs/openapi.json` is
 * public where `url` is not.
 */
export function referenceRoutes(app: App, { url, auth, assets, addressOf, more = {} }: Reference) {
  let known: (ApiDocument & object) | undefined
  const document = () =>
    (known ??= completed({ ...app.swagger(), ...more }) as unknown as ApiDocument & object)
  const served = (request: FastifyRequest) => ({ ...document(), servers: [{ url: addressOf(request) }] })
  const permission = auth === 'public' ? {} : { permission: 'site:manage' as const }
  const limit = auth === 'public' ? { limit: 'none' as const } : {}
  app.get(
    url,
    { config: { auth, operational: true, ...limit, ...permission }, schema: { hide: true } },
    async (request) => served(request),
  )
  app.get('/docs/openapi.json', { config: open, schema: { hide: true } }, async (request) => served(request))
  app.get('/docs/postman.json', { config: open, schema: { hide: true } }, async (request, reply) => {
    const { title } = document().info
    const name = title.toLowerCase().replaceAll(' ', '-')
    reply.header('Content-Disposition', `attachment; filename="${name}.postman_collection.json"`)
    return postmanCollection(document(), addressOf(request))
  })
  app.get('/docs', { config: open, schema: { hide: true } }, async (request, reply) => {
    const lang = languageOf(undefined, request.headers['accept-language'])
    const t = textsIn(REFERENCE_TEXTS, lang)
    const page = livePage(assets, 'foundation/reference/client/reference.ts', {
      lang,
      title: document().info.title,
      label: t('navigation'),
      navigation: [
        { href: '/docs', text: t('reference'), is_current: true },
        { href: '/docs/openapi.json', text: 'OpenAPI', is_current: false },
        { href: '/docs/postman.json', text: 'Postman', is_current: false },
      ],
      styles: 'foundation/reference/client/reference.css',
      data: {},
    })
    const headers = { ...liveHeaders(), Vary: 'Accept-Language, Origin' }
    return reply.headers(headers).type('text/html; charset=utf-8').send(page)
  })
}
