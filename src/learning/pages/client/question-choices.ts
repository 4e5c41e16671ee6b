import { texts } from '#foundation/web/client/language.ts'
import type { QuestionBody } from '../api-types.ts'
import { field, select, required } from './form.ts'
import { html } from './html.ts'
import type { Known, Part } from './question-part.ts'
import { numberIn, textIn } from './read.ts'
import { rowList } from './rows.ts'
import { QUESTION_TEXTS } from './question-texts.ts'

const t = texts(QUESTION_TEXTS)

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
    one: t('one_answer'),
    path: 'options',
    min: 2,
    max: 20,
    values: question?.options ?? starters,
    make: (option) => {
      const mark = html`<input
        type=${kind}
        name=${group}
        checked=${option?.correct === true}
        aria-label=${t('is_right')}
      />` as HTMLInputElement
      const content = html`<div class="choice-line">
        ${mark}
        ${field({ name: 'text', label: t('answer'), control: required(html`<input maxlength="2000" dir="auto" value=${option?.text ?? ''} />`) })}
        <details class="more">
          <summary>${t('weight_feedback')}</summary>
          <div class="fields is-tight">
            ${field({ name: 'fraction', label: t('weight'), isOptional: true, hint: t('weight_hint'), control: html`<input type="number" min="-100" max="100" step="any" value=${typeof option?.fraction === 'number' ? option.fraction * 100 : ''} />` })}
            ${field({ name: 'feedback', label: t('feedback_to'), isOptional: true, control: html`<input maxlength="2000" dir="auto" value=${option?.feedback ?? ''} />` })}
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
      <legend class="label">${t('answers')}</legend>
      <p class="hint">${t(type === 'single_choice' ? 'mark_one' : 'mark_all')}</p>
      ${rows.element}
    </fieldset>`,
    read: () => ({ options: rows.read() }),
  }
}

/** A true-or-false question. */
export function truePart(question: Known): Part {
  const control = select(
    [
      ['true', t('true')],
      ['false', t('false')],
    ],
    String(question?.correct ?? true),
  )
  const spoken = (name: 'feedback_if_true' | 'feedback_if_false', answer: string) =>
    field({
      name,
      label: `${answer}: ${t('feedback_to')}`,
      isOptional: true,
      control: html`<input maxlength="2000" dir="auto" value=${question?.[name] ?? ''} />`,
    })
  const element = html`<div class="fields is-tight">
    ${field({ name: 'correct', label: t('statement'), control })} ${spoken('feedback_if_true', t('true'))}
    ${spoken('feedback_if_false', t('false'))}
  </div>`
  return {
    element,
    read: () => ({
      correct: control.value === 'true',
      feedback_if_true: textIn(element, 'feedback_if_true') || null,
      feedback_if_false: textIn(element, 'feedback_if_false') || null,
    }),
  }
}
