import type { QuestionBody } from '../api-types.ts'
import { field, select, tick } from './form.ts'
import { html } from './html.ts'
import { type Known, type Part, required } from './question-part.ts'
import { isTicked, numberIn, textIn } from './read.ts'
import { rowList } from './rows.ts'

type Accepted = NonNullable<QuestionBody['accepted']>[number]

const weight = (accepted: Accepted | undefined) =>
  field({
    name: 'fraction',
    label: 'Worth, %',
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
    one: 'spelling',
    path: 'accepted',
    min: 1,
    max: 50,
    addText: 'Add another spelling',
    values: question?.accepted ?? [{}],
    make: (accepted) => {
      const content = html`<div class="field-row is-tail">
        ${field({ name: 'text', label: 'Accepted answer', control: required(html`<input maxlength="500" dir="auto" value=${accepted?.text ?? ''} />`) })}
        ${weight(accepted)}
      </div>`
      return { content, read: () => ({ text: textIn(content, 'text'), fraction: fractionIn(content) }) }
    },
  })
  const element = html`<div class="fields">
    <fieldset class="field" data-field="accepted">
      <legend class="label">Accepted answers</legend>
      <p class="hint">
        A star stands for anything: “colo*r”. Spaces and capitals do not matter unless you say so.
      </p>
      ${rows.element}
    </fieldset>
    <div class="ticks">
      ${tick('case_sensitive', 'Capitals matter', question?.case_sensitive ?? false)}
      ${tick('ignore_accents', 'Accents do not matter', question?.ignore_accents ?? false)}
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
    one: 'number',
    path: 'accepted',
    min: 1,
    max: 50,
    addText: 'Add another number',
    values: question?.accepted ?? [{}],
    make: (accepted) => {
      const kind = select(
        [
          ['value', 'A value'],
          ['range', 'A range'],
        ],
        accepted?.min === undefined ? 'value' : 'range',
      )
      const near = html`<div class="field-row">
        ${digits('value', 'Value', accepted?.value)}
        ${digits('tolerance', 'May differ by', accepted?.tolerance ?? 0)}
        ${field({
          name: 'tolerance_type',
          label: 'Counted',
          control: select(
            [
              ['absolute', 'as a number'],
              ['relative', 'as a part of it'],
            ],
            accepted?.tolerance_type ?? 'absolute',
          ),
        })}
      </div>`
      const between = html`<div class="field-row">
        ${digits('min', 'From', accepted?.min)} ${digits('max', 'To', accepted?.max)}
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
          ${field({ name: 'accepted_kind', label: 'Accepted', control: kind })} ${weight(accepted)}
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
    label: 'Unit',
    isOptional: true,
    hint: 'May stand behind the number, need not',
    control: html`<input maxlength="40" value=${question?.unit ?? ''} />`,
  })
  return {
    element: html`<div class="fields">
      <fieldset class="field" data-field="accepted">
        <legend class="label">Accepted numbers</legend>
        ${rows.element}
      </fieldset>
      ${unit}
    </div>`,
    read: () => ({ accepted: rows.read(), unit: textIn(unit, 'unit') || null }),
  }
}
