import { blocksOf } from '#foundation/web/client/markdown.ts'
import { formula } from './formula.ts'
import { type Child, html } from './html.ts'

/** A text of an author as the kit renders Markdown, with formulas. */
export function markdown(text: string, { language }: { language?: string } = {}): HTMLElement {
  const body = html`<div class="prose" dir="auto">${blocksOf(text, formula) as Child}</div>`
  if (language) body.setAttribute('lang', language)
  return body
}
