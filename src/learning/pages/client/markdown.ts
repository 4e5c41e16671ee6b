import { type Child, html } from './html.ts'

/**
 * A small subset of Markdown as elements, never as markup: paragraphs, headings, lists, quotes, code, emphasis, links to
 * http(s). Links of reStructuredText are read too: real catalogues hold them.
 */
export function markdown(text: string, { language }: { language?: string } = {}): HTMLElement {
  const body = html`<div class="prose" dir="auto"></div>`
  if (language) body.setAttribute('lang', language)
  body.append(...blocksOf(text))
  return body
}

/** Quotes within quotes end somewhere: a stack does too. */
const MAX_DEPTH = 4

function blocksOf(text: string, depth = 0): HTMLElement[] {
  const blocks: HTMLElement[] = []
  const lines = text.replaceAll('\r\n', '\n').split('\n')
  let at = 0
  const take = (pattern: RegExp) => {
    const taken: string[] = []
    for (; at < lines.length && pattern.test(lines[at] ?? ''); at++) taken.push(lines[at] ?? '')
    return taken
  }
  while (at < lines.length) {
    const line = lines[at] ?? ''
    if (line.trim() === '') at += 1
    else if (line.startsWith('```')) {
      at += 1
      blocks.push(html`<pre><code>${take(/^(?!```)/).join('\n')}</code></pre>`)
      at += 1
    } else if (/^#{1,6} /.test(line)) {
      at += 1
      const words = inline(line.replace(/^#+ /, ''))
      // Below the headings of the page, whatever the author counted from.
      blocks.push(line.startsWith('###') ? html`<h4>${words}</h4>` : html`<h3>${words}</h3>`)
    } else if (line.startsWith('>') && depth < MAX_DEPTH)
      blocks.push(
        html`<blockquote>
          ${blocksOf(
            take(/^>/)
              .map((one) => one.replace(/^> ?/, ''))
              .join('\n'),
            depth + 1,
          )}
        </blockquote>`,
      )
    else if (/^\s*[-*+] /.test(line))
      blocks.push(
        html`<ul>
          ${take(/^\s*[-*+] /).map((one) => html`<li>${inline(one.replace(/^\s*[-*+] /, ''))}</li>`)}
        </ul>`,
      )
    else if (/^\s*\d{1,9}[.)] /.test(line))
      blocks.push(
        html`<ol>
          ${take(/^\s*\d{1,9}[.)] /).map((one) => html`<li>${inline(one.replace(/^\s*\d+[.)] /, ''))}</li>`)}
        </ol>`,
      )
    else
      blocks.push(
        html`<p>
          ${inline([lines[at++] ?? '', ...take(/^(?!\s*$|```|#{1,6} |>|\s*[-*+] |\s*\d{1,9}[.)] )/)].join('\n'))}
        </p>`,
      )
  }
  return blocks
}

/** Each alternative is linear; nothing nests but words inside emphasis. */
const INLINE =
  /``?([^`<\n]{1,500}) <(https?:\/\/[^\s<>`]{1,2000})>``?__?|``?([^`]{1,1000})``?|\*\*([^*]{1,1000})\*\*|[*_]([^*_\n]{1,500})[*_](?!\w)|\[([^\]\n]{1,500})\]\((https?:\/\/[^\s)]{1,2000})\)|(https?:\/\/[^\s<>()]{1,2000}[^\s<>().,;:!?'"])/g

function inline(source: string): Child[] {
  const parts: Child[] = []
  let at = 0
  // People press return where they want a line to end.
  const words = (text: string) => text.split('\n').map((line, i) => [i > 0 && html`<br />`, line])
  for (const found of source.matchAll(INLINE)) {
    const [whole, rst, rst_url, code, strong, emphasis, label, url, bare] = found
    parts.push(words(source.slice(at, found.index)))
    at = found.index + whole.length
    if (rst !== undefined && rst_url !== undefined) parts.push(link(rst_url, rst))
    else if (code !== undefined) parts.push(html`<code>${code}</code>`)
    else if (strong !== undefined) parts.push(html`<strong>${strong}</strong>`)
    else if (emphasis !== undefined) parts.push(html`<em>${emphasis}</em>`)
    else if (url !== undefined) parts.push(link(url, label ?? url))
    else parts.push(link(bare ?? '', bare ?? ''))
  }
  return [...parts, words(source.slice(at))]
}

const link = (url: string, text: string) => html`<a href=${url} rel="noopener nofollow">${text}</a>`
