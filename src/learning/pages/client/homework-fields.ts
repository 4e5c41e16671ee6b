import { texts } from '#foundation/web/client/language.ts'
import type { Homework } from '../api-types.ts'
import { field, select, tick } from './form.ts'
import { html } from './html.ts'
import { markdownField } from './markdown-field.ts'
import { isTicked, localMoment, momentIn, numberIn, textIn } from './read.ts'
import { rowList } from './rows.ts'
import { weightField } from './weight-field.ts'
import { WORK_TEXTS } from './work-texts.ts'

const t = texts(WORK_TEXTS)

type Criterion = { id?: string; criterion: string; max_points: number | null }

const LATE = [
  ['accept', t('late_accept')],
  ['penalize', t('late_penalize')],
  ['reject', t('late_reject')],
] as const
const TYPES = [
  ['text', t('type_text')],
  ['url', t('type_url')],
  ['file', t('type_file')],
] as const

/** The form of one homework, and its values in the form PUT takes. `prefix`: of the fields' names in errors. */
export function homeworkForm(homework: Homework, prefix: string) {
  const rubric = rowList<Criterion>({
    one: t('one_criterion'),
    path: `${prefix}rubric`,
    max: 20,
    isOrdered: true,
    values: homework.rubric,
    make: (criterion) => {
      const content = html`<div class="field-row is-tail">
        ${field({ name: 'criterion', label: t('criterion'), control: html`<input required maxlength="200" dir="auto" value=${criterion?.criterion ?? ''} />` })}
        ${field({ name: 'max_points', label: t('points_label'), control: html`<input type="number" required min="0.01" max="1000" step="0.01" value=${criterion?.max_points ?? ''} />` })}
      </div>`
      return {
        content,
        read: () => ({
          ...(criterion?.id && { id: criterion.id }),
          criterion: textIn(content, 'criterion'),
          max_points: numberIn(content, 'max_points'),
        }),
      }
    },
  })
  const late = select(LATE, homework.late_policy)
  const penalty = html`<div class="field-row">
    ${field({ name: 'late_penalty_percent_per_day', label: t('less_each_day'), control: html`<input type="number" min="0" max="100" step="0.01" value=${homework.late_penalty_percent_per_day} />` })}
    ${field({ name: 'late_penalty_max_percent', label: t('at_most'), control: html`<input type="number" min="0" max="100" step="0.01" value=${homework.late_penalty_max_percent} />` })}
  </div>`
  const showPenalty = () => (penalty.hidden = late.value !== 'penalize')
  late.addEventListener('change', showPenalty)
  showPenalty()
  const types = homework.submission_types

  const element = html`<div class="fields">
    ${field({ name: 'title', label: t('title'), control: html`<input required maxlength="200" dir="auto" value=${homework.title} />` })}
    ${markdownField({ name: 'instructions', label: t('instructions'), value: homework.instructions, max: 20_000 })}
    <div class="field-row">
      ${field({
        name: 'status',
        label: t('state'),
        control: select(
          [
            ['published', t('published')],
            ['draft', t('draft')],
          ],
          homework.status,
        ),
      })}
      ${field({ name: 'max_score', label: t('points_label'), control: html`<input type="number" required min="0.01" max="1000" step="0.01" value=${homework.max_score} />` })}
      ${field({ name: 'max_submissions', label: t('hand_in_times'), hint: t('any_times'), control: html`<input type="number" required min="0" max="50" value=${homework.max_submissions} />` })}
    </div>
    ${weightField(homework.weight)}
    <div class="field-row">
      ${field({ name: 'due_at', label: t('due_at'), isOptional: true, control: html`<input type="datetime-local" value=${localMoment(homework.due_at)} />` })}
      ${field({ name: 'lock_at', label: t('lock_at'), isOptional: true, control: html`<input type="datetime-local" value=${localMoment(homework.lock_at)} />` })}
    </div>
    ${field({ name: 'late_policy', label: t('late'), control: late })} ${penalty}
    <fieldset class="field" data-field="submission_types">
      <legend class="label">${t('can_hand_in')}</legend>
      <div class="ticks">
        ${TYPES.map(([type, text]) => tick(`type_${type}`, text, types.includes(type)))}
      </div>
    </fieldset>
    <h3>${t('rubric')}</h3>
    ${rubric.element}
  </div>`

  const read = () => ({
    title: textIn(element, 'title'),
    instructions: textIn(element, 'instructions'),
    status: textIn(element, 'status') as Homework['status'],
    max_score: numberIn(element, 'max_score'),
    weight: numberIn(element, 'weight'),
    max_submissions: numberIn(element, 'max_submissions'),
    due_at: momentIn(element, 'due_at'),
    lock_at: momentIn(element, 'lock_at'),
    late_policy: late.value as Homework['late_policy'],
    late_penalty_percent_per_day: numberIn(element, 'late_penalty_percent_per_day'),
    late_penalty_max_percent: numberIn(element, 'late_penalty_max_percent'),
    submission_types: TYPES.map(([type]) => type).filter((type) => isTicked(element, `type_${type}`)),
    rubric: rubric.read(),
  })
  return { element, read }
}
