import createFetchClient from 'openapi-fetch'
import { eachItem } from './each.ts'
import { readError } from './error.ts'
import type { Methods } from './methods.ts'
import { createRenewal, type RenewalOptions, type Send } from './renewal.ts'
import { REPEATABLE, type Service, type Services } from './repeatable.ts'
import { sendCall } from './send.ts'

export { LyceumError, type FieldError } from './error.ts'
export type { Lock } from './lock.ts'
export type { Methods } from './methods.ts'
export type { Service, Services } from './repeatable.ts'
export { memoryTokens, storedTokens, type Tokens, type TokenStore } from './tokens.ts'

const RETRIES = 3

/** The addresses of the services that are used. With `tokens` a client speaks for a person, without them for the site. */
export type ClientOptions = RenewalOptions & {
  learning?: string
  collections?: string
  /** How often a call is repeated at most: 3. */
  retries?: number
}

/** Has the services whose addresses were given. */
export type LyceumClient<Options> = {
  [S in Service as Options extends { [K in S]: string } ? S : never]: Methods<Services[S]>
} & {
  /** Renews now, and answers the new access token; undefined if the session is over. */
  renew: () => Promise<string | undefined>
}

/**
 * Calls of the three services, typed by their descriptions. Each throws LyceumError for whatever is not 2xx; `siteKey` is
 * for servers only.
 */
export function createClient<const Options extends ClientOptions>(options: Options): LyceumClient<Options> {
  // Called as a bare function, which browsers demand.
  const send: Send = options.fetch ?? ((request) => globalThis.fetch(request))
  const renewal = createRenewal({ ...options, fetch: send })
  const { retries = RETRIES } = options
  if (options.siteKey !== undefined && 'document' in globalThis)
    throw new TypeError('A site key belongs on a server: give `renew` instead')

  function serviceOf(service: Service, address: string) {
    const keyed = new WeakSet<Request>()
    // The other services take no site key, and its header would follow a redirect anywhere.
    const siteKey = service === 'sso' ? options.siteKey : undefined
    // `error` would say it better, but workers do not know it. An answer that leads elsewhere is thrown all the same.
    const redirect = service === 'sso' ? 'manual' : 'follow'
    const calls = createFetchClient<Record<string, never>>({
      baseUrl: address.replace(/\/$/, ''),
      redirect,
      fetch: (request) => sendCall(request, keyed.has(request), { siteKey, retries, send, renewal }),
    })
    calls.use({
      onRequest({ request, schemaPath, params }) {
        refuseDots(params.path)
        const isKeyed = (REPEATABLE[service] as readonly string[]).includes(schemaPath)
        if (request.method === 'POST' && isKeyed) keyed.add(request)
      },
      async onResponse({ response }) {
        if (!response.ok) throw await readError(response)
      },
    })
    const get = calls.GET as unknown as Parameters<typeof eachItem>[0]
    return { ...calls, each: (path: string, init?: object) => eachItem(get, path, init) }
  }

  const services = (['sso', 'learning', 'collections'] as const).flatMap((service) => {
    const address = options[service]
    return address === undefined ? [] : [[service, serviceOf(service, address)]]
  })
  return { ...Object.fromEntries(services), renew: () => renewal.renew() } as LyceumClient<Options>
}

/** An id of these is no name: the address would lead elsewhere. */
function refuseDots(ids: Record<string, unknown> = {}) {
  for (const [name, id] of Object.entries(ids))
    if (['', '.', '..'].includes(String(id))) throw new TypeError(`${name} cannot be "${String(id)}"`)
}
