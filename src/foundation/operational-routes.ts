import { Type } from 'typebox'
import { isLoopback } from './addresses.ts'
import { notFound } from './errors.ts'
import type { App } from './http.ts'
import { sameSecret } from './secrets.ts'
import type { ServiceParts } from './service.ts'

/** What every service has beside its contract: `/livez` (touches no database) and `/metrics`. */
export function operationalRoutes(app: App, { config, metrics }: ServiceParts) {
  app.get(
    '/livez',
    {
      config: { auth: 'public', limit: 'none', operational: true },
      schema: { response: { 200: Type.Object({ status: Type.Literal('ok') }) } },
    },
    async () => ({ status: 'ok' as const }),
  )
  app.get(
    '/metrics',
    { config: { auth: 'public', limit: 'none', operational: true }, schema: { hide: true } },
    async (request, reply) => {
      const token = request.headers.authorization?.replace(/^Bearer /i, '')
      const mayRead =
        config.METRICS_TOKEN === undefined
          ? isLoopback(request.ip)
          : token !== undefined && sameSecret(token, config.METRICS_TOKEN)
      if (!mayRead) throw notFound()
      return reply.type('text/plain; version=0.0.4; charset=utf-8').send(await metrics.text())
    },
  )
}

/** The OpenAPI 3.1 description, made from the schemas the routes validate and serialize with. */
export function openApiRoute(app: App, url: string, auth: 'public' | 'site_or_admin') {
  const config = {
    auth,
    operational: true,
    ...(auth === 'public' ? { limit: 'none' as const } : { permission: 'site:manage' as const }),
  }
  app.get(url, { config, schema: { hide: true } }, async () => app.swagger())
}
