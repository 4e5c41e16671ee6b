import { refusalOf } from './error.ts'
import type { Caller, Lyceum } from './index.ts'

/** The address of the visitor, which each platform says in a way of its own. */
type IpOf = (request: Request) => string | undefined
const none: IpOf = () => undefined

/** Made at the first request, because a build of Next runs the modules of routes too. */
type Made = Lyceum | (() => Lyceum)
const madeBy = (made: Made): Lyceum => (typeof made === 'function' ? made() : made)

type Handler<C> = (request: Request, context: C) => Response | Promise<Response>

/** A route handler of Next that is told who calls: `export const GET = withUser(lyceum, (request, { user }) => …)`. */
export const withUser =
  <C extends object>(made: Made, handler: Handler<C & Caller>, ipOf: IpOf = none) =>
  async (request: Request, context: C): Promise<Response> => {
    let found
    try {
      found = await madeBy(made).authenticate(request.headers, { method: request.method, ip: ipOf(request) })
    } catch (error) {
      const { status, headers, body, cookies } = refusalOf(error)
      return withCookies(Response.json(body, { status, headers }), cookies)
    }
    const { cookies, ...caller } = found
    return withCookies(await handler(request, { ...context, ...caller }), cookies)
  }

/** For `app/auth/[name]/route.js`: `export const { GET, POST } = lyceumRoutes(lyceum)`. */
export function lyceumRoutes(made: Made, ipOf: IpOf = none) {
  const handle = async (request: Request): Promise<Response> =>
    (await madeBy(made).handle(request, { ip: ipOf(request) })) ?? new Response(null, { status: 404 })
  return { GET: handle, POST: handle }
}

/** A copy, because the headers of a redirect cannot be changed. */
function withCookies(answer: Response, cookies: readonly string[]): Response {
  if (cookies.length === 0) return answer
  const headers = new Headers(answer.headers)
  for (const cookie of cookies) headers.append('Set-Cookie', cookie)
  return new Response(answer.body, { status: answer.status, statusText: answer.statusText, headers })
}
