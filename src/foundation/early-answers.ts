import type { IncomingMessage, OutgoingHttpHeaders, Server, ServerResponse } from 'node:http'
import type { AdmissionOptions } from './admission.ts'
import { type IsOwnHost, plainHost } from './hosts.ts'
import { newRequestId } from './ids.ts'
import { type Bucket, rateLimitHeaders } from './rate-limit/limiter.ts'
import type { Recorded } from './request-record.ts'

/** Header names in lower case. */
export type EarlyAnswer = { status: number; headers: OutgoingHttpHeaders; body?: Buffer }

/**
 * A public GET that memory alone can answer. `url` is the pattern of the route that answers everybody else; `answer` must
 * be synchronous and side-effect free, and is undefined wherever the whole way could come to another answer.
 */
export type EarlyRoute = {
  url: string
  answer: (request: IncomingMessage) => EarlyAnswer | undefined
  /** The limits somebody without a token counts against. */
  bucketsOf: (clientIp: string) => Bucket[]
}

type Options = Pick<AdmissionOptions, 'limiter' | 'isStopping'> & {
  early: EarlyRoute
  always: OutgoingHttpHeaders
  record: (request: Recorded, status: number) => void
  isOwnHost: IsOwnHost
}

/**
 * Answers before the framework has made its request: routing, hooks and schemas cost more than handing out bytes that
 * are ready. Limits, request id, headers and the log line are the same. Only with limits in memory, because a hit must be
 * decided at once; a refusal goes the whole way, where it is counted and worded (nothing was recorded yet).
 */
export function answerEarly(server: Server, options: Options) {
  const { early, limiter, isStopping, always, record, isOwnHost } = options
  const policy = { url: early.url }
  const wholeWay = server.listeners('request')[0] as (
    request: IncomingMessage,
    response: ServerResponse,
  ) => void
  server.removeAllListeners('request')
  server.on('request', (request, response) => {
    const mayBeEarly = request.method === 'GET' && !isStopping() && limiter.state() === 'memory'
    if (!mayBeEarly || !send(request, response)) wholeWay.call(server, request, response)
  })

  function send(request: IncomingMessage, response: ServerResponse): boolean {
    const startedAt = performance.now()
    const found = early.answer(request)
    if (!found || !isForUs(request)) return false
    const id = newRequestId()
    const { status, headers, body } = found
    const all = { ...(status === 304 ? undefined : always), ...headers, 'x-request-id': id }
    const buckets = early.bucketsOf(request.socket.remoteAddress ?? '')
    if (buckets.length > 0) {
      const verdict = limiter.hit(buckets)
      if (verdict instanceof Promise || !verdict.admitted) return false
      Object.assign(all, rateLimitHeaders(verdict))
    }
    response.writeHead(status, all).end(body)
    record({ id, startedAt, policy, method: 'GET', caller: undefined, site: undefined }, status)
    return true
  }

  /** What is refused for its head goes the whole way, where it is worded. */
  function isForUs({ rawHeaders }: IncomingMessage): boolean {
    const host = plainHost(rawHeaders)
    try {
      return host !== undefined && isOwnHost(host)
    } catch {
      return false
    }
  }
}
