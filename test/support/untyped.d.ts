/** The parts of identity provider packages that tests use; the packages have no types. */
declare module 'oidc-provider' {
  import type { IncomingMessage, ServerResponse } from 'node:http'
  type Account = { accountId: string; claims: () => Promise<Record<string, unknown>> }
  export class Provider {
    constructor(issuer: string, configuration: object)
    callback(): (request: IncomingMessage, response: ServerResponse) => void
    interactionFinished(request: IncomingMessage, response: ServerResponse, result: object): Promise<void>
    on(event: string, listener: (...values: unknown[]) => void): void
    readonly Grant: new (of: { clientId: string; accountId: string }) => {
      addOIDCScope(scope: string): void
      save(): Promise<string>
    }
  }
  export type FindAccount = (context: unknown, id: string) => Promise<Account>
}

declare module 'samlp' {
  import type { Handler } from 'express'
  type Options = Record<string, unknown>
  const samlp: {
    auth(options: Options): Handler
    metadata(options: Options): Handler
    getSamlResponse(options: Options, user: object, done: (error: Error | null, xml?: string) => void): void
  }
  export default samlp
}
