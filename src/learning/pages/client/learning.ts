import { texts } from '#foundation/web/client/language.ts'
import type { Activity, EnrollmentPage } from '../api-types.ts'
import { get } from './api.ts'
import { heatMap } from './chart.ts'
import { enrollmentRow } from './enrollment-rows.ts'
import { day, duration } from './format.ts'
import { HOME_TEXTS } from './home-texts.ts'
import { type Child, html } from './html.ts'
import { openPage } from './page.ts'
import { pager } from './parts.ts'
import { empty } from './states.ts'

const t = texts(HOME_TEXTS)

openPage(async ({ query }) => {
  const page = query.get('page') ?? '1'
  const found = await get<EnrollmentPage>(
    `/api/enrollments?include=activity&per_page=50&page=${encodeURIComponent(page)}`,
  )
  const { items, activity } = found
  if (found.total === 0) return empty(t('none'), { text: t('look'), href: '/channels' })
  const active = items.filter(({ status }) => status === 'active')
  const finished = items.filter(({ status }) => status === 'completed')
  return html`<div class="stack">
    ${activity && rhythm(activity)} ${section('active', t('under_way'), active.map(enrollmentRow))}
    ${section('finished', t('finished'), finished.map(enrollmentRow))}
    ${pager(found, (to) => `/learning?page=${to}`)}
  </div>`
})

const section = (id: string, title: string, rows: HTMLElement[]): Child =>
  rows.length > 0 &&
  html`<section aria-labelledby=${id}>
    <h2 id=${id}>${title}</h2>
    <ul class="rows">
      ${rows}
    </ul>
  </section>`

/** Twelve whole weeks of activity, starting on a Monday, with the streak. */
function rhythm({ streak_days, days }: Activity) {
  const from = days.findIndex(({ date }) => new Date(date).getUTCDay() === 1)
  const shown = days.slice(from)
  const watched = shown.reduce((sum, { watched_seconds }) => sum + watched_seconds, 0)
  const actions = shown.reduce((sum, one) => sum + one.actions, 0)
  const active = shown.filter((one) => one.watched_seconds > 0 || one.actions > 0)
  const words = (one: Activity['days'][number]) =>
    t('on_day', {
      day: day(one.date),
      watched: one.watched_seconds > 0 ? duration(one.watched_seconds) : t('nothing'),
      count: one.actions,
    })
  return html`<section class="rhythm" aria-label=${t('steadily')}>
    <dl class="figures">
      <div>
        <dt>${t('streak')}</dt>
        <dd class="figure">${streak_days}</dd>
      </div>
      <div>
        <dt>${t('watched_total')}</dt>
        <dd class="figure">${duration(watched) || '0 min'}</dd>
      </div>
      <div>
        <dt>${t('handed_in')}</dt>
        <dd class="figure">${actions}</dd>
      </div>
    </dl>
    ${heatMap(
      {
        title: t('twelve_weeks'),
        description: t('active_on', { count: active.length, days: shown.length }),
        table: {
          columns: [t('day'), t('watched'), t('handed_in')],
          rows: active.map((one) => [day(one.date), duration(one.watched_seconds) || '–', one.actions]),
        },
      },
      shown.map((one) => ({
        date: one.date,
        value: one.watched_seconds + one.actions * 600,
        text: words(one),
      })),
    )}
  </section>`
}
