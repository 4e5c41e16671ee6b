import { texts } from '#foundation/web/client/language.ts'
import type { Homework, HomeworkDraft, HomeworkPage, NewSubmission, Submission } from '../api-types.ts'
import { get, newKey, refusal, send } from './api.ts'
import { attachmentField } from './attachment-field.ts'
import { openDraft, type Part } from './draft.ts'
import { act, field } from './form.ts'
import { deadline, number, when } from './format.ts'
import { setTitle, setTrail } from './heading.ts'
import { HOMEWORK_TEXTS } from './homework-texts.ts'
import { type Child, html } from './html.ts'
import { markdown } from './markdown.ts'
import { openPage } from './page.ts'
import { badge } from './parts.ts'
import { phrase } from './phrase.ts'
import { toast } from './toast.ts'

const t = texts(HOMEWORK_TEXTS)

let endDraft = () => {}

const reload = openPage(async ({ required, user }) => {
  const [id, episode] = [required('id'), required('episode')]
  const query = new URLSearchParams({ homework_id: id })
  const found = await get<HomeworkPage>(
    `/api/episodes/${encodeURIComponent(episode)}/homework?${query.toString()}`,
  )
  const homework = found.items.find((one) => one.id === id)
  if (!homework) throw refusal(404, 'There is no such homework')
  const draft = await draftOf(homework, user.id)
  setTitle(homework.title)
  setTrail({ href: `/episode?id=${episode}`, text: t('to_episode') })
  const { my_submission } = homework
  return html`<div class="with-side">
    <div class="stack">
      ${my_submission && my_submission.graded_at !== null && verdict(homework, my_submission)}
      <section aria-labelledby="task">
        <h2 id="task" class="unseen">${t('task')}</h2>
        ${homework.instructions ? markdown(homework.instructions) : html`<p class="quiet-text">${t('no_task')}</p>`}
      </section>
      ${homework.rubric.length > 0 && rubric(homework)} ${my_submission && handedIn(my_submission)}
      ${homework.submission_count === undefined ? handIn(homework, draft, user.id) : forTeachers(homework, episode)}
      ${homework.my_history.length > 1 && history(homework)}
    </div>
    <aside class="facts-first" aria-label=${t('about')}>${facts(homework, episode)}</aside>
  </div>`
})

function facts(homework: Homework, episode: string) {
  const {
    due_at,
    lock_at,
    max_score,
    late_policy,
    submissions_left,
    submission_types,
    submission_count,
    ungraded_count,
  } = homework
  const fact = (name: string, value: Child) =>
    value &&
    html`<div>
      <dt>${name}</dt>
      <dd>${value}</dd>
    </div>`
  return html`<dl class="facts">
    ${fact(t('due'), due_at ? deadline(due_at) : t('no_due'))}
    ${fact(t('closes'), lock_at && deadline(lock_at))}
    ${fact(t('if_late'), due_at && lateWords(homework, late_policy))} ${fact(t('points'), number(max_score))}
    ${fact(t('form'), submission_types.map((kind) => t(kind)).join(', '))}
    ${fact(t('left'), submissions_left !== null && t('times', { count: submissions_left }))}
    ${fact(t('received'), submission_count !== undefined && html`<a href="/grading?episode=${episode}">${t('ungraded', { all: submission_count, count: ungraded_count ?? 0 })}</a>`)}
  </dl>`
}

function lateWords(
  { late_penalty_percent_per_day: day, late_penalty_max_percent: most }: Homework,
  policy: Homework['late_policy'],
) {
  if (policy === 'reject') return t('not_taken')
  return policy === 'penalize' ? t('penalty', { day, most }) : t('taken')
}

function verdict(homework: Homework, submission: Submission) {
  const {
    final_score,
    score,
    penalty_percent,
    feedback,
    status,
    graded_at,
    rubric_scores,
    grade_matches_current_submission,
  } = submission
  const isReturned = status === 'returned'
  return html`<section class="verdict" aria-labelledby="verdict">
    <h2 id="verdict">${t(isReturned ? 'sent_back_to_you' : 'your_grade')}</h2>
    <p class="figure">
      ${final_score === null ? '–' : number(final_score)}<small>
        ${t('of', { max: homework.max_score })}</small
      >
    </p>
    ${penalty_percent > 0 && score !== null && html`<p class="quiet-text">${t('less', { points: score, percent: penalty_percent })}</p>`}
    ${isReturned && html`<p class="note is-warn">${t('revise')}</p>`}
    ${grade_matches_current_submission === false && html`<p class="note">${t('before')}</p>`}
    ${feedback && html`<div class="feedback">${markdown(feedback)}</div>`}
    ${
      rubric_scores.length > 0 &&
      html`<ul class="rows">
        ${rubric_scores.map(({ rubric_id, points, comment }) => {
          const criterion = homework.rubric.find(({ id }) => id === rubric_id)
          return html`<li class="line">
            <div>
              <p dir="auto">${criterion?.criterion ?? t('gone')}</p>
              ${comment && html`<p class="quiet-text" dir="auto">${comment}</p>`}
            </div>
            <strong class="mark"
              >${number(points)}${criterion && ` / ${number(criterion.max_points)}`}</strong
            >
          </li>`
        })}
      </ul>`
    }
    ${graded_at && html`<p class="quiet-text">${phrase(t, 'graded', { time: when(graded_at) })}</p>`}
  </section>`
}

const rubric = (homework: Homework) =>
  html`<section aria-labelledby="rubric">
    <h2 id="rubric">${t('rubric')}</h2>
    <ul class="rows">
      ${homework.rubric.map(
        ({ criterion, max_points }) =>
          html`<li class="line">
            <p dir="auto">${criterion}</p>
            <strong class="mark">${number(max_points)}</strong>
          </li>`,
      )}
    </ul>
  </section>`

/** The form to hand in work, or the reason why that is not possible. */
function handIn(homework: Homework, draft: WorkDraft | undefined, user_id: string): Child {
  const { lock_at, due_at, late_policy, submissions_left, my_submission } = homework
  const isOver = due_at !== null && new Date(due_at) < new Date()
  const end = late_policy === 'reject' ? due_at : lock_at
  if (end !== null && new Date(end) < new Date())
    return html`<p class="note">${phrase(t, 'closed', { time: when(end) })}</p>`
  if (submissions_left === 0 || !draft) return html`<p class="note">${t('used_up')}</p>`
  const asked = !my_submission || my_submission.status === 'returned'
  const late = isOver && html`<p class="note is-warn">${phrase(t, 'overdue', { time: when(due_at) })}</p>`
  if (!asked)
    return html`<details class="text-preview">
      <summary>${t('hand_in_new')}</summary>
      <div class="stack-small">${late} ${form(homework, draft, user_id)}</div>
    </details>`
  return html`<section aria-labelledby="hand-in">
    <h2 id="hand-in">${t(my_submission ? 'hand_in_new' : 'hand_in')}</h2>
    ${late} ${form(homework, draft, user_id)}
  </section>`
}

/** Who teaches here comes for the work of others. */
const forTeachers = ({ id, ungraded_count = 0 }: Homework, episode: string) =>
  html`<p class="actions">
    <a class="button" href="/grading?episode=${episode}&homework=${id}"
      >${ungraded_count > 0 ? t('grade_waiting', { count: ungraded_count }) : t('see_work')}</a
    >
  </p>`

type WorkDraft = Awaited<ReturnType<typeof draftOf>>
const FIELDS = ['text', 'url', 'attachments'] as const

/** The draft of the next submission, on the service and on this device. */
async function draftOf({ id, my_submission }: Homework, user_id: string) {
  endDraft()
  const path = `/api/episodes/homework/${id}/draft`
  const submissions = my_submission?.attempt_number ?? 0
  const partsOf = (told: HomeworkDraft): Record<string, Part<string>> =>
    told.submissions === submissions
      ? Object.fromEntries(FIELDS.flatMap((name) => (told[name] ? [[name, told[name]]] : [])))
      : {}
  const shown = { changed: (_name: string, _value: string) => {}, said: (_text: string) => {} }
  const draft = openDraft<string>({
    place: `work.${user_id}.${id}.${submissions}`,
    key: newKey(),
    read: async () => partsOf(await get<HomeworkDraft>(path)),
    write: async (changed) => partsOf(await send<HomeworkDraft>('PUT', path, { submissions, ...changed })),
    changed: (name, value) => shown.changed(name, value),
    said: (text) => shown.said(text),
  })
  endDraft = draft.stop
  await draft.settle()
  return { draft, shown }
}

function form({ id, submission_types }: Homework, { draft, shown }: WorkDraft, user_id: string) {
  const written = (name: (typeof FIELDS)[number]) => draft.parts[name]?.value ?? ''
  const takes = (kind: (typeof submission_types)[number]) => submission_types.includes(kind)
  const saved = html`<p class="quiet-text" role="status"></p>`
  const text = html`<textarea rows="8" maxlength="50000" dir="auto">
${written('text')}</textarea>` as HTMLTextAreaElement
  const url = html`<input
    type="url"
    maxlength="2048"
    value=${written('url')}
    placeholder="https://"
  />` as HTMLInputElement
  const files = attachmentField(id, {
    place: `files.${user_id}.${id}`,
    isOptional: takes('text') || takes('url'),
    links: written('attachments'),
  })
  const button = html`<button type="submit">${t('hand_in')}</button>`
  const own = html`<form class="form" novalidate>
    ${takes('text') && field({ name: 'text', label: t('answer'), control: text, hint: t('answer_hint') })}
    ${takes('url') && field({ name: 'url', label: t('link'), isOptional: takes('text'), control: url })}
    ${takes('file') && files.element}
    <div class="actions">${button} ${saved}</div>
  </form>`
  const controls = { text, url, attachments: files.links }
  for (const name of FIELDS)
    controls[name].addEventListener('input', () => draft.put(name, controls[name].value))
  shown.changed = (name, value) => {
    const control = FIELDS.find((one) => one === name)
    if (control) controls[control].value = value
  }
  shown.said = (said) => (saved.textContent = said)
  own.addEventListener('submit', (event) => {
    event.preventDefault()
    const attachments = takes('file') ? files.read() : []
    const body: NewSubmission = {
      client_id: draft.key,
      ...(takes('text') && { text: text.value }),
      ...(url.value.trim() && { url: url.value.trim() }),
      ...(attachments.length > 0 && { attachments }),
    }
    const work = async () => {
      await send('POST', `/api/episodes/homework/${id}/submit`, body)
      draft.end()
      files.forget()
      await reload()
      toast(t('handed_in'))
    }
    void act(button, work, own)
  })
  return own
}

const handedIn = ({ text, url, attachments, submitted_at, is_late, status }: Submission) =>
  html`<section aria-labelledby="handed-in">
    <div class="section-head">
      <h2 id="handed-in">${t('what')}</h2>
      <p class="actions">
        ${is_late && badge(t('late'), 'warn', 'clock')} ${status === 'submitted' && badge(t('waits'))}
        <span class="quiet-text">${when(submitted_at)}</span>
      </p>
    </div>
    ${text && html`<div class="sheet written" dir="auto">${text}</div>`}
    ${url && html`<p><a href=${url} rel="noopener nofollow">${url}</a></p>`}
    ${
      attachments.length > 0 &&
      html`<ul>
        ${attachments.map((one) => html`<li><a href=${one.url} rel="noopener nofollow">${one.name ?? one.url}</a></li>`)}
      </ul>`
    }
  </section>`

const history = ({ my_history, max_score }: Homework) =>
  html`<section aria-labelledby="history">
    <h2 id="history">${t('versions')}</h2>
    <ol class="rows">
      ${my_history.map(
        ({ attempt_number, submitted_at, final_score, status }) =>
          html`<li class="line">
            <div>
              <p>
                ${phrase(t, 'version', { number: attempt_number, time: html`<span class="quiet-text">${when(submitted_at)}</span>` })}
              </p>
            </div>
            ${status === 'returned' && badge(t('sent_back'), 'warn')}
            ${final_score !== null && html`<strong class="mark">${number(final_score)} / ${number(max_score)}</strong>`}
          </li>`,
      )}
    </ol>
  </section>`
