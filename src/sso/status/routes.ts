import { Type } from 'typebox'
import type { App } from '#foundation/http.ts'
import { OneOf } from '#foundation/schemas.ts'
import { Status } from './status.ts'

const Health = Type.Object({ status: OneOf(['ok', 'down']), version: Type.String() })

export function statusRoutes(app: App, readStatus: () => Promise<Status>) {
  const config = { auth: 'public', limit: 'none', operational: true } as const

  app.get('/status', { config, schema: { response: { 200: Status, 503: Status } } }, async (_, reply) => {
    const status = await readStatus()
    return reply
      .code(status.status === 'outage' ? 503 : 200)
      .headers(headersOf(status))
      .send(status)
  })

  app.get('/health', { config, schema: { response: { 200: Health, 503: Health } } }, async (_, reply) => {
    const status = await readStatus()
    const isDown = status.status === 'outage'
    const health = { status: isDown ? ('down' as const) : ('ok' as const), version: status.version }
    return reply
      .code(isDown ? 503 : 200)
      .headers(headersOf(status))
      .send(health)
  })
}

const headersOf = ({ status }: Status) => ({
  'Cache-Control': 'no-store',
  ...(status === 'outage' && { 'Retry-After': '1' }),
})
