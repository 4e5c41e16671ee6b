import { changesOf } from '#foundation/web/client/changes.ts'
import { texts } from '#foundation/web/client/language.ts'
import type { GradeBody, Homework } from '../api-types.ts'
import { send } from './api.ts'
import { DRAFT_TEXTS } from './draft-texts.ts'
import { act, field } from './form.ts'
import { moment } from './format.ts'
import { GRADING_TEXTS } from './grading-texts.ts'
import { html } from './html.ts'
import { keep, kept } from './kept.ts'
import { markdown } from './markdown.ts'
import { badge, meta } from './parts.ts'
import { addressOf, nameOf } from './person.ts'
import { area, numberIn, textIn } from './read.ts'
import { toast } from './toast.ts'

const t = texts(GRADING_TEXTS)
const drafts = texts(DRAFT_TEXTS)
type Work = NonNullable<Homework['submissions']>[number]
type Options = { next: boolean; user_id: string; graded: (saved: Work, andNext: boolean) => void }

/** A grade that is not saved yet, by the name of its field. `graded_at` is that of the grade it was written over. */
type HalfGrade = { graded_at: string | null; fields: Record<string, string> }

/** The form that grades one submission: the work, the rubric, points and feedback. */
export function gradeForm(homework: Homework, work: Work, { next, user_id, graded }: Options): HTMLElement {
  const { max_score, rubric } = homework
  const place = `grading.${user_id}.${work.id}`
  const score = html`<input
    type="number"
    required
    min="0"
    max=${max_score}
    step="0.01"
    inputmode="decimal"
    value=${work.score ?? ''}
  />` as HTMLInputElement
  const points = rubric.map(({ id, criterion, max_points }) => {
    const given = work.rubric_scores.find(({ rubric_id }) => rubric_id === id)
    return field({
      name: `rubric_${id}`,
      label: criterion,
      hint: t('of', { max: max_points }),
      control: html`<input
        type="number"
        min="0"
        max=${max_points}
        step="0.01"
        inputmode="decimal"
        value=${given?.points ?? ''}
        oninput=${() => addUp()}
      />`,
    })
  })
  const state = html`<span class="quiet-text" role="status"></span>`
  const saver = html`<button type="submit">${t(next ? 'save_next' : 'save')}</button>`
  const returner: HTMLElement = html`<button
    type="button"
    class="second"
    onclick=${() => save(returner, 'returned')}
  >
    ${t('return')}
  </button>`
  const form: HTMLFormElement = html`<form
    class="grading-form"
    onsubmit=${(event: Event) => {
      event.preventDefault()
      void save(saver, 'graded')
    }}
    onkeydown=${(event: KeyboardEvent) => {
      if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) form.requestSubmit()
    }}
  >
    ${
      rubric.length > 0 &&
      html`<fieldset class="rubric">
        <legend class="label">${t('rubric')}</legend>
        <div class="rubric-rows">${points}</div>
      </fieldset>`
    }
    ${field({ name: 'score', label: t('points_of', { max: max_score }), control: score })}
    ${field({ name: 'feedback', label: t('feedback'), isOptional: true, hint: t('feedback_hint'), control: area(work.feedback, 10_000) })}
    <div class="actions">${saver}${returner} ${state}</div>
  </form>` as HTMLFormElement
  /** A grade of an earlier submission is shown too; given to this one, it is sent whole. */
  const shown = read()
  keepHalf()

  function read() {
    const comments = new Map(work.rubric_scores.map(({ rubric_id, comment }) => [rubric_id, comment]))
    return {
      score: numberIn(form, 'score'),
      feedback: textIn(form, 'feedback'),
      rubric_scores: rubric.flatMap(({ id }) => {
        const given = numberIn(form, `rubric_${id}`)
        return given === null ? [] : [{ rubric_id: id, points: given, comment: comments.get(id) ?? '' }]
      }),
    } satisfies GradeBody
  }

  /** What is half written stays on this device, for each submission, until it is saved. */
  function keepHalf() {
    const half = kept<HalfGrade>(place)
    const controls = () => form.querySelectorAll<HTMLInputElement | HTMLTextAreaElement>('[name]')
    if (half && half.graded_at === work.graded_at) {
      for (const control of controls()) control.value = half.fields[control.name] ?? control.value
      state.textContent = drafts('on_device')
    }
    form.addEventListener('input', () => {
      const fields = Object.fromEntries(Array.from(controls(), ({ name, value }) => [name, value]))
      keep(place, { graded_at: work.graded_at, fields } satisfies HalfGrade)
      state.textContent = drafts('on_device')
    })
  }

  /** Sets the score to the sum of the rubric; the grader may overwrite it. */
  function addUp() {
    const given = rubric.map(({ id }) => numberIn(form, `rubric_${id}`))
    const sum = given.reduce<number>((all, one) => all + Math.round((one ?? 0) * 100), 0) / 100
    if (given.some((one) => one !== null)) score.value = String(Math.min(sum, max_score))
  }

  async function save(button: HTMLElement, status: 'graded' | 'returned') {
    const typed = read()
    const body: GradeBody = {
      status,
      ...(work.grade_matches_current_submission === false ? typed : changesOf(shown, typed)),
    }
    await act(
      button,
      async () => {
        const saved = await send<Work>('PUT', `/api/episodes/homework/submissions/${work.id}/grade`, body)
        toast(
          status === 'graded'
            ? t('graded', { count: saved.final_score ?? saved.score ?? 0 })
            : t('was_returned'),
        )
        keep(place, undefined)
        graded(saved, status === 'graded')
      },
      form,
    )
  }

  const words = (work.text ?? '').trim()
  return html`<article class="work">
    <header class="work-head">
      <h2 tabindex="-1" dir="auto">${nameOf(work)}</h2>
      ${addressOf(work)}
      ${meta(t('attempt', { number: work.attempt_number }), moment(work.submitted_at), work.is_late && badge(t('late'), 'warn'), work.penalty_percent > 0 && t('less', { percent: work.penalty_percent }))}
    </header>
    <div class="work-text">
      ${words && markdown(words)} ${work.url && html`<p>${out(work.url, work.url)}</p>`}
      ${
        work.attachments.length > 0 &&
        html`<ul class="work-files">
          ${work.attachments.map(({ url, name }) => html`<li>${out(url, name ?? url)}</li>`)}
        </ul>`
      }
      ${work.grade_matches_current_submission === false && html`<p class="note is-warn">${t('earlier')}</p>`}
    </div>
    ${form}
  </article>`
}

const out = (url: string, text: string) =>
  html`<a href=${url} target="_blank" rel="noopener noreferrer nofollow">${text}</a>`
