import { Type } from 'typebox'
import { type App, callerOf } from '#foundation/http/http.ts'
import { originOf } from '../../core/access/identify.ts'
import { keepBranding } from '../../core/pages/branding.ts'
import type { SsoParts } from '../../core/parts.ts'
import { BrandingAnswer, BrandingBody, readBranding, setBranding, styleOf } from './branding.ts'

/** For operators: name, logo and colour of the hosted pages. */
export async function brandingRoutes(app: App, { database }: SsoParts) {
  const branding = await keepBranding(database)
  app.decorate('branding', branding.current)
  const config = { auth: 'admin', permission: 'site:manage', operational: true } as const
  const url = '/api/v1/admin/branding'
  const response = { 200: BrandingAnswer }

  app.get(url, { config, schema: { response } }, async (request) => readBranding(database, callerOf(request)))

  app.put(url, { config, schema: { body: BrandingBody, response } }, async (request) => {
    const given = { if_match: request.headers['if-match'], from: originOf(request) }
    const saved = await setBranding(database, callerOf(request), request.body, given)
    await branding.read()
    return saved
  })

  // The address holds all that the answer depends on, so browsers keep it for ever.
  const querystring = Type.Object({ color: Type.String({ pattern: '^[0-9a-f]{6}$' }) })
  const style = {
    config: { auth: 'public', limit: 'none', operational: true },
    schema: { hide: true, querystring },
  } as const
  app.get('/branding.css', style, async ({ query: { color } }, reply) => {
    reply.header('Cache-Control', 'public, max-age=31536000, immutable')
    return reply.type('text/css; charset=utf-8').send(styleOf(`#${color}`))
  })
}
