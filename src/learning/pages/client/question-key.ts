import { texts } from '#foundation/web/client/language.ts'
import type { AuthorQuestion } from '../api-types.ts'
import { number } from './format.ts'
import { html } from './html.ts'
import { icon } from './icons.ts'
import { QUESTION_TEXTS } from './question-texts.ts'

const t = texts(QUESTION_TEXTS)

/** The right answers in short form. */
export function keyOf({
  options,
  correct,
  accepted,
  unit,
  pairs,
  distractors,
  items,
}: AuthorQuestion): HTMLElement {
  if (options)
    return html`<ul class="key">
      ${options.map(
        ({ text, correct: right, fraction }) =>
          html`<li class=${right ? 'is-right' : null} dir="auto">
            ${right ? icon('check') : html`<i class="key-dot"></i>`}<span
              >${text}${right && html`<span class="unseen">${t('right')}</span>`}
              ${fraction !== null && fraction !== (right ? 1 : 0) && html`<span class="quiet-text">${number(fraction * 100)} %</span>`}</span
            >
          </li>`,
      )}
    </ul>`
  if (pairs)
    return html`<ul class="key">
      ${pairs.map(({ left, right }) => html`<li dir="auto"><i class="key-dot"></i><span class="key-pair">${left}${icon('next')}${right}</span></li>`)}
      ${distractors && distractors.length > 0 && html`<li class="quiet-text"><i class="key-dot"></i>${t('beside', { texts: distractors.map(({ text }) => text).join(', ') })}</li>`}
    </ul>`
  if (items)
    return html`<ol class="key is-numbered">
      ${items.map(({ text }) => html`<li dir="auto">${text}</li>`)}
    </ol>`
  if (accepted)
    return html`<ul class="key">
      ${accepted.map(
        ({ text, value, tolerance, tolerance_type, min, max, fraction }) =>
          html`<li class="is-right" dir="auto">
            ${icon('check')}<span>
              ${text ?? (value === undefined ? t('range', { min: String(min), max: String(max) }) : `${value}`)}${unit && ` ${unit}`}
              ${value !== undefined && Number(tolerance ?? 0) !== 0 && html`<span class="quiet-text">± ${tolerance}${tolerance_type === 'relative' && t('of_it')}</span>`}
              ${fraction !== 1 && html`<span class="quiet-text">${number(fraction * 100)} %</span>`}</span
            >
          </li>`,
      )}
    </ul>`
  return html`<ul class="key">
    <li class="is-right">${icon('check')}<span>${t(correct ? 'true' : 'false')}</span></li>
  </ul>`
}
