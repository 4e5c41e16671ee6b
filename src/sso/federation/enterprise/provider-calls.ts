import { isConnectionLoss, isTimeout } from '#foundation/database/database.ts'
import { ApiError, unprocessable } from '#foundation/errors.ts'
import { openOutbound, type OutboundReply } from '#foundation/outbound/outbound.ts'
import { startDeadline } from '#foundation/outbound/vetted-connect.ts'
import { REFUSALS } from '#foundation/outbound/vetting.ts'
import type { SsoParts } from '../../core/parts.ts'
import { outboundPolicies } from '../../events/webhooks/policy.ts'
import { createBreaker } from './breaker.ts'
import { ssoFailed, unreachable } from './faults.ts'
import { findKept, keepDocument } from './kept-documents.ts'

/** A sign-in must be answered within 5 s, including the time to write the response. */
const DEADLINE_MS = 4_500
/** Shorter than DEADLINE_MS, so that an unanswered call is known to have failed before the deadline. */
const CALL_MS = 4_000
const DOCUMENT_BYTES = 1_048_576
const ANSWER_BYTES = 131_072
/** Maximum age of cached metadata before it is fetched again (s). */
const FRESH_SECONDS = 300

export type Reached = { connection_id: string; environment: 'sandbox' | 'production' }
export type ProviderCalls = ReturnType<typeof openProviderCalls>
export type Line = ReturnType<ProviderCalls['to']>

/** The part of a fetch request that openid-client uses. */
type Asked = { method: string; headers: Record<string, string>; body?: unknown }

/**
 * Calls to identity providers: vetted addresses, one deadline, bounded responses, a circuit breaker, documents cached
 * for a day.
 */
export function openProviderCalls(parts: Pick<SsoParts, 'config' | 'ownPorts' | 'database'>) {
  const { database } = parts
  const outbound = openOutbound()
  const policyFor = outboundPolicies(parts)
  const breaker = createBreaker()

  /** `fromMemory: false` bypasses the cache. */
  function to({ connection_id, environment }: Reached, { fromMemory = true }: { fromMemory?: boolean } = {}) {
    let fault: unknown
    /** An error of our own database, which is not the provider's fault. */
    let broken: unknown
    const own = async <T>(work: PromiseLike<T>): Promise<T> => {
      try {
        return await work
      } catch (error) {
        broken = error
        throw error
      }
    }

    /** Undefined if there was no answer, or one with 5xx or 429. */
    async function send(url: string, { method, headers, body }: Asked, maxBodyBytes: number) {
      // One breaker per address, since one may fail while the others answer.
      const key = `${connection_id} ${url.split('?', 1)[0]}`
      if (!breaker.admits(key)) return absent('the breaker is open')
      const reply = await outbound.send({
        url,
        method: method === 'POST' ? 'POST' : 'GET',
        headers,
        ...(body !== undefined && body !== null && { body: textOf(body) }),
        policy: policyFor(environment),
        partition: connection_id,
        deadlineMs: CALL_MS,
        maxBodyBytes,
      })
      const answer = answerOf(reply)
      breaker.note(key, answer !== undefined)
      if (answer) return answer
      return absent(reply.ok ? `status ${reply.status} from ${url}` : `${reply.error} at ${url}`)
    }

    function absent(reason: string): undefined {
      fault = new Error(reason)
      return undefined
    }

    /**
     * A document at an address of the provider: from the cache while fresh, else from its source, else from the cache
     * again while the source is down. Only documents that pass `isUsable` are cached.
     */
    async function document(
      url: string,
      {
        fresh_seconds = FRESH_SECONDS,
        isUsable,
      }: { fresh_seconds?: number; isUsable: (body: string) => boolean | Promise<boolean> },
    ): Promise<{ status: number; type: string; body: string }> {
      const kept = fromMemory ? await own(findKept(database, connection_id, url, fresh_seconds)) : undefined
      const remembered = (body: string) => ({ status: 200, type: 'application/json', body })
      if (kept?.is_fresh) return remembered(kept.body)
      const headers = { accept: 'application/json, application/samlmetadata+xml, application/xml, text/xml' }
      const reply = await send(url, { method: 'GET', headers }, DOCUMENT_BYTES)
      if (!reply) {
        if (!kept) throw unreachable(fault)
        fault = undefined
        return remembered(kept.body)
      }
      const body = reply.body.toString('utf8')
      if (reply.status === 200 && (await isUsable(body)))
        await own(keepDocument(database, connection_id, url, body))
      return { status: reply.status, type: String(reply.headers['content-type'] ?? ''), body }
    }

    return {
      document,
      /** A fetch for openid-client. A GET without credentials reads a cached document. */
      async fetch(url: string, asked: Asked): Promise<Response> {
        if (
          asked.method === 'GET' &&
          !Object.keys(asked.headers).some((name) => /^authorization$/i.test(name))
        ) {
          const isKeys = !url.includes('/.well-known/openid-configuration')
          const { status, type, body } = await document(url, {
            ...(isKeys && { fresh_seconds: 0 }),
            isUsable: isJson,
          })
          return new Response(body, { status, headers: { 'content-type': type } })
        }
        const reply = await send(url, asked, ANSWER_BYTES)
        if (!reply) throw unreachable(fault)
        const type = String(reply.headers['content-type'] ?? '')
        return new Response(Uint8Array.from(reply.body), {
          status: reply.status,
          headers: { 'content-type': type },
        })
      },
      /**
       * Runs an exchange with the provider: 502 idp_unreachable if it did not answer, 401 sso_failed if its answer was
       * wrong, either within the deadline.
       */
      async talk<T>(work: () => Promise<T>): Promise<T> {
        const deadline = startDeadline(DEADLINE_MS)
        fault = undefined
        try {
          return await Promise.race([work(), deadline.passed])
        } catch (error) {
          if (broken !== undefined) throw broken
          if (isConnectionLoss(error) || isTimeout(error)) throw error
          if (deadline.signal.aborted || fault !== undefined) throw unreachable(fault ?? error)
          throw error instanceof ApiError ? error : ssoFailed(error)
        } finally {
          deadline.clear()
        }
      },
    }
  }

  return {
    to,
    /** 422 for an address that must not be called for this site. Every call vets its address again. */
    async vet(field: string, url: string, environment: Reached['environment']): Promise<void> {
      const vetted = await outbound.vet(url, policyFor(environment))
      if (!('refused' in vetted)) return
      const code =
        vetted.refused === 'scheme'
          ? 'https_required'
          : vetted.refused === 'address'
            ? 'address_refused'
            : 'invalid_url'
      throw unprocessable(field, code, REFUSALS[vetted.refused])
    },
    close: () => outbound.close(),
  }
}

const answerOf = (reply: OutboundReply) =>
  reply.ok && reply.isComplete && reply.status < 500 && reply.status !== 429 ? reply : undefined

const textOf = (body: unknown): string => {
  if (typeof body === 'string') return body
  if (body instanceof URLSearchParams) return body.toString()
  throw new TypeError('only text and forms are sent to identity providers')
}

export function isJson(text: string): boolean {
  try {
    return typeof JSON.parse(text) === 'object'
  } catch {
    return false
  }
}
