import { texts } from '#foundation/web/client/language.ts'
import type { ListedChannel, Page, ToGrade } from '../api-types.ts'
import { get } from './api.ts'
import { act, select } from './form.ts'
import { when } from './format.ts'
import { setTitle } from './heading.ts'
import { html } from './html.ts'
import { badge, meta } from './parts.ts'
import { nameOf } from './person.ts'
import { phrase } from './phrase.ts'
import { empty } from './states.ts'
import { TEACHING_TEXTS } from './teaching-texts.ts'

const t = texts(TEACHING_TEXTS)
const PER_PAGE = 50

type Waiting = Page<ToGrade> & { next_cursor?: string | null }

/** Work of all channels of a teacher that waits for a grade, the oldest first. */
export async function toGradeList(query: URLSearchParams): Promise<HTMLElement> {
  const channel_id = query.get('channel') ?? ''
  const path = (cursor?: string) =>
    `/api/teaching/to-grade?${new URLSearchParams({
      per_page: String(PER_PAGE),
      ...(channel_id && { channel_id }),
      ...(cursor !== undefined && { cursor }),
    }).toString()}`
  const [first, own] = await Promise.all([
    get<Waiting>(path()),
    get<Page<ListedChannel>>('/api/channels?mine=1&per_page=100'),
  ])
  setTitle(t('to_grade'))
  const list = html`<ol class="rows">
    ${first.items.map(toGradeRow)}
  </ol>`
  const more = html`<button type="button" class="second">${t('more')}</button>`
  let next = first.next_cursor ?? undefined
  more.addEventListener(
    'click',
    () =>
      void act(more, async () => {
        const page = await get<Waiting>(path(next))
        list.append(...page.items.map(toGradeRow))
        next = page.next_cursor ?? undefined
        more.hidden = next === undefined
      }),
  )
  const choice = select(
    [['', t('any_channel')], ...own.items.map(({ id, title }) => [id, title] as const)],
    channel_id,
  )
  choice.addEventListener('change', () =>
    location.assign(choice.value ? `/grading?channel=${choice.value}` : '/grading'),
  )
  return html`<div class="stack">
    ${own.total > 1 && html`<div class="book-tools"><label>${t('channel')} ${choice}</label></div>`}
    ${
      first.total === 0
        ? empty(t('nothing_to_grade'), { text: t('your_channels'), href: '/channels?mine=1' })
        : html`<section>
            <h2 class="meta">${t('oldest_first', { count: first.total })}</h2>
            ${list}
          </section>`
    }
    ${next !== undefined && html`<p class="actions">${more}</p>`}
  </div>`
}

/** One piece of work, with the way to its place in the queue. */
export function toGradeRow(work: ToGrade): HTMLElement {
  const { homework_title: title, homework_id, episode_id, channel_id, channel_title, is_late } = work
  const name = nameOf(work)
  const address = new URLSearchParams({
    episode: episode_id,
    channel: channel_id,
    homework: homework_id,
    learner: work.user_id,
  })
  return html`<li class="line">
    <div>
      <h3 dir="auto">
        <a
          href="/grading?${address.toString()}"
          title=${work.user_email ?? null}
          aria-label=${t('grade_of', { title, name })}
          >${name}</a
        >
      </h3>
      ${meta(
        html`<bdi>${title}</bdi>`,
        html`<bdi>${channel_title}</bdi>`,
        phrase(t, 'handed_in', { time: when(work.submitted_at) }),
      )}
    </div>
    ${is_late && badge(t('late'), 'warn')}
  </li>`
}
