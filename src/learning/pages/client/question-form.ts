import { texts } from '#foundation/web/client/language.ts'
import type { AuthorQuestion, QuestionBody, QuestionType } from '../api-types.ts'
import { field, select, required } from './form.ts'
import { html } from './html.ts'
import { markdownField } from './markdown-field.ts'
import { numberPart, textPart } from './question-answers.ts'
import { choicePart, truePart } from './question-choices.ts'
import { orderPart, pairsPart } from './question-orders.ts'
import type { Known, Part } from './question-part.ts'
import { area, numberIn, textIn } from './read.ts'
import { QUESTION_TEXTS } from './question-texts.ts'

const t = texts(QUESTION_TEXTS)

const FORMS: Record<QuestionType, (question: Known) => Part> = {
  single_choice: (question) => choicePart('single_choice', question),
  multiple_choice: (question) => choicePart('multiple_choice', question),
  true_false: truePart,
  short_answer: textPart,
  numeric: numberPart,
  matching: pairsPart,
  ordering: orderPart,
}
/** Answers that can be partly right, so that the author sets partial credit. */
const PARTLY: readonly QuestionType[] = ['multiple_choice', 'matching', 'ordering']

/** The form of one question, and its values in the form POST and PUT take. */
export function questionForm(type: QuestionType, question: Known) {
  const formOf = FORMS[type]
  const hasParts = PARTLY.includes(type)
  const part = formOf(question)
  const element = html`<div class="fields">
    ${field({ name: 'prompt', label: t('question'), control: required(area(question?.prompt ?? '', 10_000, 2)) })}
    ${part.element}
    <div class="field-row">
      ${field({ name: 'points', label: t('points_label'), control: html`<input type="number" required min="0.01" max="1000" step="0.01" value=${question?.points ?? 1} />` })}
      ${
        hasParts &&
        field({
          name: 'scoring',
          label: t('partly'),
          control: select(
            [
              ['partial', t('earns_part')],
              ['all_or_nothing', t('earns_nothing')],
            ],
            question?.scoring ?? 'partial',
          ),
        })
      }
    </div>
    ${markdownField({ name: 'explanation', label: t('explanation'), hint: t('explanation_hint'), value: question?.explanation ?? '', max: 5_000, rows: 2 })}
  </div>`
  const read = (): QuestionBody => ({
    type,
    prompt: textIn(element, 'prompt'),
    points: numberIn(element, 'points'),
    explanation: textIn(element, 'explanation'),
    ...(hasParts && { scoring: textIn(element, 'scoring') as AuthorQuestion['scoring'] }),
    ...part.read(),
  })
  return { element, read }
}
