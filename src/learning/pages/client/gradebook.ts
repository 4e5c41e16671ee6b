import { texts } from '#foundation/web/client/language.ts'
import type { Learner, LearnerPage } from '../api-types.ts'
import { get } from './api.ts'
import type { CsvCell } from '#foundation/web/client/csv.ts'
import { toCsv } from './csv.ts'
import { download } from './download.ts'
import { act, select } from './form.ts'
import { exactPercent, number } from './format.ts'
import { type Child, fillWith, html } from './html.ts'
import { icon } from './icons.ts'
import { learnersOf, moreLearners } from './learners.ts'
import { badge } from './parts.ts'
import { breakableName, nameOf } from './person.ts'
import { empty } from './states.ts'
import { TEACHING_TEXTS } from './teaching-texts.ts'

const t = texts(TEACHING_TEXTS)
export type Work = NonNullable<LearnerPage['work']>[number]
export type Result = NonNullable<Learner['results']>[number]

/** People × work of a channel: each result in a word or number, filters, and everybody as CSV. */
export async function gradebookOf(channel_id: string): Promise<HTMLElement> {
  const path = learnersOf(channel_id, 'work')
  const first = await get<LearnerPage>(path)
  const { work = [], channel } = first
  if (first.total === 0) return empty(t('nobody'))
  if (work.length === 0) return empty(t('no_work'))
  let people = first.items
  const body = html`<tbody></tbody>`
  const words = html`<input type="search" maxlength="100" autocomplete="off" />` as HTMLInputElement
  const only = select([
    ['', t('everybody')],
    ['missing', t('only_missing')],
    ['below', t('only_below')],
    ['waiting', t('only_waiting')],
  ])
  const fits = (one: Learner): boolean => {
    const { results = [], grade_percent } = one
    if (!`${nameOf(one)} ${one.user_email}`.toLowerCase().includes(words.value.trim().toLowerCase()))
      return false
    if (only.value === 'missing') return results.some(isMissing)
    if (only.value === 'below') return grade_percent !== null && grade_percent < channel.passing_percent
    if (only.value === 'waiting') return results.some(({ status }) => status === 'submitted')
    return true
  }
  const show = () => {
    const found = people.filter(fits)
    fillWith(
      body,
      found.length > 0
        ? found.map(row)
        : html`<tr>
            <td colspan=${work.length + 2}>${t('none_fits')}</td>
          </tr>`,
    )
  }
  /** What waits for a grade leads to it. */
  const cell = (item: Work, one: Learner): Child => {
    const result = one.results?.find(({ id }) => id === item.id)
    const shown = resultOf(result, channel.passing_percent)
    if (item.kind === 'test' || result?.status !== 'submitted') return shown
    return html`<a
      href="${addressOf(item)}&learner=${one.user_id}"
      aria-label="${t('waiting')}: ${t('grade_of', { title: item.title, name: nameOf(one) })}"
      >${shown}</a
    >`
  }
  const addressOf = ({ kind, id, episode_id }: Work): string =>
    kind === 'test'
      ? `/test/edit?id=${id}&episode=${episode_id}&channel=${channel_id}#results`
      : `/grading?episode=${episode_id}&channel=${channel_id}&homework=${id}`
  const row = (one: Learner) =>
    html`<tr>
      <th scope="row">
        <a dir="auto" href="/channel?id=${channel_id}&view=grades&learner=${one.user_id}"
          >${breakableName(one)}</a
        >
      </th>
      ${work.map((item) => html`<td>${cell(item, one)}</td>`)}
      <td><strong>${exactPercent(one.grade_percent)}</strong></td>
    </tr>`
  const more = moreLearners(first, path, (all) => {
    people = all
    show()
  })
  /** Filters look at everybody. */
  const filter = () => {
    show()
    void act(body, async () => void (await more.readAll()))
  }
  words.addEventListener('input', filter)
  only.addEventListener('change', filter)
  show()
  const save = html`<button type="button" class="second small">${icon('download')}${t('save_csv')}</button>`
  save.addEventListener(
    'click',
    () =>
      void act(save, async () => {
        download(`${channel.title}.csv`, 'text/csv', toCsv(csvOf(await more.readAll(), work)))
      }),
  )
  return html`<section class="stack" aria-label=${t('gradebook')}>
    <div class="book-tools">
      <label>${t('filter_name')} ${words}</label>
      <label>${t('filter')} ${only}</label>
      ${save}
    </div>
    <div class="scroll-x gradebook" tabindex="0" role="group" aria-label=${t('gradebook')}>
      <table>
        <thead>
          <tr>
            <th scope="col">${t('learner')}</th>
            ${work.map(
              (item) =>
                html`<th scope="col" dir="auto">
                  <a href=${addressOf(item)}>${item.title}</a>
                  <span class="quiet-text under">${t(item.kind)} · ${item.episode_title}</span>
                </th>`,
            )}
            <th scope="col">${t('total')}</th>
          </tr>
        </thead>
        ${body}
      </table>
    </div>
    ${more.place}
  </section>`
}

const isMissing = ({ status, is_over }: Result): boolean => status === 'none' && is_over

/** A result in a word or number; the colour says the same. */
export function resultOf(result: Result | undefined, passing_percent: number): Child {
  if (!result || (result.status === 'none' && !result.is_over))
    return html`<span class="quiet-text">${t('not_yet')}</span>`
  if (isMissing(result)) return badge(t('missing'), 'bad', 'warn')
  if (result.status === 'submitted') return badge(t('waiting'), 'plain')
  if (result.status === 'returned') return badge(t('returned'), 'warn')
  const isPassed = (result.percent ?? 0) >= passing_percent
  return badge(exactPercent(result.percent), isPassed ? 'good' : 'warn', isPassed ? 'check' : undefined)
}

const csvOf = (people: readonly Learner[], work: readonly Work[]): CsvCell[][] => [
  ['learner', 'email', ...work.map(({ title }) => title), 'total_percent', 'final_percent'],
  ...people.map((one): CsvCell[] => [
    one.display_name ?? '',
    one.user_email,
    ...work.map(({ id }) => {
      const result = one.results?.find((found) => found.id === id)
      return (
        result?.percent ??
        (result && isMissing(result) ? 'missing' : result?.status === 'none' ? '' : (result?.status ?? ''))
      )
    }),
    one.grade_percent,
    one.final_percent,
  ]),
]

export const scoreOf = ({ score }: Result, { max_score }: Work): Child =>
  score === null ? null : `${number(score)} / ${number(max_score)}`
