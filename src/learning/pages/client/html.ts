/** A child of an element: text, elements or lists of them. null, undefined and booleans render nothing. */
export type Child = Node | string | number | boolean | null | undefined | readonly Child[]
/** The value of a whole attribute. `on…` takes a listener; false, null and undefined omit the attribute. */
type Value = Child | ((event: never) => unknown)

type Policy = { createHTML: (markup: string) => string }
const { trustedTypes } = globalThis as {
  trustedTypes?: { createPolicy: (name: string, rules: Policy) => Policy }
}
const asWritten: Policy = { createHTML: (markup) => markup }
/** Only markup from our source passes this policy. All other values are set as text or attributes. */
const policy = trustedTypes?.createPolicy('lyceum', asWritten) ?? asWritten

const MARK = 'hole-'
/** An attribute that the markup so far ends in: with an open quote, or right after `=`. */
const OPEN_ATTRIBUTE = /(\s)([\w:-]+)=("[^"]*|)$/
const SAFE = new Set(['http:', 'https:', 'blob:', 'mailto:'])
const ADDRESSES = new Set(['href', 'src', 'action', 'poster', 'formaction'])
/**
 * `names`: the attributes with holes. They get other names in the template, because svg rejects placeholder values.
 */
type Template = { content: DocumentFragment; names: string[] }
const templates = new WeakMap<TemplateStringsArray, Template>()

/** Creates one element: html`<p class=${name}>${text}</p>`. An attribute is one hole, or quoted text with holes. */
export function html(strings: TemplateStringsArray, ...values: Value[]): HTMLElement {
  const content = fill(
    templateOf(strings, (markup) => markup.trim()),
    values,
  )
  const [root, more] = content.children
  if (!root || more) throw new Error(`html needs one element: ${strings[0] ?? ''}`)
  return root as HTMLElement
}

/** The same for an element inside an <svg>. */
export function svg(strings: TemplateStringsArray, ...values: Value[]): SVGElement {
  const content = fill(
    templateOf(strings, (markup) => `<svg>${markup.trim()}</svg>`),
    values,
  )
  const root = content.firstElementChild?.firstElementChild
  if (!root) throw new Error(`svg needs one element: ${strings[0] ?? ''}`)
  return root as SVGElement
}

/** Replaces the children of an element. */
export function fillWith(element: Element, ...children: Child[]): void {
  element.replaceChildren(...nodesOf(children))
}

function templateOf(strings: TemplateStringsArray, wrap: (markup: string) => string): Template {
  const known = templates.get(strings)
  if (known) return known
  const names: string[] = []
  let markup = strings[0] ?? ''
  for (const [i, string] of strings.slice(1).entries()) {
    const inTag = markup.lastIndexOf('<') > markup.lastIndexOf('>')
    if (inTag)
      markup = markup.replace(OPEN_ATTRIBUTE, (whole, space: string, name: string, begun: string) =>
        name.startsWith(MARK) ? whole : `${space}${MARK}${names.push(name) - 1}=${begun}`,
      )
    markup += (inTag ? `${MARK}${i}-` : `<!--${MARK}${i}-->`) + string
  }
  const template = document.createElement('template')
  template.innerHTML = policy.createHTML(wrap(markup))
  const made = { content: template.content, names }
  templates.set(strings, made)
  return made
}

function fill({ content, names }: Template, values: readonly Value[]): DocumentFragment {
  const own = document.importNode(content, true)
  const nodes = document.createTreeWalker(own, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_COMMENT)
  const places: Comment[] = []
  for (let node = nodes.nextNode(); node; node = nodes.nextNode())
    if (node instanceof Element) {
      setAttributes(node, names, values)
      // The content of a textarea is text, so its holes are not comment nodes.
      if (node instanceof HTMLTextAreaElement)
        node.textContent = node.value.replaceAll(/<!--hole-(\d+)-->/g, (_, i) => textOf(values[Number(i)]))
    } else if ((node as Comment).data.startsWith(MARK)) places.push(node as Comment)
  for (const place of places)
    place.replaceWith(...nodesOf([values[Number(place.data.slice(MARK.length))] as Child]))
  return own
}

function setAttributes(element: Element, names: readonly string[], values: readonly Value[]) {
  for (const { name: waiting, value } of Array.from(element.attributes)) {
    if (!waiting.startsWith(MARK)) continue
    element.removeAttribute(waiting)
    const name = names[Number(waiting.slice(MARK.length))] ?? ''
    const whole = /^hole-(\d+)-$/.exec(value)
    const put = whole
      ? values[Number(whole[1])]
      : value.replaceAll(/hole-(\d+)-/g, (_, i) => textOf(values[Number(i)]))
    if (typeof put === 'function') element.addEventListener(name.slice(2), put as EventListener)
    else if (put === true) element.setAttribute(name, '')
    else if (put !== false && put !== null && put !== undefined) setText(element, name, textOf(put))
  }
}

function setText(element: Element, name: string, text: string) {
  // The API refuses other URL schemes, but a page must not rely on that.
  const isOdd = ADDRESSES.has(name) && !SAFE.has(protocolOf(text))
  element.setAttribute(name, isOdd ? '#' : text)
}

/** The protocol as the browser parses it, after it drops line breaks and control characters. */
const protocolOf = (address: string): string =>
  URL.canParse(address, location.href) ? new URL(address, location.href).protocol : ''

const textOf = (value: Value): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : ''

function nodesOf(children: readonly Child[]): (Node | string)[] {
  return children.flatMap((child): (Node | string)[] => {
    if (child === null || child === undefined || typeof child === 'boolean') return []
    if (child instanceof Node) return [child]
    if (typeof child === 'object') return nodesOf(child)
    return [String(child)]
  })
}
