import type { FastifyRequest, RouteHandlerMethod, RouteOptions } from 'fastify'
import { waitingRoom } from '../waiting-room.ts'

/** Lists that one caller may have read at the same time. */
const AT_ONCE = 3
/** Milliseconds that a request waits for the caller's other lists. */
const WAIT_MS = 2_000

const rooms = new Map<string, ReturnType<typeof waitingRoom>>()

/** A list is a GET, or its HEAD, whose query has `page`. Its cost can depend on what the caller searches for. */
export const isList = ({ method, schema }: RouteOptions): boolean =>
  [method].flat().some((name) => name === 'GET' || name === 'HEAD') &&
  'page' in ((schema?.querystring as { properties?: object } | undefined)?.properties ?? {})

/**
 * The handler of a list, run for at most three requests of the same caller at once, so that nobody's slow searches hold
 * up other people. A turn ends with the handler, not with the connection: a client that hangs up does not stop the search.
 */
export const inTurn = (handler: RouteHandlerMethod): RouteHandlerMethod =>
  async function takeTurn(request, reply) {
    const caller = callerKey(request)
    const room = rooms.get(caller) ?? waitingRoom(AT_ONCE, WAIT_MS, 'Your other lists are still being read')
    rooms.set(caller, room)
    await room.enter()
    try {
      return (await handler.call(this, request, reply)) as unknown
    } finally {
      room.leave()
      if (room.isEmpty()) rooms.delete(caller)
    }
  }

const callerKey = ({ caller, site, clientIp }: FastifyRequest) => caller?.user_id ?? site?.site_id ?? clientIp
