import { texts } from '#foundation/web/client/language.ts'
import type { QuestionType, StudentQuestion } from '../api-types.ts'
import { type Answer, choice, type Give, isRecord, matching, ordering, written } from './answers.ts'

const t = texts({
  en: { true: 'True', false: 'False' },
  de: { true: 'Wahr', false: 'Falsch' },
  es: { true: 'Verdadero', false: 'Falso' },
})

type Asked = { question: StudentQuestion; place: number; answer: Answer; give: Give }
const TRUTHS = [
  { id: 'true', text: t('true') },
  { id: 'false', text: t('false') },
]

/** The learner's input for each kind of question, filled with the earlier answer. */
export const ANSWER_INPUTS: Record<QuestionType, (asked: Asked) => HTMLElement> = {
  single_choice: ({ question, place, answer, give }) =>
    choice(question.options ?? [], place, 'radio', [answer], ([id]) => give(id)),
  multiple_choice: ({ question, place, answer, give }) =>
    choice(question.options ?? [], place, 'checkbox', Array.isArray(answer) ? answer : [], (ids) =>
      give(ids.length > 0 ? ids : undefined),
    ),
  true_false: ({ place, answer, give }) =>
    choice(TRUTHS, place, 'radio', [answer === undefined ? '' : answer ? 'true' : 'false'], ([id]) =>
      give(id === 'true'),
    ),
  short_answer: ({ place, answer, give }) =>
    written(place, answer, give, { maxlength: 1_000, mode: 'text', unit: null }),
  numeric: ({ question: { unit = null }, place, answer, give }) =>
    written(place, answer, give, { maxlength: 100, mode: 'decimal', unit }),
  matching: ({ question, place, answer, give }) =>
    matching(question, place, isRecord(answer) ? answer : {}, give),
  ordering: ({ question, place, answer, give }) =>
    ordering(question, place, Array.isArray(answer) ? answer : undefined, give),
}
