import { texts } from '#foundation/web/client/language.ts'
import type { Channel, Enrollment, Grade, Page } from '../api-types.ts'
import { gradeOf, type Mark, ratio } from '../arithmetic.ts'
import { all } from './all-pages.ts'
import { get } from './api.ts'
import { toCsv } from './csv.ts'
import { download } from './download.ts'
import { act } from './form.ts'
import { exactPercent, number } from './format.ts'
import { GRADES_TEXTS } from './grades-texts.ts'
import { type Child, html } from './html.ts'
import { icon } from './icons.ts'
import { openPage } from './page.ts'
import { badge } from './parts.ts'
import { empty } from './states.ts'
import { trendLine } from './trend-line.ts'

const t = texts(GRADES_TEXTS)
const TONES = {
  not_started: 'plain',
  in_progress: 'plain',
  pending_review: 'warn',
  passed: 'good',
  failed: 'bad',
} as const

openPage(async () => {
  const [grades, enrollments] = await Promise.all([allGrades(), all<Enrollment>('/api/enrollments')])
  if (grades.length === 0)
    return empty(t('none'), {
      text: t('to_channels'),
      href: '/learning',
    })
  const channels = [...new Set(grades.map(({ channel_id }) => channel_id))]
  const save = () => download('grades.csv', 'text/csv;charset=utf-8', csvOf(grades))
  return html`<div class="stack">
    <p><button type="button" class="second small" onclick=${save}>${icon('download')}${t('save')}</button></p>
    ${channels.map((id) =>
      ofChannel(
        grades.filter(({ channel_id }) => channel_id === id),
        enrollments.find(({ channel_id }) => channel_id === id),
      ),
    )}
  </div>`
})

/** Reads all pages of the grades. */
async function allGrades(): Promise<Grade[]> {
  const first = await get<Page<Grade>>('/api/grades?per_page=100')
  const others: Grade[] = []
  for (let page = 2; page <= first.pages; page++)
    others.push(...(await get<Page<Grade>>(`/api/grades?per_page=100&page=${page}`)).items)
  return [...first.items, ...others]
}

function ofChannel(grades: Grade[], enrollment: Enrollment | undefined): Child {
  const [first] = grades
  if (!first) return null
  const { channel_id, channel_title, passing_percent } = first
  return html`<section aria-labelledby="c-${channel_id}">
    <div class="section-head">
      <h2 id="c-${channel_id}">
        <a class="plain" dir="auto" href="/channel?id=${channel_id}">${channel_title}</a>
      </h2>
      <p class="quiet-text">${t('to_pass', { percent: passing_percent })}</p>
    </div>
    <p class="actions">
      <strong>${totalOf(grades, enrollment)}</strong>
      ${trendOf(grades)}
    </p>
    <ul class="rows grades">
      ${grades.map(row)}
    </ul>
  </section>`
}

/** Work without a grade does not count so far. What it will be worth is said only where nothing waits for a grade. */
function totalOf(grades: readonly Grade[], enrollment: Enrollment | undefined): string {
  const { grade_percent = null, final_percent = null } = enrollment ?? {}
  const percent = exactPercent(grade_percent)
  if (grade_percent === null) return t('total_none')
  if (grades.some(isWaiting)) return t('channel_waiting', { percent })
  if (grade_percent === final_percent) return t('channel_all', { percent })
  return t('channel_total', { percent, final: exactPercent(final_percent) })
}

const isWaiting = ({ homework }: Grade): boolean =>
  homework.items.some(({ status }) => status === 'submitted')

/** The grades of the episodes in the order in which they came. */
function trendOf(grades: Grade[]): Child {
  const values = grades
    .toSorted((a, b) => (a.updated_at ?? '').localeCompare(b.updated_at ?? ''))
    .flatMap(({ percent }) => percent ?? [])
  return values.length > 1 && trendLine(values, t('trend', { values: values.map(exactPercent).join(', ') }))
}

function row(grade: Grade) {
  const { episode_title, percent, final_percent, status, homework, tests } = grade
  const parts = [
    homework.total > 0 && t('homework_graded', { graded: homework.graded, total: homework.total }),
    tests.total > 0 && t('tests_taken', { taken: tests.attempted, total: tests.total }),
  ].filter(Boolean)
  const more = html`<details class="grade">
    <summary>
      <span class="grade-title" dir="auto">${episode_title}</span>
      <span class="grade-parts">${parts.join(', ')}</span>
      ${badge(t(status), TONES[status], status === 'passed' ? 'check' : undefined)}
      <span class="grade-figures">
        <b>${exactPercent(percent)}</b
        ><span
          >${t(percent !== null && percent === final_percent && !isWaiting(grade) ? 'final' : 'so_far')}</span
        >
      </span>
    </summary>
    <div class="grade-more"></div>
  </details>`
  more.addEventListener('toggle', () => more.querySelector('.grade-more')?.replaceChildren(details(grade)), {
    once: true,
  })
  return html`<li>${more}</li>`
}

function details(grade: Grade) {
  const { episode_id, homework, tests } = grade
  const place = html`<div></div>`
  const button = html`<button type="button" class="second small">${t('what_if')}</button>`
  button.addEventListener(
    'click',
    () => void act(button, async () => place.replaceChildren(await whatIf(grade))),
  )
  return html`<div class="stack-small">
    <div
      class="scroll-x"
      tabindex="0"
      role="region"
      aria-label=${t('work_of', { title: grade.episode_title })}
    >
      <table>
        <thead>
          <tr>
            <th scope="col">${t('work')}</th>
            <th scope="col">${t('state')}</th>
            <th scope="col" class="number">${t('points')}</th>
          </tr>
        </thead>
        <tbody>
          ${homework.items.map(
            ({ homework_id, title, final_score, max_score, status }) =>
              html`<tr>
                <th scope="row">
                  <a dir="auto" href="/homework?id=${homework_id}&episode=${episode_id}">${title}</a>
                </th>
                <td>${t(status)}</td>
                <td class="number">
                  ${final_score === null ? '–' : number(final_score)} / ${number(max_score)}
                </td>
              </tr>`,
          )}
          ${tests.items.map(
            ({ test_id, title, kept_percent, max_score, attempts }) =>
              html`<tr>
                <th scope="row">
                  <a dir="auto" href="/test?id=${test_id}&episode=${episode_id}">${title}</a>
                </th>
                <td>${attempts === 0 ? t('test_not_taken') : t('test_taken', { count: attempts })}</td>
                <td class="number">
                  ${kept_percent === null ? '–' : number((kept_percent * max_score) / 100)} /
                  ${number(max_score)}
                </td>
              </tr>`,
          )}
        </tbody>
      </table>
    </div>
    <p class="actions">
      ${button}<a href="/episode?id=${episode_id}&channel=${grade.channel_id}">${t('open_episode')}</a>
    </p>
    ${place}
  </div>`
}

type Supposed = { kind: 'homework' | 'tests'; title: string; max: number; earned: number | null }

/** The hypothetical final grade, computed with the service's own arithmetic and the channel's weights. */
async function whatIf({ channel_id, homework, tests, passing_percent }: Grade): Promise<HTMLElement> {
  const { grade_weights } = await get<Channel>(`/api/channels/${channel_id}`)
  const items: Supposed[] = [
    ...homework.items.map(({ title, max_score, final_score }) => ({
      kind: 'homework' as const,
      title,
      max: max_score,
      earned: final_score,
    })),
    ...tests.items.map(({ title, max_score, kept_percent }) => ({
      kind: 'tests' as const,
      title,
      max: max_score,
      earned: kept_percent === null ? null : (kept_percent * max_score) / 100,
    })),
  ].filter(({ max }) => max > 0)
  const answer = html`<output class="what-if-answer" aria-live="polite"></output>`
  const reckon = () => {
    const marks = (kind: Supposed['kind']): Mark[] =>
      items
        .filter((item) => item.kind === kind)
        .map(({ max, earned }) => ({
          max: ratio(max),
          earned: earned === null ? undefined : ratio(earned.toFixed(6)),
        }))
    const { final_percent } = gradeOf({ homework: marks('homework'), tests: marks('tests') }, grade_weights)
    const isPassed = final_percent !== null && final_percent >= passing_percent
    const percent = exactPercent(final_percent)
    answer.replaceChildren(t(isPassed ? 'answer_passed' : 'answer_failed', { percent }))
  }
  const inputs = items.map((item, i) => {
    const input = html`<input
      id="if-${channel_id}-${i}"
      type="number"
      min="0"
      max=${item.max}
      step="any"
      value=${item.earned === null ? '' : String(Math.round(item.earned * 100) / 100)}
    />` as HTMLInputElement
    input.addEventListener('input', () => {
      const value = input.valueAsNumber
      item.earned = Number.isNaN(value) ? null : Math.min(item.max, Math.max(0, value))
      reckon()
    })
    return html`<li>
      <label for="if-${channel_id}-${i}" dir="auto">${item.title}</label>${input}<span
        >${t('of', { max: item.max })}</span
      >
    </li>`
  })
  reckon()
  return html`<section class="sheet what-if" aria-label=${t('what_if_label')}>
    <p>${t('hope')}</p>
    <ul>
      ${inputs}
    </ul>
    <p>${answer}</p>
  </section>`
}

const csvOf = (grades: Grade[]) =>
  toCsv([
    (
      ['csv_channel', 'csv_episode', 'csv_status', 'csv_so_far', 'csv_final', 'csv_score', 'csv_of'] as const
    ).map((name) => t(name)),
    ...grades.map((grade) => [
      grade.channel_title,
      grade.episode_title,
      t(grade.status),
      grade.percent,
      grade.final_percent,
      grade.score,
      grade.max_score,
    ]),
  ])
