import { changesOf } from '#foundation/web/client/changes.ts'
import { texts } from '#foundation/web/client/language.ts'
import type { Test, TestChange } from '../api-types.ts'
import { send } from './api.ts'
import { formDialog } from './form-dialog.ts'
import { act, field, select, tick } from './form.ts'
import { day, duration } from './format.ts'
import { setTitle } from './heading.ts'
import { fillWith, html } from './html.ts'
import { markdownField } from './markdown-field.ts'
import { icon } from './icons.ts'

import { badge } from './parts.ts'
import { isTicked, localMoment, momentIn, numberIn, textIn } from './read.ts'
import { SETTING_TEXTS } from './setting-texts.ts'
import { toast } from './toast.ts'
import { weightField } from './weight-field.ts'
import { QUESTION_TEXTS } from './question-texts.ts'

const t = texts(QUESTION_TEXTS)
const settings = texts(SETTING_TEXTS)

const POLICIES = [
  ['best', t('best')],
  ['latest', t('latest')],
  ['average', t('average')],
  ['first', t('first')],
] as const
const FEEDBACK = [
  ['after_final', t('after_final')],
  ['per_question', t('per_question')],
  ['score', t('score')],
] as const

/**
 * The rules of a test in a few lines, with a dialog to change them. With `changed` they stand within a lesson, which
 * publishes the test and has a heading of its own.
 */
export function testSettings(
  first: Test,
  question_count: number,
  changed?: (exam: Test) => void,
): HTMLElement {
  let exam = first
  const place = html`<div class="settings"></div>`

  async function change(body: TestChange) {
    if (Object.keys(body).length === 0) return
    exam = await send<Test>('PUT', `/api/episodes/tests/${exam.id}`, body)
    if (changed) changed(exam)
    else setTitle(exam.title)
    show()
  }

  const edit = () => {
    const { element, read } = settingsForm(exam, changed === undefined)
    const before = read()
    const save = () => change(changesOf(before, read()))
    return formDialog(t('settings_of'), element, t('save'), save, { isWide: true })
  }

  function show() {
    const isDraft = exam.status === 'draft'
    const publisher: HTMLElement = html`<button
      type="button"
      class="wide"
      onclick=${() =>
        act(publisher, async () => {
          await change({ status: 'published' })
          toast(t('is_published'))
        })}
    >
      ${t('publish')}
    </button>`
    const { max_attempts, time_limit_seconds, opens_at, closes_at, passing_percent } = exam
    fillWith(
      place,
      html`<div class="section-head">
        <h2>${t('settings')}</h2>
        ${badge(t(isDraft ? 'draft' : 'published'), isDraft ? 'plain' : 'good')}
      </div>`,
      html`<ul class="settings-lines">
        <li>${max_attempts === 0 ? t('any_attempts') : t('attempts', { count: max_attempts })}</li>
        <li>
          ${time_limit_seconds === null ? t('no_limit') : t('for_each', { time: duration(time_limit_seconds) })}
        </li>
        <li>
          ${passing_percent === null ? t('passed_as_channel') : t('passed_from', { percent: passing_percent })}
        </li>
        <li>${POLICIES.find(([policy]) => policy === exam.score_policy)?.[1]}</li>
        ${opens_at && html`<li>${t('opens', { day: day(opens_at) })}</li>`}
        ${closes_at && html`<li>${t('closes', { day: day(closes_at) })}</li>`}
      </ul>`,
      html`<button type="button" class="second wide" onclick=${edit}>
        ${icon('edit')}${t('change_settings')}
      </button>`,
      !changed && isDraft && question_count > 0 && publisher,
    )
  }
  show()
  return place
}

function settingsForm(exam: Test, isAlone: boolean) {
  const minutes = exam.time_limit_seconds === null ? '' : exam.time_limit_seconds / 60
  const element = html`<div class="fields">
    ${field({ name: 'title', label: t('title'), control: html`<input required maxlength="200" dir="auto" value=${exam.title} />` })}
    ${markdownField({ name: 'description', label: t('read_first'), value: exam.description, max: 10_000, rows: 3 })}
    <div class="field-row">
      ${
        isAlone &&
        field({
          name: 'status',
          label: t('state'),
          control: select(
            [
              ['draft', t('draft')],
              ['published', t('published')],
            ],
            exam.status,
          ),
        })
      }
      ${field({ name: 'max_attempts', label: t('attempts_label'), hint: t('zero'), control: html`<input type="number" required min="0" max="100" value=${exam.max_attempts} />` })}
      ${field({ name: 'time_limit', label: t('minutes'), isOptional: true, hint: t('one_attempt'), control: html`<input type="number" min="0.5" max="1440" step="any" value=${minutes} />` })}
    </div>
    <div class="field-row">
      ${field({ name: 'retry_delay', label: t('hours'), hint: t('hours_hint'), control: html`<input type="number" min="0" max="720" step="any" value=${exam.retry_delay_seconds / 3_600} />` })}
      ${field({ name: 'passing_percent', label: t('pass_label'), isOptional: true, hint: t('pass_hint'), control: html`<input type="number" min="0" max="100" step="0.01" value=${exam.passing_percent ?? ''} />` })}
      ${field({ name: 'score_policy', label: t('counts'), control: select(POLICIES, exam.score_policy) })}
    </div>
    <div class="field-row">
      ${field({ name: 'opens_at', label: t('opens_label'), isOptional: true, control: html`<input type="datetime-local" value=${localMoment(exam.opens_at)} />` })}
      ${field({ name: 'closes_at', label: t('closes_label'), isOptional: true, control: html`<input type="datetime-local" value=${localMoment(exam.closes_at)} />` })}
    </div>
    ${weightField(exam.weight)}
    ${field({ name: 'feedback_policy', label: t('told'), control: select(FEEDBACK, exam.feedback_policy) })}
    <div class="ticks">
      ${tick('show_explanations', t('show_explanations'), exam.show_explanations)}
      ${tick('show_right_answers', settings('show_right_answers'), exam.show_right_answers)}
      ${tick('shuffle_questions', t('shuffle_questions'), exam.shuffle_questions)}
      ${tick('shuffle_options', t('shuffle_options'), exam.shuffle_options)}
    </div>
  </div>`
  const read = (): TestChange => {
    const limit = numberIn(element, 'time_limit')
    return {
      title: textIn(element, 'title'),
      description: textIn(element, 'description'),
      ...(isAlone && { status: textIn(element, 'status') as Test['status'] }),
      max_attempts: numberIn(element, 'max_attempts'),
      time_limit_seconds: limit === null ? null : Math.round(limit * 60),
      retry_delay_seconds: Math.round((numberIn(element, 'retry_delay') ?? 0) * 3_600),
      passing_percent: numberIn(element, 'passing_percent'),
      weight: numberIn(element, 'weight'),
      score_policy: textIn(element, 'score_policy') as Test['score_policy'],
      opens_at: momentIn(element, 'opens_at'),
      closes_at: momentIn(element, 'closes_at'),
      feedback_policy: textIn(element, 'feedback_policy') as Test['feedback_policy'],
      show_explanations: isTicked(element, 'show_explanations'),
      show_right_answers: isTicked(element, 'show_right_answers'),
      shuffle_questions: isTicked(element, 'shuffle_questions'),
      shuffle_options: isTicked(element, 'shuffle_options'),
    }
  }
  return { element, read }
}
