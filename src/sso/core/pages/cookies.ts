import { parseCookie, type SetCookie, stringifySetCookie } from 'cookie'
import { ACCESS_TOKEN_LIFE } from '#foundation/security/access-tokens.ts'
import type { Config } from '#foundation/settings/config.ts'
import { isSecure } from '#foundation/web/csrf.ts'
import { ENROL_SECONDS, PROVEN_SECONDS, REFRESH_SECONDS } from '../tokens/lifetimes.ts'

export type Cookie = 'access' | 'refresh' | 'known' | 'mfa' | 'enrol' | 'consent' | 'proof' | 'form' | 'idp'
export type Cookies = {
  read: (header: string | undefined, cookie: Cookie) => string | undefined
  /** Returns the value of one Set-Cookie header. */
  set: (cookie: Cookie, value: string) => string
  clear: (cookie: Cookie) => string
}

const FORM_COOKIES = ['__Host-sso_form', 'sso_form']
export const NONCE = /^[\w-]{22}$/

/**
 * The browser's nonce from the form cookie, if any. The rate limit needs it before anything else about the request is
 * known.
 */
export function browserOf(header: string | undefined): string | undefined {
  if (header === undefined) return undefined
  const cookies = parseCookie(header)
  const nonce = FORM_COOKIES.map((name) => cookies[name]).find((value) => value !== undefined)
  return nonce !== undefined && NONCE.test(nonce) ? nonce : undefined
}

/** A second factor must be given within five minutes (API document of /auth/mfa/verify). */
const MFA_SECONDS = 300
export const FORM_SECONDS = 43_200
/** Time for a sign-in at an identity provider. */
const IDP_SECONDS = 3_600

/**
 * The cookies of the pages; sibling services rely only on the name access_token. The refresh token is sent only to
 * /sign-in and below, never on cross-site requests. The prefixes (RFC 6265bis, 4.1.3) stop plain http from setting a
 * cookie of the same name. `address`: public URL of the sso.
 */
export function cookiesOf(address: string, { COOKIE_DOMAIN }: Pick<Config, 'COOKIE_DOMAIN'>): Cookies {
  const secure = isSecure(address)
  const own = (prefix: string, name: string) => (secure ? `${prefix}${name}` : name)
  const kinds: Record<Cookie, Omit<SetCookie, 'value'>> = {
    access: {
      name: 'access_token',
      path: '/',
      sameSite: 'lax',
      maxAge: ACCESS_TOKEN_LIFE,
      ...(COOKIE_DOMAIN !== undefined && { domain: COOKIE_DOMAIN }),
    },
    refresh: {
      name: own('__Secure-', 'sso_refresh'),
      path: '/sign-in',
      sameSite: 'strict',
      maxAge: REFRESH_SECONDS,
    },
    // Lax: it tells who is signed in on a cross-site visit, where `refresh` is not sent. It grants no access.
    known: {
      name: own('__Secure-', 'sso_known'),
      path: '/sign-in',
      sameSite: 'lax',
      maxAge: REFRESH_SECONDS,
    },
    mfa: {
      name: own('__Secure-', 'sso_mfa'),
      path: '/sign-in/mfa',
      sameSite: 'strict',
      maxAge: MFA_SECONDS,
    },
    proof: {
      name: own('__Secure-', 'sso_proof'),
      path: '/account/confirm',
      sameSite: 'strict',
      maxAge: MFA_SECONDS,
    },
    enrol: {
      name: own('__Secure-', 'sso_enrol'),
      path: '/sign-in/mfa/enrol',
      sameSite: 'strict',
      maxAge: ENROL_SECONDS,
    },
    consent: {
      name: own('__Secure-', 'sso_consent'),
      path: '/sign-in/consent',
      sameSite: 'strict',
      maxAge: PROVEN_SECONDS,
    },
    // Lax: it must be sent on the redirect back from the identity provider.
    idp: { name: own('__Secure-', 'sso_idp'), path: '/sso', sameSite: 'lax', maxAge: IDP_SECONDS },
    // Lax: it is sent when a visitor arrives from another site, so the forms in other tabs stay valid.
    form: { name: own('__Host-', 'sso_form'), path: '/', sameSite: 'lax', maxAge: FORM_SECONDS },
  }
  const put = (cookie: Cookie, change: { value: string; maxAge?: number }) =>
    stringifySetCookie({ httpOnly: true, secure, ...kinds[cookie], ...change })
  return {
    read: (header, cookie) => (header === undefined ? undefined : parseCookie(header)[kinds[cookie].name]),
    set: (cookie, value) => put(cookie, { value }),
    clear: (cookie) => put(cookie, { value: '', maxAge: 0 }),
  }
}
