import { html as htmlOf, nothing, render, svg as svgOf, type TemplateResult } from 'lit-html'

/**
 * A child of an element: text, elements, templates of the kit or lists of them. null, undefined and booleans render
 * nothing.
 */
export type Child =
  | Node
  | TemplateResult<1 | 2>
  | string
  | number
  | boolean
  | null
  | undefined
  | readonly Child[]
/** The value of a whole attribute. `on…` takes a listener; false, null and undefined omit the attribute. */
type Value = Child | ((event: never) => unknown)

const SAFE = new Set(['http:', 'https:', 'blob:', 'mailto:'])
const ADDRESSES = new Set(['href', 'src', 'action', 'poster', 'formaction'])
/** An attribute that a string ends in: with an open quote, or right after `=`. */
const OPEN_ATTRIBUTE = /\s([\w:-]+)=("[^"]*|)$/

/** Creates one element: html`<p class=${name}>${text}</p>`. An attribute is one hole, or quoted text with holes. */
export const html = (strings: TemplateStringsArray, ...values: Value[]): HTMLElement =>
  rootOf(strings, values, htmlOf) as HTMLElement

/** The same for an element inside an <svg>. */
export const svg = (strings: TemplateStringsArray, ...values: Value[]): SVGElement =>
  rootOf(strings, values, svgOf) as SVGElement

/** Replaces the children of an element. */
export function fillWith(element: Element, ...children: Child[]): void {
  element.replaceChildren(rendered(shown(children)))
}

function rootOf(strings: TemplateStringsArray, values: readonly Value[], tag: typeof htmlOf | typeof svgOf) {
  const { markup, places } = templateOf(strings)
  let taken = 0
  const given = places.map(({ name, parts }) => {
    const own = values.slice(taken, (taken += parts.length - 1))
    if (!name) return shown(own[0])
    if (parts.every((part) => part === '')) return attribute(name, own[0])
    return attribute(name, parts.map((part, i) => part + textOf(own[i])).join(''))
  })
  const [root, more] = rendered(tag(markup, ...given)).children
  if (!root || more) throw new Error(`html needs one element: ${strings[0] ?? ''}`)
  return root
}

function rendered(content: unknown): DocumentFragment {
  const fragment = document.createDocumentFragment()
  render(content, fragment)
  return fragment
}

/** A hole: a child, or an attribute with the texts around its holes. */
type Place = { name?: string; parts: string[] }
type Template = { markup: TemplateStringsArray; places: Place[] }
const templates = new WeakMap<TemplateStringsArray, Template>()

/** The strings for lit-html: an attribute is one hole without quotes, and a listener is written `@click`. */
function templateOf(strings: TemplateStringsArray): Template {
  const known = templates.get(strings)
  if (known) return known
  const [texts, places]: [string[], Place[]] = [[], []]
  let [isInTag, quoted]: [boolean, Place | undefined] = [false, undefined]
  strings.forEach((string, i) => {
    let text = string
    if (quoted) {
      const end = text.indexOf('"')
      quoted.parts.push(end < 0 ? text : text.slice(0, end))
      if (end < 0) return
      text = text.slice(end + 1)
      quoted = undefined
    }
    const [open, close] = [text.lastIndexOf('<'), text.lastIndexOf('>')]
    if (open !== close) isInTag = open > close
    const [whole = '', name = '', begun = ''] = (isInTag && OPEN_ATTRIBUTE.exec(text)) || []
    if (i === strings.length - 1) texts.push(text)
    else if (!whole) {
      texts.push(text)
      places.push({ parts: ['', ''] })
    } else {
      const put = name.startsWith('on') ? `@${name.slice(2)}` : name
      texts.push(`${text.slice(0, -whole.length)} ${put}=`)
      const place: Place = { name, parts: begun ? [begun.slice(1)] : ['', ''] }
      if (begun) quoted = place
      places.push(place)
    }
  })
  const made = { markup: Object.assign(texts, { raw: texts }), places }
  templates.set(strings, made)
  return made
}

function attribute(name: string, value: Value): unknown {
  if (name.startsWith('on') || value === null || value === undefined || value === false)
    return value || nothing
  const text = value === true ? '' : textOf(value)
  // The API refuses other URL schemes, but a page must not rely on that.
  return ADDRESSES.has(name) && !SAFE.has(protocolOf(text)) ? '#' : text
}

/** The protocol as the browser parses it, after it drops line breaks and control characters. */
const protocolOf = (address: string): string =>
  URL.canParse(address, location.href) ? new URL(address, location.href).protocol : ''

const textOf = (value: Value): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : ''

/** What lit-html shows as nothing: it would write booleans. */
function shown(value: Value): unknown {
  if (value === null || value === undefined || typeof value === 'boolean' || typeof value === 'function')
    return nothing
  return Array.isArray(value) ? value.map(shown) : value
}
