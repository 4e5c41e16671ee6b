import { Type } from 'typebox'
import { clock } from '#foundation/clock.ts'
import type { Csrf } from '#foundation/web/csrf.ts'
import type { DatabaseHealth } from '#foundation/database/health.ts'
import type { App } from '#foundation/http/http.ts'
import { isSiteAdmin } from '#foundation/security/powers.ts'
import type { Caller } from '#foundation/security/session-gate.ts'
import { Nullable, OneOf } from '#foundation/http/schemas.ts'

/** The version of the API (part 9 of its document), not of the program. */
export const API_VERSION = '1.0.0'

const Status = OneOf(['ok', 'down'])
const Health = Type.Object({
  status: Status,
  database: Type.Object({ status: Status, response_time_ms: Nullable(Type.Number()) }),
  version: Type.String(),
  uptime_seconds: Type.Integer(),
})
const Info = Type.Object({
  name: Type.String(),
  version: Type.String(),
  sso_url: Type.String(),
  user: Nullable(
    Type.Object({
      id: Type.String(),
      email: Type.String(),
      role: Type.String(),
      is_admin: Type.Boolean(),
      locale: Nullable(Type.String()),
    }),
  ),
})
const CsrfToken = Type.Object({ csrf_token: Type.String() })

const userOf = (caller: Caller) => {
  const { user_id: id, email, role, locale } = caller
  return { id, email, role, is_admin: isSiteAdmin(caller), locale }
}

export type SystemParts = { csrf: Csrf; askDatabase: () => Promise<DatabaseHealth>; ssoUrl: () => string }

export function systemRoutes(app: App, { csrf, askDatabase, ssoUrl }: SystemParts) {
  const startedAt = clock.monotonic()

  app.get(
    '/health',
    { config: { auth: 'public', limit: 'none' }, schema: { response: { 200: Health, 503: Health } } },
    async (_request, reply) => {
      const database = await askDatabase()
      return reply.code(database.status === 'ok' ? 200 : 503).send({
        status: database.status,
        database,
        version: API_VERSION,
        uptime_seconds: Math.floor((clock.monotonic() - startedAt) / 1_000),
      })
    },
  )
  app.get(
    '/api/info',
    { config: { auth: 'optional' }, schema: { response: { 200: Info } } },
    async ({ caller }) => ({
      name: 'Lyceum Learning',
      version: API_VERSION,
      sso_url: ssoUrl(),
      user: caller ? userOf(caller) : null,
    }),
  )
  app.get(
    '/api/csrf-token',
    // Secrets are never compressed (BREACH). This response reflects nothing of the request, but the rule is simpler
    // without exceptions.
    { config: { auth: 'optional', compress: false }, schema: { response: { 200: CsrfToken } } },
    async (request, reply) => ({ csrf_token: csrf.issue(request, reply) }),
  )
}
