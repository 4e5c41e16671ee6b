import type { IncomingHttpHeaders } from 'node:http'
import type { Config } from '#foundation/settings/config.ts'
import { isForeign } from '#foundation/web/csrf.ts'
import { forbidden } from '#foundation/errors.ts'
import type { Origin } from '../parts.ts'
import { type Cookie, cookiesOf } from './cookies.ts'
import { isFirstPartyOrigin } from './own-services.ts'
import type { FormTokens } from './form-token.ts'

/** One request of a browser, as the pages see it. */
export type Visit = {
  /** Public address of the sso, as the visitor calls it. */
  address: string
  from: Origin
  /** A cookie the browser sent. */
  kept(cookie: Cookie): string | undefined
  set(cookie: Cookie, value: string): string
  clear(cookie: Cookie): string
  /** What the next form carries, and the cookie it is tied to. */
  nextForm(about?: string): { form_token: string; cookie: string }
  /** 403 unless a form of ours was posted by the browser it was handed out to. */
  requireOwnForm(form_token: string, about?: string): void
  /** 403 unless a page of ours or of our own services sent this. */
  requireOwnSites(): void
  /** A page of another site led here. */
  isFromElsewhere: boolean
}

/** A page, or the address to go to. `returns_to` is where a form on the page may lead in the end. */
export type Answer = { cookies?: string[]; headers?: Record<string, string> } & (
  | { page: string; status?: number; returns_to?: string | undefined }
  | { location: string; status?: 303 | 307 }
)

type Call = { headers: IncomingHttpHeaders; address: string; from: Origin }

export function openVisit({ headers, address, from }: Call, config: Config, forms: FormTokens): Visit {
  const cookies = cookiesOf(address, config)
  const kept = (cookie: Cookie) => cookies.read(headers.cookie, cookie)
  return {
    address,
    from,
    kept,
    set: cookies.set,
    clear: cookies.clear,
    nextForm(about) {
      const { nonce, field } = forms.issue(kept('form'), about)
      return { form_token: field, cookie: cookies.set('form', nonce) }
    },
    requireOwnForm(form_token, about) {
      if (isForeign({ headers }, address) || !forms.isRight(kept('form'), form_token, about))
        throw forbidden('csrf', 'The form has waited too long, or your browser keeps no cookies from us')
    },
    requireOwnSites() {
      const { origin, 'sec-fetch-site': relation } = headers
      const isOurs =
        origin === undefined
          ? relation === 'same-origin' || relation === 'same-site'
          : URL.canParse(origin) && isFirstPartyOrigin(config, new URL(origin), address)
      if (relation === 'cross-site' || !isOurs) throw forbidden('csrf', 'Another site asked for this')
    },
    isFromElsewhere: headers['sec-fetch-site'] === 'cross-site',
  }
}

/** The same answer, with one more cookie. */
export const withCookie = (answer: Answer, cookie: string): Answer => ({
  ...answer,
  cookies: [...(answer.cookies ?? []), cookie],
})

/** An address with a query: what the page was asked for, as its links and forms carry it on. */
export function withQuery(page: string, query: Record<string, string | undefined>): string {
  const given = Object.entries(query).filter((one): one is [string, string] => one[1] !== undefined)
  return given.length === 0 ? page : `${page}?${new URLSearchParams(given).toString()}`
}
