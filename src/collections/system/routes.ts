import { Type } from 'typebox'
import { createHealthCheck } from '#foundation/database/health.ts'
import type { App } from '#foundation/http/http.ts'
import { Nullable, OneOf } from '#foundation/http/schemas.ts'
import type { ServiceParts } from '#foundation/http/service.ts'

const Status = OneOf(['ok', 'down'])
const Health = Type.Object({
  status: Status,
  database: Type.Object({ status: Status, response_time_ms: Nullable(Type.Number()) }),
  version: Type.String(),
})
const Info = Type.Object({ name: Type.String(), version: Type.String(), sso_url: Type.String() })

/** Not part of the API document, which names no such paths. The answers match those of the learning service. */
export function systemRoutes(app: App, { database, version, ssoUrl }: ServiceParts) {
  const checkHealth = createHealthCheck(database)
  app.get(
    '/health',
    {
      config: { auth: 'public', limit: 'none', operational: true },
      schema: { response: { 200: Health, 503: Health } },
    },
    async (_, reply) => {
      const health = await checkHealth()
      return reply
        .code(health.status === 'ok' ? 200 : 503)
        .send({ status: health.status, database: health, version })
    },
  )
  app.get(
    '/api/info',
    { config: { auth: 'public', limit: 'none', operational: true }, schema: { response: { 200: Info } } },
    async () => ({ name: 'Lyceum Collections', version, sso_url: ssoUrl() }),
  )
}
