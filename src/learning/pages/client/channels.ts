import { texts } from '#foundation/web/client/language.ts'
import type { ListedChannel, Page } from '../api-types.ts'
import { get, send } from './api.ts'
import { CHANNEL_TEXTS } from './channel-texts.ts'
import { act, select } from './form.ts'
import { type Child, fillWith, html } from './html.ts'
import { icon } from './icons.ts'
import { openPage } from './page.ts'
import { badge, channelMeta, cover, pager, progress } from './parts.ts'
import { SHELL_TEXTS } from './shell-texts.ts'
import { empty } from './states.ts'
import { toast } from './toast.ts'

const t = texts(CHANNEL_TEXTS)
const shell = texts(SHELL_TEXTS)
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
      ['', t('any_level')],
      ['beginner', shell('beginner')],
      ['intermediate', shell('intermediate')],
      ['advanced', shell('advanced')],
    ],
    query.get('level') ?? '',
  )
  level.name = 'level'
  level.ariaLabel = t('level')
  const whose = select(
    [
      ['', t('all_channels')],
      ['1', t('i_teach')],
    ],
    query.get('mine') ?? '',
  )
  whose.name = 'mine'
  whose.ariaLabel = t('whose')
  const search = html`<input
    type="search"
    name="q"
    value=${query.get('q') ?? ''}
    maxlength="200"
    placeholder=${t('search_hint')}
    aria-label=${t('search_label')}
  />`
  const form = html`<form class="filters" role="search" method="get" action="/channels">
    ${search} ${level} ${whose}
    <button type="submit">${icon('search')}${t('search')}</button>
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
      ? empty(t('no_match'), {
          text: t('show_all'),
          href: '/channels',
        })
      : empty(t('none'), {
          text: t('create'),
          href: '/channel/edit',
        })
  const address = (page: number) => {
    const to = new URLSearchParams(query)
    to.set('page', String(page))
    return `/channels?${to.toString()}`
  }
  return html`<section aria-labelledby="results">
    <div class="section-head">
      <h2 id="results" class="count">${t('count', { count: found.total })}</h2>
      <a href="/channel/edit">${t('create')}</a>
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
        ${status !== 'published' && badge(t(status), 'warn')}
        ${visibility === 'private' && badge(t('private'), 'plain', 'lock')}
        ${my.can_edit && badge(t('teaching'))}
      </p>`
    }
  </li>`
}

/** A progress bar for learners, a join button for others who may join. */
function footOf(channel: ListedChannel, place: HTMLElement): Child {
  const { my, title, enrollment, status } = channel
  if (my.enrolled) return progress(my.progress_percent, t('progress_in', { title }))
  if (my.can_edit) return null
  if (enrollment === 'closed' || status !== 'published') return html`<p class="meta">${t('closed')}</p>`
  const button = html`<button type="button" class="second small" aria-label=${t('join_one', { title })}>
    ${t('join')}
  </button>`
  button.addEventListener(
    'click',
    () =>
      void act(button, async () => {
        await send('POST', '/api/enroll', { channel_id: channel.id })
        fillWith(place, progress(0, t('progress_in', { title })))
        toast(t('joined', { title }))
      }),
  )
  return button
}
