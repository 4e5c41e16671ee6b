import type { AuthorQuestion, QuestionBody, QuestionType } from '../api-types.ts'
import { field, select } from './form.ts'
import { html } from './html.ts'
import { numberPart, textPart } from './question-answers.ts'
import { choicePart, truePart } from './question-choices.ts'
import { orderPart, pairsPart } from './question-orders.ts'
import { type Known, type Part, required } from './question-part.ts'
import { area, numberIn, textIn } from './read.ts'

export const TYPES: readonly (readonly [type: QuestionType, text: string, hint: string])[] = [
  ['single_choice', 'One of several', 'Exactly one answer is right'],
  ['multiple_choice', 'Some of several', 'More than one may be right'],
  ['true_false', 'True or false', 'A statement to judge'],
  ['short_answer', 'Short answer', 'A word or two, compared with yours'],
  ['numeric', 'Number', 'A value with a tolerance, or a range'],
  ['matching', 'Pairs', 'What belongs to what'],
  ['ordering', 'Order', 'Steps to put in order'],
]

/** The words for a type. */
export const typeName = (type: QuestionType): string => TYPES.find(([one]) => one === type)?.[1] ?? type

/** The form of one question, and what it says as POST and PUT take it. */
export function questionForm(type: QuestionType, question: Known) {
  const part = partOf(type, question)
  const hasParts = !['single_choice', 'true_false', 'short_answer', 'numeric'].includes(type)
  const element = html`<div class="fields">
    ${field({ name: 'prompt', label: 'Question', control: required(area(question?.prompt ?? '', 10_000, 2)) })}
    ${part.element}
    <div class="field-row">
      ${field({ name: 'points', label: 'Points', control: html`<input type="number" required min="0.01" max="1000" step="0.01" value=${question?.points ?? 1} />` })}
      ${
        hasParts &&
        field({
          name: 'scoring',
          label: 'Partly right',
          control: select(
            [
              ['partial', 'earns a part'],
              ['all_or_nothing', 'earns nothing'],
            ],
            question?.scoring ?? 'partial',
          ),
        })
      }
    </div>
    ${field({ name: 'explanation', label: 'Explanation', isOptional: true, hint: 'Shown afterwards, where the test allows it', control: area(question?.explanation ?? '', 5_000, 2) })}
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

function partOf(type: QuestionType, question: Known): Part {
  switch (type) {
    case 'single_choice':
    case 'multiple_choice':
      return choicePart(type, question)
    case 'true_false':
      return truePart(question)
    case 'short_answer':
      return textPart(question)
    case 'numeric':
      return numberPart(question)
    case 'matching':
      return pairsPart(question)
    case 'ordering':
      return orderPart(question)
  }
}
