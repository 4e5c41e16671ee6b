import { language, texts } from '#foundation/web/client/language.ts'
import type { NotificationPage } from '../api-types.ts'
import { get, send } from './api.ts'
import { BELL_TEXTS } from './bell-texts.ts'
import { act } from './form.ts'
import { when } from './format.ts'
import { fillWith, html } from './html.ts'
import { meta } from './parts.ts'
import { refusalPanel } from './states.ts'
import { refusalOf } from './api.ts'

const t = texts(BELL_TEXTS)
const SHOWN = 10
const numbers = new Intl.NumberFormat(language)

type Item = NotificationPage['items'][number]

/** Shows how much is unread, and lists it when the bell is opened. */
export async function fillBell(button: HTMLElement, list: HTMLElement): Promise<void> {
  list.addEventListener('beforetoggle', (event) => {
    if (event.newState === 'open') void open()
  })
  // The bell may have been opened before this module was there.
  if (list.matches(':popover-open')) return open()
  count((await read()).unread)

  async function open() {
    try {
      const page = await read()
      count(page.unread)
      show(page)
    } catch (error) {
      fillWith(
        list,
        refusalPanel(refusalOf(error), () => void open()),
      )
    }
  }

  function count(unread: number) {
    const badge = button.querySelector<HTMLElement>('.bell-count')
    if (!badge) return
    badge.hidden = unread === 0
    badge.textContent = unread > 99 ? '99+' : numbers.format(unread)
    button.setAttribute('aria-label', unread > 0 ? t('unread', { count: unread }) : t('notifications'))
  }

  function show(page: NotificationPage) {
    const rows = html`<ul class="rows"></ul>`
    const more = html`<button type="button" class="second small">${t('more')}</button>`
    const all: HTMLElement = html`<button
      type="button"
      class="quiet small"
      onclick=${() =>
        act(all, async () => {
          await send('POST', '/api/notifications/read', { all: true })
          await open()
        })}
    >
      ${t('mark_all')}
    </button>`
    const add = ({ items, next_cursor }: NotificationPage) => {
      rows.append(...items.map(row))
      more.hidden = next_cursor === null
      more.onclick = () => void act(more, async () => add(await read(next_cursor)))
    }
    const settings = html`<button
      type="button"
      class="quiet small"
      onclick=${async () => {
        const { notificationSettings } = await import('./bell-settings.ts')
        list.hidePopover()
        await notificationSettings()
      }}
    >
      ${t('settings')}
    </button>`
    add(page)
    all.hidden = page.unread === 0
    fillWith(
      list,
      html`<div class="section-head">
        <h2>${t('notifications')}</h2>
        ${all}
      </div>`,
      page.items.length > 0 ? rows : html`<p class="quiet-text">${t('none')}</p>`,
      html`<p class="actions">${more}${settings}</p>`,
    )
  }

  function row(item: Item): HTMLElement {
    const { id, channel_title, created_at, read_at } = item
    return html`<li class=${read_at ? 'notice' : 'notice is-unread'}>
      <div>
        <a href=${addressOf(item)} onclick=${() => void markRead(id)} dir="auto">${textOf(item)}</a>
        ${meta(read_at ? null : html`<strong>${t('new')}</strong>`, html`<span dir="auto">${channel_title}</span>`, when(created_at))}
      </div>
    </li>`
  }
}

const read = (cursor: string | null = null) =>
  get<NotificationPage>(
    `/api/notifications?${new URLSearchParams({ per_page: String(SHOWN), ...(cursor && { cursor }) }).toString()}`,
  )

/** The page is about to be left, so nobody waits for the answer. */
const markRead = (id: string) =>
  send('POST', '/api/notifications/read', { ids: [id] }, { keepalive: true }).catch(() => undefined)

/** Titles of people may run in another direction than the sentence. */
const textOf = ({ kind, title, count }: Item) =>
  t(kind === 'episode' && count > 1 ? 'episodes' : kind, { title: `\u2068${title}\u2069`, count })

function addressOf({ target_type, target_id, channel_id, episode_id, kind }: Item): string {
  if (kind === 'due' && target_type === 'test')
    return `/test?id=${target_id}&episode=${episode_id}&channel=${channel_id}`
  if (target_type === 'homework')
    return `/homework?id=${target_id}&episode=${episode_id}&channel=${channel_id}`
  const place = target_type === 'question' ? `#post-${target_id}` : ''
  return `/episode?id=${episode_id}&channel=${channel_id}${place}`
}
