import { type App, callerOf } from '#foundation/http/http.ts'
import { CursorPageOf } from '#foundation/http/cursor-page.ts'
import { originOf } from '../../core/access/identify.ts'
import type { SsoParts } from '../../core/parts.ts'
import { listRing, RingKey, RingQuery, rotate, RotateBody, Rotated } from './operator.ts'

/** For operators: list and rotate the signing keys. */
export function keyRotationRoutes(app: App, parts: SsoParts) {
  const config = { auth: 'admin', permission: 'site:manage', operational: true } as const

  app.get(
    '/api/v1/signing-keys',
    { config, schema: { querystring: RingQuery, response: { 200: CursorPageOf(RingKey) } } },
    async (request) => listRing(parts.database, callerOf(request), request.query),
  )

  app.post(
    '/api/v1/signing-keys/rotate',
    { config, schema: { body: RotateBody, response: { 200: Rotated } } },
    async (request) => rotate(parts, callerOf(request), request.body, originOf(request)),
  )
}
