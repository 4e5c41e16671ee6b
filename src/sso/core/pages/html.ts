const MARKUP = Symbol('markup')

/** Markup that may stand in a page as it is. Only `html` makes it, so text of a stranger can never pass for it. */
export type Html = { readonly [MARKUP]: string }
type Part = Html | readonly Html[] | string | number | false | undefined

/**
 * A piece of a page. Whatever is put in is text and is escaped, unless `html` made it; false and undefined are nothing.
 * Attributes must stand in double quotes.
 */
export const html = (strings: TemplateStringsArray, ...parts: Part[]): Html => ({
  [MARKUP]: strings.reduce((text, string, i) => text + markupOf(parts[i - 1]) + string),
})

/** The text of a finished page. */
export const textOf = (page: Html): string => page[MARKUP]

function markupOf(part: Part): string {
  if (part === false || part === undefined) return ''
  if (typeof part === 'string' || typeof part === 'number') return escaped(String(part))
  if (MARKUP in part) return part[MARKUP]
  return part.map((one) => one[MARKUP]).join('')
}

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}
const escaped = (text: string) => text.replaceAll(/[&<>"']/g, (char) => ENTITIES[char] ?? '')
