import type { IncomingMessage } from 'node:http'
import { Type } from 'typebox'
import { isLoopback } from '../outbound/addresses.ts'
import { notFound } from '../errors.ts'
import { isLoopbackName } from '../web/hosts.ts'
import type { App } from './http.ts'
import { sameSecret } from '../security/secrets.ts'
import type { ServiceParts } from './service.ts'

/** What every service has beside its contract: `/livez` (touches no database) and `/metrics`. */
export function operationalRoutes(app: App, { config: { METRICS_TOKEN }, metrics }: ServiceParts) {
  const config = { auth: 'public', limit: 'none', operational: true } as const
  app.get(
    '/livez',
    {
      // Load balancers probe by address.
      config: { ...config, anyHost: true },
      schema: { response: { 200: Type.Object({ status: Type.Literal('ok') }) } },
    },
    async () => ({ status: 'ok' as const }),
  )
  app.get(
    '/metrics',
    // Scrapers ask each process by its address; with a token no other fact decides.
    { config: { ...config, anyHost: METRICS_TOKEN !== undefined }, schema: { hide: true } },
    async (request, reply) => {
      const token = request.headers.authorization?.replace(/^Bearer /i, '')
      const mayRead =
        METRICS_TOKEN === undefined
          ? isFromThisMachine(request.raw)
          : token !== undefined && sameSecret(token, METRICS_TOKEN)
      if (!mayRead) throw notFound()
      return reply.type('text/plain; version=0.0.4; charset=utf-8').send(await metrics.text())
    },
  )
}

const FORWARDING = /^(?:x-forwarded-.*|forwarded|via)$/

/** The socket's other end is a program on this machine, and it passes nothing on for somebody else. */
function isFromThisMachine({ socket, headers }: IncomingMessage): boolean {
  const host = headers.host?.replace(/:\d+$/, '')
  return (
    isLoopback(socket.remoteAddress ?? '') &&
    host !== undefined &&
    isLoopbackName(host.toLowerCase()) &&
    !Object.keys(headers).some((name) => FORWARDING.test(name))
  )
}

/** The OpenAPI 3.1 description, made from the schemas the routes validate and serialize with; `more` stands beside them. */
export function openApiRoute(app: App, url: string, auth: 'public' | 'site_or_admin', more: object = {}) {
  const config = {
    auth,
    operational: true,
    ...(auth === 'public' ? { limit: 'none' as const } : { permission: 'site:manage' as const }),
  }
  app.get(url, { config, schema: { hide: true } }, async () => ({ ...app.swagger(), ...more }))
}
