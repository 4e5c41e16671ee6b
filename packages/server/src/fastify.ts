import type { IncomingMessage } from 'node:http'
import { refusalOf } from './error.ts'
import type { Caller, Lyceum } from './index.ts'
import { requestOf } from './node.ts'

/** What we use of Fastify 5, by shape: the package depends on no framework. */
type Asked = {
  raw: IncomingMessage
  headers: IncomingMessage['headers']
  body: unknown
  method: string
  ip: string
}
type Reply = {
  code: (status: number) => Reply
  header: (name: string, value: string | string[]) => Reply
  send: (body?: unknown) => unknown
}
type Done = (error: null, body: Buffer) => void
type Routes = {
  removeAllContentTypeParsers: () => unknown
  addContentTypeParser: (
    type: string,
    options: { parseAs: 'buffer' },
    parse: (request: unknown, body: Buffer, done: Done) => void,
  ) => unknown
  route: (route: {
    method: string[]
    url: string
    handler: (request: Asked, reply: Reply) => Promise<unknown>
  }) => unknown
}
/** Of a function with several forms, such as Fastify has, only one could be compared. */
type App = { [_ in keyof Routes]: (...given: never[]) => unknown }

const callers = new WeakMap<object, Caller>()

/** Fastify 5, as `onRequest` or `preHandler`: lets in whoever has a good token or session, answers 401 to all others. */
export const requireUser = (lyceum: Lyceum) => async (request: Asked, reply: Reply) => {
  try {
    const { cookies, ...caller } = await lyceum.authenticate(request.headers, request)
    callers.set(request, caller)
    for (const cookie of cookies) reply.header('Set-Cookie', cookie)
    return undefined
  } catch (error) {
    const { status, headers, body, cookies } = refusalOf(error)
    for (const [name, value] of Object.entries(headers)) reply.header(name, value)
    for (const cookie of cookies) reply.header('Set-Cookie', cookie)
    return reply.code(status).send(body)
  }
}

/** Who was let in. */
export function callerOf(request: object): Caller {
  const caller = callers.get(request)
  if (caller === undefined) throw new TypeError('requireUser did not run before')
  return caller
}

/** Fastify 5, a plugin: signing in and out and webhooks. Its bodies stay as they came, those of others do not. */
export async function lyceumRoutes(instance: App, { lyceum }: { lyceum: Lyceum }): Promise<void> {
  const app = instance as Routes
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
  for (const url of lyceum.paths)
    app.route({
      method: ['GET', 'POST'],
      url,
      async handler(request, reply) {
        const body = request.body instanceof Uint8Array ? request.body : new Uint8Array()
        const answered = await lyceum.handle(requestOf(request.raw, body), request)
        if (answered === undefined) return reply.code(404).send()
        for (const [name, value] of answered.headers) if (name !== 'set-cookie') reply.header(name, value)
        for (const cookie of answered.headers.getSetCookie()) reply.header('Set-Cookie', cookie)
        return reply.code(answered.status).send(Buffer.from(await answered.arrayBuffer()))
      },
    })
}
