import { refusalOf } from './error.ts'
import type { Caller, Lyceum } from './index.ts'

/** What we use of a Context of Hono 4, by shape: the package depends on no framework. */
type Context = {
  req: { raw: Request }
  header: (name: string, value: string, options?: { append?: boolean }) => void
  notFound: () => Response | Promise<Response>
}

/** The address of the visitor, which each platform says in a way of its own. */
type IpOf = (c: Context) => string | undefined
const none: IpOf = () => undefined

const callers = new WeakMap<Request, Caller>()

/** Hono: lets in whoever has a good token or session, and answers 401 to all others. */
export const requireUser =
  (lyceum: Lyceum, ipOf: IpOf = none) =>
  async (c: Context, next: () => Promise<void>) => {
    try {
      const { cookies, ...caller } = await lyceum.authenticate(c.req.raw.headers, {
        method: c.req.raw.method,
        ip: ipOf(c),
      })
      callers.set(c.req.raw, caller)
      for (const cookie of cookies) c.header('Set-Cookie', cookie, { append: true })
    } catch (error) {
      const { status, headers, body, cookies } = refusalOf(error)
      const given = new Headers(headers)
      for (const cookie of cookies) given.append('Set-Cookie', cookie)
      return Response.json(body, { status, headers: given })
    }
    await next()
    return undefined
  }

/** Who was let in. */
export function callerOf(c: { req: { raw: Request } }): Caller {
  const caller = callers.get(c.req.raw)
  if (caller === undefined) throw new TypeError('requireUser did not run before')
  return caller
}

/** Hono, for `app.all('/auth/*', …)`: signing in and out and webhooks. */
export const lyceumRoutes =
  (lyceum: Lyceum, ipOf: IpOf = none) =>
  async (c: Context) =>
    (await lyceum.handle(c.req.raw, { ip: ipOf(c) })) ?? c.notFound()
