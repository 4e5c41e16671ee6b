import { texts } from '#foundation/web/client/language.ts'
import type { StudentQuestion } from '../api-types.ts'
import { html } from './html.ts'
import { icon } from './icons.ts'
import { TEST_TEXTS } from './test-texts.ts'

const t = texts(TEST_TEXTS)

/** An answer in API form; undefined means unanswered. */
export type Answer = string | string[] | boolean | Record<string, string> | undefined

export type Give = (answer: Answer) => void

export const isRecord = (answer: Answer): answer is Record<string, string> =>
  typeof answer === 'object' && !Array.isArray(answer)

export function choice(
  options: { id: string; text: string }[],
  place: number,
  type: 'radio' | 'checkbox',
  chosen: unknown[],
  choose: (ids: string[]) => void,
) {
  const own = html`<ul class="options">
    ${options.map(
      ({ id, text }, i) =>
        html`<li>
          <label class="option" dir="auto">
            <input
              type=${type}
              name="q-${place}"
              value=${id}
              checked=${chosen.includes(id)}
              aria-describedby="p-${place}"
            />
            <span>${text}</span>${i < 9 && html`<kbd aria-hidden="true">${i + 1}</kbd>`}
          </label>
        </li>`,
    )}
  </ul>`
  own.addEventListener('change', () =>
    choose(Array.from(own.querySelectorAll<HTMLInputElement>('input:checked'), ({ value }) => value)),
  )
  return own
}

export function written(
  place: number,
  answer: Answer,
  give: Give,
  { maxlength, mode, unit }: { maxlength: number; mode: string; unit: string | null },
) {
  const input = html`<input
    type="text"
    inputmode=${mode}
    maxlength=${maxlength}
    autocomplete="off"
    spellcheck="false"
    dir="auto"
    aria-label=${unit ? t('your_answer_in', { unit }) : t('your_answer')}
    aria-describedby="p-${place}"
    value=${typeof answer === 'string' ? answer : ''}
  />` as HTMLInputElement
  input.addEventListener('input', () => give(input.value.trim() === '' ? undefined : input.value))
  return html`<p class="written-answer">
    ${input}${unit && html`<span aria-hidden="true" dir="auto">${unit}</span>`}
  </p>`
}

export function matching(
  { lefts = [], rights = [] }: StudentQuestion,
  place: number,
  answer: Record<string, string>,
  give: Give,
) {
  const own = html`<ul class="pairs">
    ${lefts.map(
      ({ id, text }, i) =>
        html`<li>
          <label for="q-${place}-${i}" dir="auto">${text}</label>
          <select id="q-${place}-${i}" data-left=${id}>
            <option value="">${t('choose')}</option>
            ${rights.map((right) => html`<option dir="auto" value=${right.id} selected=${answer[id] === right.id}>${right.text}</option>`)}
          </select>
        </li>`,
    )}
  </ul>`
  own.addEventListener('change', () => {
    const pairs = Array.from(
      own.querySelectorAll('select'),
      ({ dataset, value }) => [dataset['left'] ?? '', value] as const,
    )
    const chosen = pairs.filter(([, right]) => right !== '')
    give(chosen.length > 0 ? Object.fromEntries(chosen) : undefined)
  })
  return own
}

/** An order changed with buttons. It counts as an answer only after the first move. */
export function ordering(
  { items = [] }: StudentQuestion,
  place: number,
  answer: string[] | undefined,
  give: Give,
) {
  const byId = new Map(items.map((item) => [item.id, item]))
  const order =
    answer?.every((id) => byId.has(id)) && answer.length === items.length ? answer : items.map(({ id }) => id)
  const own = html`<ol class="order" aria-describedby="p-${place}"></ol>`
  const rows = order.map((id) => {
    const text = byId.get(id)?.text ?? ''
    const row = html`<li data-id=${id} dir="auto">
      <span>${text}</span>
      <button type="button" class="icon-button" aria-label=${t('up', { text })}>${icon('up')}</button>
      <button type="button" class="icon-button" aria-label=${t('down', { text })}>${icon('down')}</button>
    </li>`
    const [up, down] = row.querySelectorAll('button')
    const move = (button: HTMLButtonElement, sibling: Element | null, where: 'before' | 'after') => {
      if (!sibling) return
      sibling[where](row)
      button.focus()
      give(Array.from(own.children, (child) => (child as HTMLElement).dataset['id'] ?? ''))
    }
    up?.addEventListener('click', () => move(up, row.previousElementSibling, 'before'))
    down?.addEventListener('click', () => move(down, row.nextElementSibling, 'after'))
    return row
  })
  own.append(...rows)
  return own
}
