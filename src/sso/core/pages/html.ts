const MARKUP = Symbol('markup')

/** Markup that is inserted unescaped. Only `html` creates it, so untrusted text can never be mistaken for it. */
export type Html = { readonly [MARKUP]: string }
type Part = Html | readonly Html[] | string | number | false | undefined

/**
 * Builds markup. Interpolated values are escaped as text unless `html` made them; false and undefined render nothing.
 * Attributes must be in double quotes.
 */
export const html = (strings: TemplateStringsArray, ...parts: Part[]): Html => ({
  [MARKUP]: strings.reduce((text, string, i) => text + markupOf(parts[i - 1]) + string),
})

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
