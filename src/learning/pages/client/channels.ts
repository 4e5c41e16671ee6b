import { texts } from '#foundation/web/client/language.ts'
import type { Channel, ChannelChoices, Hit, ListedChannel, Page, SearchPage } from '../api-types.ts'
import { get, send } from './api.ts'
import { CHANNEL_TEXTS } from './channel-texts.ts'
import { CATALOGUE_TEXTS } from './catalogue-texts.ts'
import { FINDER_TEXTS } from './finder-texts.ts'
import { act, select } from './form.ts'
import { setTitle, setTrail } from './heading.ts'
import { findHits, hitRow } from './hits.ts'
import { type Child, fillWith, html } from './html.ts'
import { openPage } from './page.ts'
import { badge, channelMeta, cover, languageName, pager, progress } from './parts.ts'
import { SHELL_TEXTS } from './shell-texts.ts'
import { empty } from './states.ts'
import { toast } from './toast.ts'

const t = texts(CHANNEL_TEXTS)
const shell = texts(SHELL_TEXTS)
const c = texts(CATALOGUE_TEXTS)
const f = texts(FINDER_TEXTS)
const PER_PAGE = 12
/** The query parameters this page keeps; it drops all others. */
const FILTERS = ['q', 'mine', 'status', 'level', 'language', 'category', 'tag', 'sort', 'page']

openPage(async ({ query }) => {
  const q = query.get('q')?.trim() ?? ''
  const field = document.querySelector<HTMLInputElement>('.top .finder input')
  if (field) field.value ||= q
  const inside = query.get('in')
  if (q !== '' && inside) return hitsInside(q, inside)
  const asked = new URLSearchParams(
    [...query].filter(([name, value]) => FILTERS.includes(name) && value !== ''),
  )
  asked.set('per_page', String(PER_PAGE))
  const [found, choices, hits] = await Promise.all([
    get<Page<ListedChannel>>(`/api/channels?${asked.toString()}`),
    get<ChannelChoices>('/api/channels/choices'),
    q === '' || query.has('page') ? undefined : findHits(q, {}),
  ])
  const others = hits && episodeHits(q, hits)
  return html`<div class="catalogue">
    ${filters(query, choices)} ${(found.items.length > 0 || !others) && results(found, query)} ${others}
  </div>`
})

/** The filter form uses GET, so the filters are in the URL and can be bookmarked, shared and gone back to. */
function filters(query: URLSearchParams, choices: ChannelChoices) {
  const pick = (name: string, label: string, options: readonly (readonly [string, string])[]) => {
    const chosen = query.get(name) ?? ''
    const isKnown = options.some(([value]) => value === chosen)
    const made = select(isKnown ? options : [...options, [chosen, chosen]], chosen)
    made.name = name
    made.ariaLabel = label
    return made
  }
  const list = (any: string, values: string[], say = (value: string) => value) =>
    [['', any], ...values.map((value) => [value, say(value)] as const)] as const
  const { categories, languages, tags } = choices
  const form = html`<form class="filters" method="get" action="/channels">
    ${query.get('q') && html`<input type="hidden" name="q" value=${query.get('q')} />`}
    ${pick(
      'level',
      t('level'),
      list(t('any_level'), ['beginner', 'intermediate', 'advanced'], (level) => shell(level as 'beginner')),
    )}
    ${(categories.length > 0 || query.has('category')) && pick('category', c('subject'), list(c('any_subject'), categories))}
    ${(languages.length > 1 || query.has('language')) && pick('language', c('language'), list(c('any_language'), languages, languageName))}
    ${(tags.length > 0 || query.has('tag')) && pick('tag', c('tag'), list(c('any_tag'), tags))}
    ${pick('mine', t('whose'), [
      ['', t('all_channels')],
      ['1', t('i_teach')],
    ])}
    ${pick('sort', c('sort'), [
      ['', c('newest')],
      ['title', c('by_title')],
      ['learners', c('by_learners')],
    ])}
    <button type="submit" class="second">${c('apply')}</button>
  </form>` as HTMLFormElement
  form.addEventListener('change', () => form.requestSubmit())
  // Leaves empty fields out of the URL.
  form.addEventListener('formdata', ({ formData }) => {
    for (const [name, value] of Array.from(formData)) if (value === '') formData.delete(name)
  })
  return form
}

/** What else holds the words; channels with all of them stand above. */
function episodeHits(q: string, { items, next_cursor }: SearchPage): Child {
  const hits = items.filter(({ type, is_near }) => type === 'episode' || is_near)
  if (hits.length === 0 && next_cursor === null) return null
  return hitList('hits', f('in_episodes'), hits, {
    q,
    next_cursor,
    isShown: ({ type }) => type === 'episode',
  })
}

async function hitsInside(q: string, channel_id: string) {
  const [channel, { items, next_cursor }] = await Promise.all([
    get<Channel>(`/api/channels/${encodeURIComponent(channel_id)}`),
    findHits(q, { channel_id }),
  ])
  const { id, title } = channel
  setTitle(f('inside', { title }))
  setTrail({ href: '/channels', text: shell('channels') }, { href: `/channel?id=${id}`, text: title })
  if (items.length === 0) return empty(f('nothing_near'), { text: title, href: `/channel?id=${id}` })
  return hitList('hits', f('all', { q }), items, { q, channel_id, next_cursor })
}

type More = { q: string; channel_id?: string; next_cursor: string | null; isShown?: (hit: Hit) => boolean }

/** Hits as a list; a button adds the next page, until there is none. */
function hitList(
  id: string,
  title: string,
  hits: Hit[],
  { q, channel_id, next_cursor, isShown = () => true }: More,
) {
  let cursor = next_cursor
  const list = html`<ul class="rows">
    ${hits.map(hitRow)}
  </ul>`
  const more: HTMLElement = html`<button type="button" class="second" onclick=${() => void act(more, add)}>
    ${f('more')}
  </button>`
  const add = async () => {
    const page = await findHits(q, { channel_id, cursor })
    cursor = page.next_cursor
    const added = page.items.filter(isShown).map(hitRow)
    list.append(...added)
    if (cursor === null) more.remove()
    added[0]?.querySelector('a')?.focus()
  }
  return html`<section aria-labelledby=${id}>
    <h2 id=${id}>${title}</h2>
    ${list} ${cursor !== null && more}
  </section>`
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
