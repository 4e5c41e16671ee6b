import { type buildConnector, type Dispatcher, Pool } from 'undici'
import { clock } from '../clock.ts'
import { traceparentOf } from '../tracing/traceparent.ts'
import { beginSpan, currentTrace } from '../tracing/tracing.ts'
import { exchange } from './exchange.ts'
import {
  addressesOf,
  causeOf,
  startDeadline,
  vettedConnect,
  type OutboundEdges,
  type OutboundError,
} from './vetted-connect.ts'
import { hostOf, vetUrl, type OutboundPolicy, type Refusal } from './vetting.ts'

export type { OutboundEdges, OutboundError } from './vetted-connect.ts'
export { vetUrl, type OutboundPolicy, type Refusal } from './vetting.ts'

export type OutboundRequest = {
  url: string
  method: Dispatcher.HttpMethod
  headers: Record<string, string>
  body?: Buffer | string
  policy: OutboundPolicy
  /** The site on whose behalf the call is made: two sites never share a connection. */
  partition: string
  /** One deadline in ms for DNS, connect, TLS, request, response headers and body; 5,000 by default. */
  deadlineMs?: number
  /**
   * Maximum body size in bytes, 16,384 by default. The rest is not read: the socket is destroyed and the status is
   * kept.
   */
  maxBodyBytes?: number
}

/** A reply counts by its `status`. `isComplete` is false if the body was too long, late or cut off. */
export type OutboundReply =
  | {
      ok: true
      status: number
      headers: Dispatcher.ResponseData['headers']
      body: Buffer
      isComplete: boolean
      duration_ms: number
    }
  | { ok: false; error: OutboundError; duration_ms: number }

const DEADLINE_MS = 5_000
const MAX_BODY_BYTES = 16_384
const CONNECTIONS = 8
/** Long enough for a burst to share connections, short enough that the peer rarely closes one before its reuse. */
const IDLE_MS = 1_000

/** HTTP client for servers that we do not trust (ARCHITECTURE.md). One per process; `close` ends every connection. */
export function openOutbound(edges: OutboundEdges = {}) {
  const targets = new Map<string, { pool: Pool; inFlight: number; idle?: NodeJS.Timeout }>()

  const borrow = (origin: string, { policy, partition, deadlineMs = DEADLINE_MS }: OutboundRequest) => {
    // A connection vetted under one policy must not be reused under another.
    const key = JSON.stringify([partition, origin, deadlineMs, policy])
    const target = targets.get(key) ?? {
      pool: openPool(origin, vettedConnect(policy, deadlineMs, edges)),
      inFlight: 0,
    }
    targets.set(key, target)
    clearTimeout(target.idle)
    target.inFlight++
    const giveBack = () => {
      if (--target.inFlight > 0) return
      target.idle = setTimeout(() => {
        targets.delete(key)
        void target.pool.destroy()
      }, 2 * IDLE_MS).unref()
    }
    return { pool: target.pool, giveBack }
  }

  async function send(request: OutboundRequest): Promise<OutboundReply> {
    const started = clock.monotonic()
    const failed = (error: OutboundError) => ({ ok: false, error, duration_ms: since(started) }) as const
    const vetted = vetUrl(request.url, request.policy)
    if ('refused' in vetted) return failed(vetted.refused === 'address' ? 'blocked_address' : 'refused_url')
    const { pool, giveBack } = borrow(vetted.url.origin, request)
    const { deadlineMs = DEADLINE_MS, maxBodyBytes = MAX_BODY_BYTES } = request
    try {
      const answer = await exchange(
        pool,
        {
          path: vetted.url.pathname + vetted.url.search,
          method: request.method,
          headers: { 'accept-encoding': 'identity', ...request.headers },
          body: request.body ?? null,
        },
        { deadlineMs, maxBodyBytes },
      )
      return { ok: true, ...answer, duration_ms: since(started) }
    } catch (error) {
      return failed(causeOf(error))
    } finally {
      giveBack()
    }
  }

  return {
    /**
     * Sends one request without redirects or proxies. Faults of the other side are replies, not throws; see
     * OutboundError.
     */
    send: (request: OutboundRequest) => traceCall(request, send),

    /**
     * Vets a URL at registration, including the addresses of its host name. An unknown name passes, because partners
     * register before they go live and every send vets again.
     */
    async vet(text: string, policy: OutboundPolicy): Promise<{ url: URL } | { refused: Refusal }> {
      const vetted = vetUrl(text, policy)
      if ('refused' in vetted) return vetted
      const deadline = startDeadline(DEADLINE_MS)
      try {
        await Promise.race([addressesOf(hostOf(vetted.url), policy, edges), deadline.passed])
      } catch (error) {
        if (causeOf(error) === 'blocked_address') return { refused: 'address' }
      } finally {
        deadline.clear()
      }
      return vetted
    },

    async close() {
      const open = [...targets.values()]
      targets.clear()
      for (const { idle } of open) clearTimeout(idle)
      await Promise.all(open.map(({ pool }) => pool.destroy()))
    },
  }
}

/** While traces are on, a call is a span, and the other side learns the trace from its headers (W3C Trace Context). */
function traceCall(
  request: OutboundRequest,
  send: (request: OutboundRequest) => Promise<OutboundReply>,
): Promise<OutboundReply> {
  const { method, headers } = request
  const span = beginSpan({ name: method, kind: 'client', attributes: { 'http.request.method': method } })
  if (!span) return send(request)
  return span.run(async () => {
    const context = currentTrace()
    const traced = context && {
      traceparent: traceparentOf(context),
      ...(context.tracestate !== undefined && { tracestate: context.tracestate }),
    }
    const reply = await send({ ...request, headers: { ...headers, ...traced } })
    span.set(reply.ok ? { 'http.response.status_code': reply.status } : { 'error.type': reply.error })
    span.end(!reply.ok || reply.status >= 400)
    return reply
  })
}

/** undici's own timeouts are off: they restart in every phase, so a server that drips bytes would never hit one. */
const openPool = (origin: string, connect: buildConnector.connector) =>
  new Pool(origin, {
    connect,
    connections: CONNECTIONS,
    pipelining: 1,
    allowH2: false,
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: IDLE_MS,
    keepAliveMaxTimeout: IDLE_MS,
    maxHeaderSize: 16_384,
  })

const since = (started: number) => Math.round(clock.monotonic() - started)
