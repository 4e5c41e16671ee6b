import type { IncomingHttpHeaders } from 'node:http'
import type { Config } from '#foundation/settings/config.ts'
import { isForeign } from '#foundation/web/csrf.ts'
import { forbidden } from '#foundation/errors.ts'
import { type Language, languageOf } from '#foundation/web/client/texts.ts'
import type { Origin } from '../parts.ts'
import { type Cookie, cookiesOf } from './cookies.ts'
import { isFirstPartyOrigin } from './own-services.ts'
import type { FormTokens } from './form-token.ts'
import type { Html } from './html.ts'

/** One browser request, as the pages see it. */
export type Visit = {
  /** Public URL of the sso, as the visitor calls it. */
  address: string
  from: Origin
  /** The language of who is signed in, by their profile, or what an OpenID client asked for. */
  locale?: string | null | undefined
  /** The language of the browser. */
  language: Language
  /** Returns the value of a cookie the browser sent. */
  kept(cookie: Cookie): string | undefined
  set(cookie: Cookie, value: string): string
  clear(cookie: Cookie): string
  /** The token for the next form, the Set-Cookie header it is bound to, and a challenge for a passkey on that page. */
  nextForm(about?: string): { form_token: string; cookie: string; challenge: () => string }
  /** 403 unless the form token was issued to this browser. */
  requireOwnForm(form_token: string, about?: string): void
  /** Until when a passkey may answer this challenge; undefined unless it was issued to this browser and is good. */
  endOfChallenge(challenge: string): Date | undefined
  /** 403 unless the request comes from a page of the sso or of our other services. */
  requireOwnSites(): void
  /** True when a page of another site led here. */
  isFromElsewhere: boolean
}

/**
 * A page, or a redirect. `returns_to`: where a form on the page may finally redirect to. `fetches`: its script asks us
 * for more.
 */
export type Answer = { cookies?: string[]; headers?: Record<string, string> } & (
  | { page: Html; status?: number; returns_to?: string | undefined; fetches?: boolean | undefined }
  | { location: string; status?: 303 | 307 }
)

type Call = { headers: IncomingHttpHeaders; address: string; from: Origin }

export function openVisit({ headers, address, from }: Call, config: Config, forms: FormTokens): Visit {
  const cookies = cookiesOf(address, config)
  const kept = (cookie: Cookie) => cookies.read(headers.cookie, cookie)
  return {
    address,
    from,
    language: languageOf(null, headers['accept-language']),
    kept,
    set: cookies.set,
    clear: cookies.clear,
    nextForm(about) {
      const { nonce, field } = forms.issue(kept('form'), about)
      return {
        form_token: field,
        cookie: cookies.set('form', nonce),
        challenge: () => forms.challenge(nonce),
      }
    },
    endOfChallenge: (challenge) => forms.endOf(kept('form'), challenge),
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

export const withCookie = (answer: Answer, cookie: string): Answer => ({
  ...answer,
  cookies: [...(answer.cookies ?? []), cookie],
})

/** Adds the query parameters that links and forms must carry on. */
export function withQuery(page: string, query: Record<string, string | undefined>): string {
  const given = Object.entries(query).filter((one): one is [string, string] => one[1] !== undefined)
  return given.length === 0 ? page : `${page}?${new URLSearchParams(given).toString()}`
}
