import type { FastifyRequest } from 'fastify'
import { pino } from 'pino'
import type { Logger } from '../log.ts'
import type { HttpMetrics } from '../metrics.ts'

export type Recorded = Pick<
  FastifyRequest,
  'id' | 'startedAt' | 'policy' | 'method' | 'caller' | 'site' | 'trace_id'
>

/** What all requests of one method, route and status share. */
type Kind = { line: string; observe: (ms: number) => void }

const INFO = pino.levels.values['info'] ?? 30

/**
 * Writes one JSON log line and one metric per request. The line is built by hand, because the logger's general path
 * costs as much as the response. It holds only numbers, our ids, route patterns and HTTP methods, so nothing needs
 * escaping or redaction; never a path, query, body or address.
 */
export function createRecorder(log: Logger, service: string, metrics: HttpMetrics) {
  const stream = (log as unknown as Record<symbol, { write(line: string): void }>)[pino.symbols.streamSym]
  const isOn = log.isLevelEnabled('info')
  const kinds = new Map<string, Kind>()

  function kindOf(method: string, route: string, status: number): Kind {
    const key = `${status}${method}${route}`
    const known = kinds.get(key)
    if (known) return known
    const made = {
      line: `{"level":${INFO},"service":"${service}","method":"${method}","route":"${route}","status":${status},"time":`,
      observe: metrics.timer(method, route, status),
    }
    kinds.set(key, made)
    return made
  }

  return ({ id, startedAt, policy, method, caller, site, trace_id }: Recorded, status: number) => {
    const ms = performance.now() - startedAt
    const kind = kindOf(method, policy?.url ?? '', status)
    kind.observe(ms)
    if (!stream || !isOn) return
    const user = caller ? `,"user_id":"${caller.user_id}"` : ''
    const at = site ?? caller
    const from = at ? `,"site_id":"${at.site_id}"` : ''
    const trace = trace_id ? `,"trace_id":"${trace_id}"` : ''
    stream.write(
      `${kind.line}${Date.now()},"request_id":"${id}"${trace},"ms":${Math.round(ms * 100) / 100}${user}${from}}\n`,
    )
  }
}
