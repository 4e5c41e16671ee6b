import { texts } from '#foundation/web/client/language.ts'
import type { Channel, Homework, HomeworkPage } from '../api-types.ts'
import { get, refusal } from './api.ts'
import { gradeForm } from './grade-form.ts'
import { GRADING_TEXTS } from './grading-texts.ts'
import { fillWith, html } from './html.ts'
import { lazily } from './lazily.ts'
import { openPage } from './page.ts'
import { badge, pager } from './parts.ts'
import { when } from './format.ts'
import { setTitle, setTrail } from './heading.ts'
import { addressOf, nameOf } from './person.ts'
import { phrase } from './phrase.ts'
import { SHELL_TEXTS } from './shell-texts.ts'
import { empty } from './states.ts'

type Work = NonNullable<Homework['submissions']>[number]
const PER_PAGE = 50
const t = texts(GRADING_TEXTS)
const shell = texts(SHELL_TEXTS)

openPage(async ({ query, user }) => {
  const episode_id = query.get('episode')
  if (!episode_id) return (await lazily(import('./to-grade.ts'))).toGradeList(query)
  const path = `/api/episodes/${episode_id}/homework?per_page=100`
  const channel_id = query.get('channel')
  const [{ items }, channel] = await Promise.all([
    get<HomeworkPage>(path),
    channel_id ? get<Channel>(`/api/channels/${encodeURIComponent(channel_id)}`).catch(() => null) : null,
  ])
  if (channel) setTrail(...trailOf(channel, episode_id))
  if (items.length === 0)
    return empty(t('no_homework'), {
      text: t('your_channels'),
      href: '/channels?mine=1',
    })
  const [anything] = items
  if (anything?.submissions === undefined) throw refusal(403, t('editors_only'))
  const asked = query.get('homework')
  const waiting = items.find(({ ungraded_count = 0 }) => ungraded_count > 0)
  const homework = items.find(({ id }) => id === asked) ?? waiting ?? anything
  const page = Number(query.get('page') ?? 1)
  const full = await get<HomeworkPage>(
    `/api/episodes/${episode_id}/homework?homework_id=${homework.id}&submission_per_page=${PER_PAGE}&submission_page=${page}`,
  )
  const [shown] = full.items
  const address = `/grading?episode=${episode_id}${channel_id ? `&channel=${channel_id}` : ''}`
  if (!shown) throw refusal(404, t('gone'))
  setTitle(shown.title)
  return html`<div class="stack">
    ${items.length > 1 && choiceOf(items, shown, address)}
    ${queue(shown, { page, address: `${address}&homework=${shown.id}`, user_id: user.id, learner: query.get('learner') })}
  </div>`
})

const trailOf = ({ id, title, episodes }: Channel, episode_id: string) => [
  { href: '/channels?mine=1', text: shell('channels') },
  { href: `/channel?id=${id}`, text: title },
  ...episodes
    .filter((episode) => episode.id === episode_id)
    .map((episode) => ({ href: `/episode?id=${episode_id}&channel=${id}`, text: episode.title })),
]

const choiceOf = (items: Homework[], chosen: Homework, address: string) =>
  html`<nav class="tabs" aria-label=${t('homework')}>
    <ul>
      ${items.map(
        ({ id, title, ungraded_count = 0 }) =>
          html`<li>
            <a href="${address}&homework=${id}" aria-current=${id === chosen.id ? 'page' : null}
              >${title}${ungraded_count > 0 && html`<span class="tab-count">${ungraded_count}<span class="unseen">${t('to_grade_count')}</span></span>`}</a
            >
          </li>`,
      )}
    </ul>
  </nav>`

/**
 * The grading queue, in the service's order: ungraded work first. The keys j and k move through it while no field has
 * the focus.
 */
function queue(
  homework: Homework,
  {
    page,
    address,
    user_id,
    learner,
  }: { page: number; address: string; user_id: string; learner: string | null },
): HTMLElement {
  const work = [...(homework.submissions ?? [])]
  if (work.length === 0) return empty(t('nobody'))
  const list = html`<ol class="queue-list"></ol>`
  const desk = html`<div class="queue-desk" aria-live="off"></div>`
  const left = html`<p class="meta" role="status"></p>`
  const asked = work.findIndex((one) => one.user_id === learner)
  const first = work.findIndex(({ status }) => status === 'submitted')
  let at = asked >= 0 ? asked : Math.max(0, first)

  function show({ withFocus = false } = {}) {
    const waiting = work.filter(({ status }) => status === 'submitted').length
    left.textContent = waiting > 0 ? t('waiting', { count: waiting }) : t('all_graded')
    fillWith(
      list,
      work.map((one, place) => line(one, place)),
    )
    const chosen = work[at]
    if (!chosen) return
    requestAnimationFrame(showPlace)
    fillWith(desk, gradeForm(homework, chosen, { next: nextWaiting() >= 0, graded, user_id }))
    if (withFocus) desk.querySelector<HTMLElement>('h2')?.focus()
  }

  const line = (one: Work, place: number) =>
    html`<li>
      <button
        type="button"
        class="queue-item"
        aria-current=${place === at ? 'true' : null}
        onclick=${() => go(place)}
      >
        <span class="queue-who" dir="auto">${nameOf(one)}</span>
        ${addressOf(one)}
        <span class="quiet-text"
          >${when(one.submitted_at)}${one.attempt_number > 1 && ` · ${t('nth_attempt', { number: one.attempt_number })}`}</span
        >
        ${stateOf(one)}
      </button>
    </li>`

  /** Where the list scrolls, the work that is open stays in sight. */
  function showPlace() {
    const here = list.querySelector<HTMLElement>('[aria-current]')
    if (!here) return
    const { offsetTop: top, offsetHeight: height } = here
    if (top < list.scrollTop || top + height > list.scrollTop + list.clientHeight) list.scrollTop = top
  }

  const nextWaiting = () => {
    const after = work.findIndex(({ status }, place) => place > at && status === 'submitted')
    return after >= 0 ? after : work.findIndex(({ status }, place) => place !== at && status === 'submitted')
  }

  function go(place: number) {
    if (!work[place]) return
    at = place
    show({ withFocus: true })
  }

  function graded(saved: Work, andNext: boolean) {
    work[at] = saved
    const next = nextWaiting()
    if (andNext && next >= 0) at = next
    show({ withFocus: true })
  }

  document.addEventListener('keydown', ({ key, target, ctrlKey, metaKey, altKey }) => {
    if (ctrlKey || metaKey || altKey || !list.isConnected) return
    if (target instanceof Element && target.closest('input, textarea, select')) return
    if (key === 'j') go(at + 1)
    if (key === 'k') go(at - 1)
  })
  show()
  const pages = Math.ceil((homework.submission_total ?? work.length) / PER_PAGE)
  return html`<div class="queue">
    <div class="queue-side">
      ${left}
      <nav aria-label=${t('submissions')}>${list}</nav>
      ${pager({ page, pages }, (to) => `${address}&page=${to}`)}
      <p class="hint queue-keys">${phrase(t, 'keys', { j: html`<kbd>j</kbd>`, k: html`<kbd>k</kbd>` })}</p>
    </div>
    ${desk}
  </div>`
}

function stateOf({ status, final_score, score, is_late }: Work): HTMLElement {
  const late = is_late && badge(t('late'), 'warn')
  if (status === 'submitted')
    return html`<span class="queue-state">${late}${badge(t('to_grade'), 'plain')}</span>`
  if (status === 'returned')
    return html`<span class="queue-state">${late}${badge(t('returned'), 'warn')}</span>`
  return html`<span class="queue-state"
    >${late}${badge(String(final_score ?? score ?? ''), 'good', 'check')}</span
  >`
}
