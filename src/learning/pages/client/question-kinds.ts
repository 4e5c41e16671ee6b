import { texts } from '#foundation/web/client/language.ts'
import type { QuestionType, StudentQuestion } from '../api-types.ts'
import { type Answer, choice, type Give, isRecord, matching, ordering, written } from './answers.ts'
import { numberPart, textPart } from './question-answers.ts'
import { choicePart, truePart } from './question-choices.ts'
import { orderPart, pairsPart } from './question-orders.ts'
import type { Known, Part } from './question-part.ts'
import { QUESTION_TEXTS } from './question-texts.ts'

const t = texts(QUESTION_TEXTS)

type Asked = { question: StudentQuestion; place: number; answer: Answer; give: Give }
type QuestionKind = {
  /** Whether answers can be partly right, so that the author sets partial credit. */
  hasParts: boolean
  /** The author's form. */
  formOf: (question: Known) => Part
  /** The learner's input, filled with the earlier answer. */
  answerOf: (asked: Asked) => HTMLElement
}

const TRUTHS = [
  { id: 'true', text: t('true') },
  { id: 'false', text: t('false') },
]

/** The forms and inputs of each kind of question. */
export const QUESTION_KINDS: Record<QuestionType, QuestionKind> = {
  single_choice: {
    hasParts: false,
    formOf: (question) => choicePart('single_choice', question),
    answerOf: ({ question, place, answer, give }) =>
      choice(question.options ?? [], place, 'radio', [answer], ([id]) => give(id)),
  },
  multiple_choice: {
    hasParts: true,
    formOf: (question) => choicePart('multiple_choice', question),
    answerOf: ({ question, place, answer, give }) =>
      choice(question.options ?? [], place, 'checkbox', Array.isArray(answer) ? answer : [], (ids) =>
        give(ids.length > 0 ? ids : undefined),
      ),
  },
  true_false: {
    hasParts: false,
    formOf: truePart,
    answerOf: ({ place, answer, give }) =>
      choice(TRUTHS, place, 'radio', [answer === undefined ? '' : answer ? 'true' : 'false'], ([id]) =>
        give(id === 'true'),
      ),
  },
  short_answer: {
    hasParts: false,
    formOf: textPart,
    answerOf: ({ place, answer, give }) =>
      written(place, answer, give, { maxlength: 1_000, mode: 'text', unit: null }),
  },
  numeric: {
    hasParts: false,
    formOf: numberPart,
    answerOf: ({ question: { unit = null }, place, answer, give }) =>
      written(place, answer, give, { maxlength: 100, mode: 'decimal', unit }),
  },
  matching: {
    hasParts: true,
    formOf: pairsPart,
    answerOf: ({ question, place, answer, give }) =>
      matching(question, place, isRecord(answer) ? answer : {}, give),
  },
  ordering: {
    hasParts: true,
    formOf: orderPart,
    answerOf: ({ question, place, answer, give }) =>
      ordering(question, place, Array.isArray(answer) ? answer : undefined, give),
  },
}
