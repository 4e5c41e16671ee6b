import type { IncomingMessage, ServerResponse } from 'node:http'
import { refusalOf } from './error.ts'
import type { Caller, Lyceum } from './index.ts'
import { answer, requestOf } from './node.ts'

/** `ip` is what `trust proxy` makes of the connection. */
type Asked = IncomingMessage & { originalUrl?: string; body?: unknown; ip?: string | undefined }
type Next = (error?: unknown) => void
type Handler = (request: Asked, response: ServerResponse, next: Next) => Promise<void>

const callers = new WeakMap<IncomingMessage, Caller>()

/** Express 5: lets in whoever has a good token or session, and answers 401 to all others. */
export const requireUser =
  (lyceum: Lyceum): Handler =>
  async (request, response, next) => {
    try {
      const { cookies, ...caller } = await lyceum.authenticate(request.headers, request)
      callers.set(request, caller)
      for (const cookie of cookies) response.appendHeader('Set-Cookie', cookie)
    } catch (error) {
      const { status, headers, body, cookies } = refusalOf(error)
      const given = new Headers({ ...headers, 'Content-Type': 'application/json' })
      for (const cookie of cookies) given.append('Set-Cookie', cookie)
      return answer(response, new Response(JSON.stringify(body), { status, headers: given }))
    }
    next()
  }

/** Who was let in. */
export function callerOf(request: IncomingMessage): Caller {
  const caller = callers.get(request)
  if (caller === undefined) throw new TypeError('requireUser did not run before')
  return caller
}

/** Express 5: signing in and out and webhooks. Before anything that reads bodies, which webhooks need as they came. */
export const lyceumRoutes =
  (lyceum: Lyceum): Handler =>
  async (request, response, next) => {
    const [path = ''] = (request.originalUrl ?? request.url ?? '').split('?')
    if (!lyceum.paths.includes(path)) return next()
    if (request.body !== undefined)
      throw new TypeError('lyceumRoutes stands behind something that has read the body')
    const reply = await lyceum.handle(requestOf(request), request)
    if (reply === undefined) return next()
    return answer(response, reply)
  }
