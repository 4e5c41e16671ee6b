import { language } from '#foundation/web/client/language.ts'
import { languageOf } from '#foundation/web/client/texts.ts'

/** The service reads it (routes.ts), so that the page comes in this language. */
const COOKIE = 'lyceum_language'
const YEAR = 31_536_000

/**
 * True if the page is not in the language of the profile and loads again for it. Only the cookie's change loads again: a
 * browser that keeps no cookies, or a page that is not in its language in spite of it, stays as it is.
 */
export function loadsInLanguage(locale: string | null): boolean {
  const wanted = languageOf(locale, navigator.languages.join())
  if (wanted === language || keptLanguage() === wanted) return false
  const isSecure = location.protocol === 'https:' ? '; Secure' : ''
  document.cookie = `${COOKIE}=${wanted}; Path=/; Max-Age=${YEAR}; SameSite=Lax${isSecure}`
  if (keptLanguage() !== wanted) return false
  location.reload()
  return true
}

const keptLanguage = () => new RegExp(`(?:^|; )${COOKIE}=([^;]*)`).exec(document.cookie)?.[1]
