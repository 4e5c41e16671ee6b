import { html, nothing } from 'lit-html'
import { isTable, tableOf } from './markdown-table.ts'

/** How a page shows TeX. Without it a formula stays as it was written. */
type Formula = (tex: string, isBlock?: boolean) => unknown

/**
 * Renders a small subset of Markdown as elements, never as markup: paragraphs, headings, lists, quotes, code, tables,
 * pictures, formulas ($…$ and $$…$$ in TeX), emphasis, http(s) links. Also reads reStructuredText links, because real
 * catalogues contain them. Each block has a language of its own.
 */
export const blocksOf = (text: string, formula?: Formula): unknown[] => blocks(text, { formula }, 0)

type Page = { formula: Formula | undefined }
/** The limit of nested quotes, because each level recurses. */
const MAX_DEPTH = 4

function blocks(text: string, page: Page, depth: number): unknown[] {
  const found: unknown[] = []
  const { formula } = page
  const words = (source: string) => inline(source, page)
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
      found.push(html`<pre><code>${take(/^(?!```)/).join('\n')}</code></pre>`)
      at += 1
    } else if (formula && line.startsWith('$$')) {
      const rest = line.slice(2)
      const isWhole = rest.trimEnd().endsWith('$$')
      at += 1
      const more = isWhole ? [] : take(/^(?!.*\$\$)/)
      const last = isWhole ? '' : (lines[at++] ?? '')
      const tex = [rest, ...more, last].join('\n').replace('$$', '')
      found.push(html`<p dir="auto">${formula(tex.trim(), true)}</p>`)
    } else if (isTable(line, lines[at + 1])) found.push(tableOf(take(/\|/), words))
    else if (/^#{1,6} /.test(line)) {
      at += 1
      const title = words(line.replace(/^#+ /, ''))
      // Page headings rank higher, whatever level the author starts at.
      found.push(
        line.startsWith('###') ? html`<h4 dir="auto">${title}</h4>` : html`<h3 dir="auto">${title}</h3>`,
      )
    } else if (line.startsWith('>') && depth < MAX_DEPTH)
      found.push(
        html`<blockquote>
          ${blocks(
            take(/^>/)
              .map((one) => one.replace(/^> ?/, ''))
              .join('\n'),
            page,
            depth + 1,
          )}
        </blockquote>`,
      )
    else if (/^\s*[-*+] /.test(line))
      found.push(
        html`<ul>
          ${take(/^\s*[-*+] /).map((one) => html`<li dir="auto">${words(one.replace(/^\s*[-*+] /, ''))}</li>`)}
        </ul>`,
      )
    else if (/^\s*\d{1,9}[.)] /.test(line))
      found.push(
        html`<ol>
          ${take(/^\s*\d{1,9}[.)] /).map((one) => html`<li dir="auto">${words(one.replace(/^\s*\d+[.)] /, ''))}</li>`)}
        </ol>`,
      )
    else
      found.push(
        html`<p dir="auto">
          ${words([lines[at++] ?? '', ...take(/^(?!\s*$|```|#{1,6} |>|\s*[-*+] |\s*\d{1,9}[.)] )/)].join('\n'))}
        </p>`,
      )
  }
  return found
}

/** The characters that may start inline formatting. */
const BEGINNING = /[`*_[h!$]/g
/** The longest inline formatting, which bounds the cost to the text's length times this. */
const AHEAD = 2_600
/** Tried in order. Nothing nests except text inside emphasis. */
type Meaning = [pattern: RegExp, show: (first: string, second: string, page: Page) => unknown]
const MEANINGS: Meaning[] = [
  [/^``?([^`<\n]+) <(https?:\/\/[^\s<>`]+)>``?__?/, (words, url) => link(url, words)],
  [/^``?([^`]+)``?/, (code) => html`<code>${code}</code>`],
  // A formula begins and ends at a character, and no number follows: `$5 and $10` are prices.
  [/^\$([^\s$](?:[^$\n]*[^\s$])?)\$(?!\d)/, (tex, _, { formula }) => formula?.(tex) ?? `$${tex}$`],
  [/^!\[([^\]\n]*)\]\((https?:\/\/[^\s)]+|\/files\/[\w./-]+)\)/, (alt, url) => picture(url, alt)],
  [/^\*\*([^*]+)\*\*/, (strong) => html`<strong>${strong}</strong>`],
  [/^[*_]([^*_\n]+)[*_](?!\w)/, (emphasis) => html`<em>${emphasis}</em>`],
  [/^\[([^\]\n]+)\]\((https?:\/\/[^\s)]+)\)/, (words, url) => link(url, words)],
  [/^(https?:\/\/[^\s<>()]+[^\s<>().,;:!?'"])/, (url) => link(url, url)],
]

function inline(source: string, page: Page): unknown[] {
  const parts: unknown[] = []
  // Authors expect a line break where they press return.
  const words = (text: string) => text.split('\n').map((line, i) => [i > 0 ? html`<br />` : nothing, line])
  let [at, shown] = [0, 0]
  while (at < source.length) {
    BEGINNING.lastIndex = at
    const place = BEGINNING.exec(source)?.index
    if (place === undefined) break
    const found = meaningAt(source, place, page)
    at = found ? found.end : place + 1
    if (!found) continue
    parts.push(words(source.slice(shown, place)), found.child)
    shown = at
  }
  return [...parts, words(source.slice(shown))]
}

function meaningAt(source: string, place: number, page: Page): { child: unknown; end: number } | undefined {
  const ahead = source.slice(place, place + AHEAD)
  for (const [pattern, show] of MEANINGS) {
    const [whole, first = '', second = ''] = pattern.exec(ahead) ?? []
    if (whole !== undefined) return { child: show(first, second, page), end: place + whole.length }
  }
  return undefined
}

const picture = (url: string, alt: string) => html`<img src=${url} alt=${alt} loading="lazy" />`
const link = (url: string, text: string) => html`<a href=${url} rel="noopener nofollow">${text}</a>`
