/** The part of express that tests use; the package has no types. */
declare module 'express' {
  import type { IncomingMessage, Server, ServerResponse } from 'node:http'
  export type Request = IncomingMessage & { auth?: { payload: Record<string, unknown> } }
  export type Response = ServerResponse & { json(body: unknown): void; status(code: number): Response }
  export type NextFunction = (error?: unknown) => void
  export type Handler = (request: Request, response: Response, next: NextFunction) => void
  export type ErrorHandler = (
    error: { status?: number },
    request: Request,
    response: Response,
    next: NextFunction,
  ) => void
  export type App = {
    use(handler: Handler | ErrorHandler): App
    get(path: string, handler: Handler): App
    listen(port: number, host: string): Server
  }
  export default function express(): App
}
