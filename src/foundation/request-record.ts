import type { FastifyRequest } from 'fastify'
import { pino } from 'pino'
import type { Logger } from './log.ts'
import type { HttpMetrics } from './metrics.ts'

const INFO = pino.levels.values['info'] ?? 30

/**
 * One line of JSON and one count per answered request. The line is written by hand, because the logger's general way
 * costs as much as answering: every value in it is a number, an id of ours, a route pattern or a method of HTTP, so
 * there is nothing to escape and nothing to redact. Never a path, a query, a body, an address.
 */
export function createRecorder(log: Logger, service: string, metrics: HttpMetrics) {
  const stream = (log as unknown as Record<symbol, { write(line: string): void }>)[pino.symbols.streamSym]
  return ({ id, startedAt, policy, method, caller, site }: FastifyRequest, status: number) => {
    const ms = performance.now() - startedAt
    const route = policy?.url ?? ''
    metrics.observe(method, route, status, ms)
    if (!stream || !log.isLevelEnabled('info')) return
    const user = caller ? `,"user_id":"${caller.user_id}"` : ''
    const at = site ?? caller
    const from = at ? `,"site_id":"${at.site_id}"` : ''
    stream.write(
      `{"level":${INFO},"time":${Date.now()},"service":"${service}","request_id":"${id}","method":"${method}","route":"${route}","status":${status},"ms":${Math.round(ms * 100) / 100}${user}${from}}\n`,
    )
  }
}
