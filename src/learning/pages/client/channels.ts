import type { ListedChannel, Page } from '../api-types.ts'
import { get, send } from './api.ts'
import { act, select } from './form.ts'
import { count } from './format.ts'
import { type Child, fillWith, html } from './html.ts'
import { icon } from './icons.ts'
import { openPage } from './page.ts'
import { badge, channelMeta, cover, pager, progress } from './parts.ts'
import { empty } from './states.ts'
import { toast } from './toast.ts'

const PER_PAGE = 12
/** The query parameters this page keeps; it drops all others. */
const FILTERS = ['q', 'mine', 'status', 'level', 'language', 'category', 'tag', 'page']

openPage(async ({ query }) => {
  const asked = new URLSearchParams(
    [...query].filter(([name, value]) => FILTERS.includes(name) && value !== ''),
  )
  asked.set('per_page', String(PER_PAGE))
  const found = await get<Page<ListedChannel>>(`/api/channels?${asked.toString()}`)
  return html`<div class="catalogue">${filters(query)} ${results(found, query)}</div>`
})

/** The filter form uses GET, so the filters are in the URL and can be bookmarked, shared and gone back to. */
function filters(query: URLSearchParams) {
  const level = select(
    [
      ['', 'Any level'],
      ['beginner', 'Beginner'],
      ['intermediate', 'Intermediate'],
      ['advanced', 'Advanced'],
    ],
    query.get('level') ?? '',
  )
  level.name = 'level'
  level.ariaLabel = 'Level'
  const whose = select(
    [
      ['', 'All channels'],
      ['1', 'Channels I teach'],
    ],
    query.get('mine') ?? '',
  )
  whose.name = 'mine'
  whose.ariaLabel = 'Whose channels'
  const search = html`<input
    type="search"
    name="q"
    value=${query.get('q') ?? ''}
    maxlength="200"
    placeholder="Search titles and descriptions"
    aria-label="Search channels"
  />`
  const form = html`<form class="filters" role="search" method="get" action="/channels">
    ${search} ${level} ${whose}
    <button type="submit">${icon('search')}Search</button>
  </form>` as HTMLFormElement
  form.addEventListener('change', ({ target }) => {
    if (target instanceof HTMLSelectElement) form.requestSubmit()
  })
  // Leaves empty fields out of the URL.
  form.addEventListener('formdata', ({ formData }) => {
    for (const [name, value] of Array.from(formData)) if (value === '') formData.delete(name)
  })
  document.addEventListener('keydown', (event) => {
    if (
      event.key !== '/' ||
      event.target instanceof HTMLInputElement ||
      event.target instanceof HTMLTextAreaElement
    )
      return
    event.preventDefault()
    search.focus()
  })
  return form
}

function results(found: Page<ListedChannel>, query: URLSearchParams): Child {
  const isFiltered = [...query.keys()].some((name) => FILTERS.includes(name) && name !== 'page')
  if (found.items.length === 0)
    return isFiltered
      ? empty('No channel matches. Try fewer words, or look at everything.', {
          text: 'Show all channels',
          href: '/channels',
        })
      : empty('There is no channel yet. Yours could be the first.', {
          text: 'Create a channel',
          href: '/channel/edit',
        })
  const address = (page: number) => {
    const to = new URLSearchParams(query)
    to.set('page', String(page))
    return `/channels?${to.toString()}`
  }
  return html`<section aria-labelledby="results">
    <div class="section-head">
      <h2 id="results" class="count">${count(found.total, 'channel')}</h2>
      <a href="/channel/edit">Create a channel</a>
    </div>
    <ul class="shelf">
      ${found.items.map(card)}
    </ul>
    ${pager(found, address)}
  </section>`
}

function card(channel: ListedChannel) {
  const { id, title, my, status, visibility, language } = channel
  const place = html`<div class="card-foot"></div>`
  fillWith(place, footOf(channel, place))
  return html`<li class="card">
    ${cover(title, channel.thumbnail_url)}
    <h3 lang=${language} dir="auto"><a href="/channel?id=${id}">${title}</a></h3>
    ${channelMeta(channel)} ${place}
    ${
      (status !== 'published' || visibility === 'private' || my.can_edit) &&
      html`<p class="card-marks">
        ${status !== 'published' && badge(status === 'draft' ? 'Draft' : 'Archived', 'warn')}
        ${visibility === 'private' && badge('Private', 'plain', 'lock')} ${my.can_edit && badge('Teaching')}
      </p>`
    }
  </li>`
}

/** A progress bar for learners, a join button for others who may join. */
function footOf(channel: ListedChannel, place: HTMLElement): Child {
  const { my, title, enrollment, status } = channel
  if (my.enrolled) return progress(my.progress_percent, `Progress in ${title}`)
  if (my.can_edit) return null
  if (enrollment === 'closed' || status !== 'published')
    return html`<p class="meta">Closed to new learners</p>`
  const button = html`<button type="button" class="second small" aria-label="Join ${title}">Join</button>`
  button.addEventListener(
    'click',
    () =>
      void act(button, async () => {
        await send('POST', '/api/enroll', { channel_id: channel.id })
        fillWith(place, progress(0, `Progress in ${title}`))
        toast(`You are in “${title}”.`)
      }),
  )
  return button
}
