import type { QuestionBody } from '../api-types.ts'
import { field, select } from './form.ts'
import { html } from './html.ts'
import { type Known, type Part, required } from './question-part.ts'
import { numberIn, textIn } from './read.ts'
import { rowList } from './rows.ts'

type Option = NonNullable<QuestionBody['options']>[number]
let groups = 0

/** The options of a question, one or several of which are right. */
export function choicePart(type: 'single_choice' | 'multiple_choice', question: Known): Part {
  const group = `right-${(groups += 1)}`
  const kind = type === 'single_choice' ? 'radio' : 'checkbox'
  const isNew = question === undefined
  const starters: Option[] = [
    { text: '', correct: isNew && type === 'single_choice' },
    { text: '' },
    { text: '' },
  ]
  const rows = rowList<Option>({
    one: 'answer',
    path: 'options',
    min: 2,
    max: 20,
    values: question?.options ?? starters,
    make: (option) => {
      const mark = html`<input
        type=${kind}
        name=${group}
        checked=${option?.correct === true}
        aria-label="This answer is right"
      />` as HTMLInputElement
      const content = html`<div class="choice-line">
        ${mark}
        ${field({ name: 'text', label: 'Answer', control: required(html`<input maxlength="2000" dir="auto" value=${option?.text ?? ''} />`) })}
        <details class="more">
          <summary>Weight and feedback</summary>
          <div class="fields is-tight">
            ${field({ name: 'fraction', label: 'Weight', isOptional: true, hint: 'Of the points, in percent: 50, or −25 for a wrong one', control: html`<input type="number" min="-100" max="100" step="any" value=${typeof option?.fraction === 'number' ? option.fraction * 100 : ''} />` })}
            ${field({ name: 'feedback', label: 'Feedback to who chose it', isOptional: true, control: html`<input maxlength="2000" dir="auto" value=${option?.feedback ?? ''} />` })}
          </div>
        </details>
      </div>`
      return {
        content,
        read: () => {
          const weight = numberIn(content, 'fraction')
          return {
            ...(option?.id && { id: option.id }),
            text: textIn(content, 'text'),
            correct: mark.checked,
            fraction: weight === null ? null : Math.round(weight * 100_000) / 10_000_000,
            feedback: textIn(content, 'feedback') || null,
          }
        },
      }
    },
  })
  return {
    element: html`<fieldset class="field" data-field="options">
      <legend class="label">Answers</legend>
      <p class="hint">
        ${type === 'single_choice' ? 'Mark the one that is right.' : 'Mark all that are right.'}
      </p>
      ${rows.element}
    </fieldset>`,
    read: () => ({ options: rows.read() }),
  }
}

/** A true-or-false question. */
export function truePart(question: Known): Part {
  const control = select(
    [
      ['true', 'True'],
      ['false', 'False'],
    ],
    String(question?.correct ?? true),
  )
  return {
    element: field({ name: 'correct', label: 'The statement is', control }),
    read: () => ({ correct: control.value === 'true' }),
  }
}
