import { texts } from '#foundation/web/client/language.ts'
import type { Enrollment, Grade, ListedChannel, Page, Suggestion, Today } from '../api-types.ts'
import { all } from './all-pages.ts'
import { get, type Refusal, refusalOf } from './api.ts'
import { dueRow, enrollmentRow, nextAddress } from './enrollment-rows.ts'
import { exactPercent, when } from './format.ts'
import { setTitle } from './heading.ts'
import { HOME_TEXTS } from './home-texts.ts'
import { type Child, html } from './html.ts'
import { icon } from './icons.ts'
import { lazily } from './lazily.ts'
import { openPage, type Visit } from './page.ts'
import { badge, cover, meta, progress } from './parts.ts'
import { phrase } from './phrase.ts'
import { SHELL_TEXTS } from './shell-texts.ts'
import { empty, refusalPanel, signedOut } from './states.ts'
import { placeOf, severityBadge } from './suggestion-line.ts'

const t = texts(HOME_TEXTS)
const shell = texts(SHELL_TEXTS)
const SHOWN = 5

/** What was read, or why not: one part that fails leaves the others alive. */
type Part<T> = { found?: T; fault?: Refusal }
const part = <T>(reading: Promise<T>): Promise<Part<T>> =>
  reading.then(
    (found) => ({ found }),
    (error: unknown) => ({ fault: refusalOf(error) }),
  )

const reload = openPage(home, {
  visitor: async ({ sso_url }) => {
    setTitle(t('welcome'))
    return signedOut(sso_url, t('welcome_text'))
  },
})

async function home({ sso_url }: Visit): Promise<Child> {
  const parts = await Promise.all([
    part(all<Enrollment>('/api/enrollments')),
    part(get<Page<ListedChannel>>(`/api/channels?mine=1&per_page=${SHOWN}`)),
    part(all<Grade>('/api/grades')),
    part(get<Today>('/api/teaching/today')),
  ])
  const faults = parts.flatMap(({ fault }) => fault ?? [])
  // A page without any part, and one whose sign-in has ended, says so as a whole.
  const whole = faults.find(({ status }) => status === 401) ?? (faults.length >= 3 ? faults[0] : undefined)
  if (whole) throw whole
  const [enrollments, own, grades, today] = parts
  const instead = ({ fault }: Part<unknown>) => fault && refusalPanel(fault, () => void reload())
  const active = (enrollments.found ?? []).filter(({ status }) => status === 'active')
  const [first, ...others] = active
  const due = (enrollments.found ?? [])
    .flatMap((enrollment) => enrollment.due_soon.map((item) => ({ item, title: enrollment.channel.title })))
    .toSorted((a, b) => a.item.due_at.localeCompare(b.item.due_at))
  const given = (grades.found ?? [])
    .filter(({ percent }) => percent !== null)
    .toSorted((a, b) => (b.updated_at ?? '').localeCompare(a.updated_at ?? ''))
  const side = [dueSoon(due, first !== undefined), instead(grades), given.length > 0 && latest(given)].filter(
    Boolean,
  )
  const { found: mine } = own
  const teaches = mine !== undefined && mine.total > 0
  const day = today.found
  setTitle(t(first ? 'continue_learning' : teaches ? 'your_day' : 'learn_new'))
  const isQuiet = !day || (!teaches && !day.setup)
  const pending = day?.suggestions
  const [parts_of_teaching, sentences] = await Promise.all([
    isQuiet ? undefined : lazily(import('./today.ts')),
    pending && pending.total > 0 ? lazily(import('./suggestion-sentences.ts')) : undefined,
  ])
  const isNew = enrollments.found !== undefined && !first && !teaches
  return html`<div class="stack">
    ${day && parts_of_teaching?.setupList(day, sso_url)} ${day && parts_of_teaching?.teachersDay(day)}
    ${instead(enrollments) ?? (first ? hero(first) : !teaches && nothingYet(enrollments.found?.length ?? 0))}
    <div class=${side.length > 0 ? 'with-side' : ''}>
      <div class="stack">
        ${others.length > 0 && alsoActive(others, active.length)} ${instead(own)}
        ${mine && mine.total > 0 && teaching(mine)} ${(teaches || today.found) && instead(today)}
        ${pending && sentences && waiting(pending.items.map(sentences.inWords), pending.total)}
      </div>
      ${side.length > 0 && html`<div class="stack">${side}</div>`}
    </div>
    ${isNew && (await popular())}
  </div>`
}

/** Nothing else on the page waits for it or fails with it. */
const popular = () =>
  lazily(import('./newcomer.ts')).then(
    ({ popularChannels }) => popularChannels(),
    () => null,
  )

function hero(enrollment: Enrollment) {
  const { channel, channel_id, episodes_completed, episodes_total, progress_percent } = enrollment
  return html`<section class="hero" aria-labelledby="go-on">
    ${cover(channel.title, channel.thumbnail_url)}
    <div>
      <p class="overline">${phrase(t, 'last_here', { time: when(enrollment.last_activity_at) })}</p>
      <h2 id="go-on" lang=${channel.language} dir="auto">
        <a href="/channel?id=${channel_id}">${channel.title}</a>
      </h2>
      ${meta(t('done', { done: episodes_completed, count: episodes_total }))}
      ${progress(progress_percent, t('progress_in', { title: channel.title }))}
      <p class="actions">
        <a class="button" href=${nextAddress(enrollment)}
          >${icon('play')}${t(progress_percent > 0 ? 'continue' : 'begin')}</a
        >
        <a href="/channel?id=${channel_id}">${t('all_episodes')}</a>
      </p>
    </div>
  </section>`
}

const nothingYet = (enrolled: number) =>
  empty(t(enrolled > 0 ? 'all_finished' : 'none_yet'), { text: t('look'), href: '/channels' })

const alsoActive = (enrollments: Enrollment[], total: number) =>
  html`<section aria-labelledby="also">
    <div class="section-head">
      <h2 id="also">${t('also')}</h2>
      ${total > SHOWN && html`<a href="/learning">${t('all', { count: total })}</a>`}
    </div>
    <ul class="rows">
      ${enrollments.slice(0, SHOWN - 1).map(enrollmentRow)}
    </ul>
  </section>`

const teaching = ({ items, total }: Page<ListedChannel>) =>
  html`<section aria-labelledby="teaching">
    <div class="section-head">
      <h2 id="teaching">${t('teaching')}</h2>
      <a href=${total > SHOWN ? '/channels?mine=1' : '/channel/edit'}
        >${total > SHOWN ? t('all', { count: total }) : t('create_another')}</a
      >
    </div>
    <ul class="rows">
      ${items.map(
        ({ id, title, language, status, episode_count, enrollment_count, updated_at }) =>
          html`<li class="line">
            <div>
              <h3 lang=${language} dir="auto"><a href="/channel?id=${id}">${title}</a></h3>
              ${meta(shell('episodes', { count: episode_count }), t('learners', { count: enrollment_count }), phrase(t, 'changed', { time: when(updated_at) }))}
            </div>
            ${status !== 'published' && badge(t(status), 'warn')}
            <a
              class="button second small"
              href="/channel/edit?id=${id}"
              aria-label=${t('edit_one', { title })}
              >${t('edit')}</a
            >
          </li>`,
      )}
    </ul>
  </section>`

const waiting = (items: Suggestion[], total: number) =>
  html`<section aria-labelledby="waiting">
    <div class="section-head">
      <h2 id="waiting">${t('waiting')}</h2>
      <a href="/innovation">${total > items.length ? t('all_suggestions', { count: total }) : t('inbox')}</a>
    </div>
    <ul class="rows">
      ${items.map(
        (suggestion) =>
          html`<li class="line">
            <div>
              <h3 dir="auto">${suggestion.title}</h3>
              ${meta(...placeOf(suggestion))}
            </div>
            ${severityBadge(suggestion.severity)}
          </li>`,
      )}
    </ul>
  </section>`

const dueSoon = (due: { item: Parameters<typeof dueRow>[0]; title: string }[], isLearning: boolean): Child =>
  (due.length > 0 || isLearning) &&
  html`<section aria-labelledby="due">
    <h2 id="due">${t('due_soon')}</h2>
    ${
      due.length > 0
        ? html`<ul class="rows">
            ${due.slice(0, SHOWN).map(({ item, title }) => dueRow(item, title))}
          </ul>`
        : html`<p class="quiet-text">${t('nothing_due')}</p>`
    }
  </section>`

const latest = (grades: Grade[]) =>
  html`<section aria-labelledby="latest">
    <div class="section-head">
      <h2 id="latest">${t('latest')}</h2>
      <a href="/grades">${t('all_grades')}</a>
    </div>
    <ul class="rows">
      ${grades.slice(0, SHOWN).map(
        ({ episode_id, episode_title, channel_id, channel_title, percent, passed }) =>
          html`<li class="line">
            <div>
              <h3 dir="auto">
                <a href="/episode?id=${episode_id}&channel=${channel_id}">${episode_title}</a>
              </h3>
              ${meta(channel_title, passed && t('passed'))}
            </div>
            <strong class="mark">${exactPercent(percent)}</strong>
          </li>`,
      )}
    </ul>
  </section>`
