import { html, nothing, type TemplateResult } from 'lit-html'
import { blocksOf } from '#foundation/web/client/markdown.ts'
import { texts } from '#foundation/web/client/page.ts'
import type { Item } from './api-types.ts'
import { textOf } from './fields.ts'
import { TEXTS } from './texts.ts'

const t = texts(TEXTS)

const prose = (text: string) => html`<div class="prose">${blocksOf(text)}</div>`

/** A field, and below it what is typed as readers see it, once somebody opens that. */
export function descriptionField({ id, description }: Item, update: () => void): TemplateResult {
  const isOpen = document.querySelector<HTMLDetailsElement>('.item-preview')?.open === true
  const field = document.querySelector<HTMLTextAreaElement>(`[data-item="${id}"]`)
  return html`<label
      >${t('description')}
      <textarea
        name="description"
        dir="auto"
        rows="4"
        maxlength="5000"
        aria-describedby="item-markdown"
        data-item=${id}
        .value=${textOf(description)}
        @input=${update}
      ></textarea>
    </label>
    <p id="item-markdown" class="quiet-text">${t('markdown')}</p>
    <details class="item-preview" @toggle=${update}>
      <summary>${t('preview')}</summary>
      ${isOpen ? prose(field?.value ?? textOf(description)) : nothing}
    </details>`
}

/** The text as its author meant it. */
export const descriptionText = ({ description }: Item): TemplateResult | typeof nothing =>
  description
    ? html`<div class="item-text">
        <h3>${t('description')}</h3>
        ${prose(description)}
      </div>`
    : nothing
