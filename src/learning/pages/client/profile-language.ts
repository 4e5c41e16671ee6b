import { language } from '#foundation/web/client/language.ts'
import { languageOf } from '#foundation/web/client/texts.ts'

const YEAR = 31_536_000

/**
 * True if the page is not in the language of the profile and loads again for it. Only the cookie's change loads again: a
 * browser that keeps no cookies, or a page that is not in its language in spite of it, stays as it is.
 */
export function loadsInLanguage(locale: string | null): boolean {
  const wanted = languageOf(locale, navigator.languages.join())
  if (wanted === language || keptLanguage() === wanted) return false
  const isSecure = location.protocol === 'https:' ? '; Secure' : ''
  document.cookie = `lyceum_language=${wanted}; Path=/; Max-Age=${YEAR}; SameSite=Lax${isSecure}`
  if (keptLanguage() !== wanted) return false
  location.reload()
  return true
}

/** The service reads this cookie (routes.ts), so that the page comes in its language. */
const keptLanguage = () => /(?:^|; )lyceum_language=([^;]*)/.exec(document.cookie)?.[1]
