import { html, type nothing, type TemplateResult } from 'lit-html'
import { texts } from './page.ts'
import { toast } from './toast.ts'

const t = texts({
  en: { copy: 'Copy', copied: 'Copied.', close: 'Close' },
  de: { copy: 'Kopieren', copied: 'Kopiert.', close: 'Schließen' },
  es: { copy: 'Copiar', copied: 'Copiado.', close: 'Cerrar' },
})

/** A button that copies the text. */
export const copyButton = (text: string, label: string = t('copy')): TemplateResult =>
  html`<button
    type="button"
    class="second small"
    @click=${async () => {
      await navigator.clipboard.writeText(text)
      toast(t('copied'))
    }}
  >
    ${label}
  </button>`

/** A word about a state. The tone is a colour; the word says the same. */
export const badge = (text: string, tone: 'good' | 'warn' | 'bad' | 'none'): TemplateResult =>
  html`<span class="badge ${tone}">${text}</span>`

/** Names and values. */
export const facts = (all: readonly (readonly [name: string, value: TemplateResult | string | number])[]) =>
  html`<dl class="facts">
    ${all.map(
      ([name, value]) =>
        html`<div>
          <dt>${name}</dt>
          <dd dir="auto">${value}</dd>
        </div>`,
    )}
  </dl>`

/** JSON as text to read, indented; any other text as it is. */
export const jsonView = (text: string, label: string): TemplateResult =>
  html`<div class="code">
    ${copyButton(text)}
    <pre tabindex="0" role="region" aria-label=${label}><code>${indented(text)}</code></pre>
  </div>`

function indented(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}

let samples = 0

/** One sample in several languages, behind tabs that work by arrow keys: they are radio buttons. */
export function codeSample(
  label: string,
  languages: readonly { name: string; code: string }[],
): () => TemplateResult {
  const group = `sample-${++samples}`
  return () =>
    html`<fieldset class="sample">
      <legend>${label}</legend>
      ${languages.map(
        ({ name, code }, i) =>
          html`<input type="radio" name=${group} id="${group}-${i}" ?checked=${i === 0} /><label
              for="${group}-${i}"
              >${name}</label
            >
            <div class="code">
              ${copyButton(code)}
              <pre tabindex="0" role="region" aria-label=${`${label}: ${name}`}><code>${code}</code></pre>
            </div>`,
      )}
    </fieldset>`
}

/** Details at the right edge, over the page on narrow screens. `close` runs for its button and for Esc. */
export const detailPanel = (
  title: string,
  content: TemplateResult | typeof nothing,
  close: () => void,
): TemplateResult =>
  html`<aside
    class="panel"
    aria-labelledby="panel-title"
    tabindex="-1"
    @keydown=${(event: KeyboardEvent) => {
      if (event.key === 'Escape') close()
    }}
  >
    <div class="panel-head">
      <h2 id="panel-title" dir="auto">${title}</h2>
      <button type="button" class="quiet" @click=${close}>${t('close')}</button>
    </div>
    ${content}
  </aside>`
