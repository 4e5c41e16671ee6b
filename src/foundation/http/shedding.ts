import type { FastifyRequest } from 'fastify'
import { unavailable } from '../errors.ts'
import type { Metrics } from '../metrics.ts'
import { limitKey } from '../rate-limit/address-key.ts'
import type { Config } from '../settings/config.ts'
import { loopDelay } from '../threads/watchdog.ts'
import { busyPage, isVisitor } from '../web/lost-page.ts'

/** How many times more must be in progress before sign-in and health are refused as well. */
const LAST = 10
/** A share is computed again after this time (ms). */
const SHARE_MS = 100

export type Shedding = {
  /** Counts a request as in progress, or throws 503. */
  enter(request: FastifyRequest): void
  leave(request: FastifyRequest): void
}

/** The same for each refusal, because a stack trace would cost more than the answer. */
export const overloaded = unavailable('overloaded', 'The service has too much to do; try again in a moment')

/**
 * Refuses requests while too many are in progress and the event loop is late, first those of the clients that have most
 * in progress (docs/decisions/load-shedding.md).
 */
export function createShedding({ SHED_IN_FLIGHT, SHED_DELAY_MS }: Config, metrics: Metrics) {
  const shed = metrics.counters(
    'lyceum_requests_shed_total',
    'Requests answered 503 because the process had too much to do',
    'service',
  )
  /** Requests in progress by client. */
  const counts = new Map<string, number>()
  let inProgress = 0
  const shares = new Map<number, { share: number; until: number }>()

  function shareOf(limit: number, now: number): number {
    const known = shares.get(limit)
    if (known && now < known.until) return known.share
    const share = fairShare(counts.values(), limit)
    shares.set(limit, { share, until: now + SHARE_MS })
    return share
  }

  return (service: string): Shedding | undefined => {
    if (SHED_IN_FLIGHT === 0) return undefined
    shed.inc(service, 0)
    return {
      enter(request) {
        const client = limitKey(request.clientIp)
        const own = (counts.get(client) ?? 0) + 1
        if (inProgress >= SHED_IN_FLIGHT && loopDelay() > SHED_DELAY_MS) {
          const limit = isUrgent(request) ? SHED_IN_FLIGHT * LAST : SHED_IN_FLIGHT
          if (inProgress >= limit && own > shareOf(limit, request.startedAt)) {
            shed.inc(service)
            if (!request.policy.errorPage && isVisitor(request))
              request.policy = { ...request.policy, errorPage: (_error, _request, reply) => busyPage(reply) }
            throw overloaded
          }
        }
        inProgress++
        counts.set(client, own)
        request.countedFor = client
      },
      leave(request) {
        const client = request.countedFor
        if (client === undefined) return
        request.countedFor = undefined
        inProgress--
        const rest = (counts.get(client) ?? 1) - 1
        if (rest > 0) counts.set(client, rest)
        else counts.delete(client)
      },
    }
  }
}

/**
 * What each client may have in progress so that all together have at most `limit`: clients with less keep what they
 * have, the others get equal parts of the rest (max-min fairness). Less than 1 if there are more clients.
 */
export function fairShare(counts: Iterable<number>, limit: number): number {
  const sorted = [...counts].toSorted((a, b) => a - b)
  let left = limit
  for (const [place, count] of sorted.entries()) {
    const share = left / (sorted.length - place)
    if (count >= share) return share
    left -= count
  }
  return left
}

/** Sign-in has limits of its own. What no limit counts is health, metrics, keys, assets and signing out. */
const isUrgent = ({ policy }: FastifyRequest) =>
  policy.urgent === true ||
  policy.limit === 'auth' ||
  policy.limit === 'none' ||
  policy.limit === 'revoke' ||
  policy.errorPage !== undefined
