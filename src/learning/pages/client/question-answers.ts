import { texts } from '#foundation/web/client/language.ts'
import type { QuestionBody } from '../api-types.ts'
import { field, select, tick, required } from './form.ts'
import { html } from './html.ts'
import type { Known, Part } from './question-part.ts'
import { isTicked, numberIn, textIn } from './read.ts'
import { rowList } from './rows.ts'
import { QUESTION_TEXTS } from './question-texts.ts'

const t = texts(QUESTION_TEXTS)

type Accepted = NonNullable<QuestionBody['accepted']>[number]

const weight = (accepted: Accepted | undefined) =>
  field({
    name: 'fraction',
    label: t('worth'),
    control: html`<input
      type="number"
      required
      min="0"
      max="100"
      step="any"
      value=${(accepted?.fraction ?? 1) * 100}
    />`,
  })
const fractionIn = (content: HTMLElement) =>
  Math.round((numberIn(content, 'fraction') ?? 100) * 100_000) / 10_000_000

/** The accepted texts. */
export function textPart(question: Known): Part {
  const rows = rowList<Accepted>({
    one: t('one_spelling'),
    path: 'accepted',
    min: 1,
    max: 50,
    addText: t('add_spelling'),
    values: question?.accepted ?? [{}],
    make: (accepted) => {
      const content = html`<div class="field-row is-tail">
        ${field({ name: 'text', label: t('accepted_answer'), control: required(html`<input maxlength="500" dir="auto" value=${accepted?.text ?? ''} />`) })}
        ${weight(accepted)}
      </div>`
      return { content, read: () => ({ text: textIn(content, 'text'), fraction: fractionIn(content) }) }
    },
  })
  const element = html`<div class="fields">
    <fieldset class="field" data-field="accepted">
      <legend class="label">${t('accepted_answers')}</legend>
      <p class="hint">${t('star')}</p>
      ${rows.element}
    </fieldset>
    <div class="ticks">
      ${tick('case_sensitive', t('capitals'), question?.case_sensitive ?? false)}
      ${tick('ignore_accents', t('accents'), question?.ignore_accents ?? false)}
    </div>
  </div>`
  return {
    element,
    read: () => ({
      accepted: rows.read(),
      case_sensitive: isTicked(element, 'case_sensitive'),
      ignore_accents: isTicked(element, 'ignore_accents'),
    }),
  }
}

/** The accepted numbers. They stay text, which keeps every digit. */
export function numberPart(question: Known): Part {
  const digits = (name: string, label: string, value: number | string | undefined, isNeeded = true) =>
    field({
      name,
      label,
      control: html`<input
        inputmode="decimal"
        maxlength="40"
        pattern="[+\\-]?[0-9.]+([eE][+\\-]?[0-9]+)?"
        required=${isNeeded}
        value=${value ?? ''}
      />`,
    })
  const rows = rowList<Accepted>({
    one: t('one_number'),
    path: 'accepted',
    min: 1,
    max: 50,
    addText: t('add_number'),
    values: question?.accepted ?? [{}],
    make: (accepted) => {
      const kind = select(
        [
          ['value', t('a_value')],
          ['range', t('a_range')],
        ],
        accepted?.min === undefined ? 'value' : 'range',
      )
      const near = html`<div class="field-row">
        ${digits('value', t('value'), accepted?.value)}
        ${digits('tolerance', t('tolerance'), accepted?.tolerance ?? 0)}
        ${field({
          name: 'tolerance_type',
          label: t('counted'),
          control: select(
            [
              ['absolute', t('absolute')],
              ['relative', t('relative')],
            ],
            accepted?.tolerance_type ?? 'absolute',
          ),
        })}
      </div>`
      const between = html`<div class="field-row">
        ${digits('min', t('from'), accepted?.min)} ${digits('max', t('to'), accepted?.max)}
      </div>`
      const show = () => {
        for (const [place, isShown] of [
          [near, kind.value === 'value'],
          [between, kind.value === 'range'],
        ] as const) {
          place.hidden = !isShown
          for (const input of place.querySelectorAll('input')) input.disabled = !isShown
        }
      }
      kind.addEventListener('change', show)
      show()
      const content = html`<div class="fields is-tight">
        <div class="field-row">
          ${field({ name: 'accepted_kind', label: t('accepted'), control: kind })} ${weight(accepted)}
        </div>
        ${near} ${between}
      </div>`
      const read = (): Accepted =>
        kind.value === 'range'
          ? { min: textIn(content, 'min'), max: textIn(content, 'max'), fraction: fractionIn(content) }
          : {
              value: textIn(content, 'value'),
              tolerance: textIn(content, 'tolerance') || '0',
              tolerance_type: textIn(content, 'tolerance_type') as 'absolute' | 'relative',
              fraction: fractionIn(content),
            }
      return { content, read }
    },
  })
  const unit = field({
    name: 'unit',
    label: t('unit'),
    isOptional: true,
    hint: t('unit_hint'),
    control: html`<input maxlength="40" value=${question?.unit ?? ''} />`,
  })
  return {
    element: html`<div class="fields">
      <fieldset class="field" data-field="accepted">
        <legend class="label">${t('accepted_numbers')}</legend>
        ${rows.element}
      </fieldset>
      ${unit}
    </div>`,
    read: () => ({ accepted: rows.read(), unit: textIn(unit, 'unit') || null }),
  }
}
