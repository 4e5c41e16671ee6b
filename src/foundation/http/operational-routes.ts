import type { IncomingMessage } from 'node:http'
import { Type } from 'typebox'
import { createHealthCheck } from '../database/health.ts'
import { isLoopback } from '../outbound/addresses.ts'
import { notFound } from '../errors.ts'
import { isLoopbackName } from '../web/hosts.ts'
import type { App } from './http.ts'
import { OneOf } from './schemas.ts'
import { sameSecret } from '../security/secrets.ts'
import type { ServiceParts } from './service.ts'

const Ready = Type.Object({ status: OneOf(['ready', 'starting_or_stopping', 'database_down']) })

/** The routes of every service outside its contract: `/livez` (uses no database), `/readyz` and `/metrics`. */
export function operationalRoutes(app: App, parts: ServiceParts) {
  const { metrics, database, gateDatabase, isUnready } = parts
  const { METRICS_TOKEN } = parts.config
  const checks = [...new Set([database, gateDatabase])].map(createHealthCheck)
  const config = { auth: 'public', limit: 'none', operational: true } as const
  app.get(
    '/livez',
    {
      // Load balancers probe by address, not by host name.
      config: { ...config, anyHost: true },
      schema: { response: { 200: Type.Object({ status: Type.Literal('ok') }) } },
    },
    async () => ({ status: 'ok' as const }),
  )
  app.get(
    '/readyz',
    // Answers while the service stops, when every other route is refused.
    {
      config: { ...config, anyHost: true, whileStopping: true },
      schema: { response: { 200: Ready, 503: Ready } },
    },
    async (_, reply) => {
      reply.header('Cache-Control', 'no-store')
      if (isUnready()) return reply.code(503).send({ status: 'starting_or_stopping' as const })
      const databases = await Promise.all(checks.map((check) => check()))
      if (databases.some(({ status }) => status === 'down'))
        return reply.code(503).send({ status: 'database_down' as const })
      return { status: 'ready' as const }
    },
  )
  app.get(
    '/metrics',
    // Scrapers call each process by its address. If a token is set, only the token decides.
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

/** The request comes from a program on this machine and no proxy forwarded it. */
function isFromThisMachine({ socket, headers }: IncomingMessage): boolean {
  const host = headers.host?.replace(/:\d+$/, '')
  return (
    isLoopback(socket.remoteAddress ?? '') &&
    host !== undefined &&
    isLoopbackName(host.toLowerCase()) &&
    !Object.keys(headers).some((name) => FORWARDING.test(name))
  )
}
