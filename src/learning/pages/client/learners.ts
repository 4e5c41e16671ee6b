import { texts } from '#foundation/web/client/language.ts'
import type { Learner, LearnerPage } from '../api-types.ts'
import { patiently } from './all-pages.ts'
import { get } from './api.ts'
import { act } from './form.ts'
import { fillWith, html } from './html.ts'
import { TEACHING_TEXTS } from './teaching-texts.ts'

const t = texts(TEACHING_TEXTS)

/** The list of the learners of a channel, as many as one page holds. */
export const learnersOf = (channel_id: string, include: 'risk' | 'work', user_id?: string): string =>
  `/api/channels/${channel_id}/learners?per_page=100&include=${include}${user_id === undefined ? '' : `&user_id=${user_id}`}`

/** All learners, from the first page on. Whoever joins meanwhile comes last and is there once. */
async function allLearners(first: LearnerPage, path: string): Promise<Learner[]> {
  const found = new Map(first.items.map((one) => [one.user_id, one]))
  let { next_cursor } = first
  while (next_cursor) {
    const address = `${path}&cursor=${encodeURIComponent(next_cursor)}`
    const page = await patiently(() => get<LearnerPage>(address))
    for (const one of page.items) found.set(one.user_id, one)
    ;({ next_cursor } = page)
  }
  return [...found.values()]
}

/** How many are shown, with a button that shows the others; `readAll` reads them once, for a filter or a file. */
export function moreLearners(first: LearnerPage, path: string, show: (all: Learner[]) => void) {
  const place = html`<div class="actions"></div>`
  const say = (shown: number) =>
    html`<p class="meta" role="status">${t('shown', { shown, total: Math.max(shown, first.total) })}</p>`
  const rest = html`<button type="button" class="second small">
    ${t('show_all', { count: first.total })}
  </button>`
  let all: Promise<Learner[]> | undefined
  const readAll = (): Promise<Learner[]> => {
    all ??= allLearners(first, path).then(
      (found) => {
        show(found)
        fillWith(place, say(found.length))
        return found
      },
      (error: unknown) => {
        all = undefined
        throw error
      },
    )
    return all
  }
  rest.addEventListener('click', () => void act(rest, async () => void (await readAll())))
  fillWith(place, say(first.items.length), first.next_cursor && rest)
  return { place, readAll }
}
