import { texts } from '#foundation/web/client/language.ts'
import type { ListedChannel, Page } from '../api-types.ts'
import { get } from './api.ts'
import { HOME_TEXTS } from './home-texts.ts'
import { type Child, html } from './html.ts'
import { channelMeta, cover } from './parts.ts'

const t = texts(HOME_TEXTS)
const SHOWN = 4

/** What most others learn, for somebody who is in no channel: a first choice without a search. */
export async function popularChannels(): Promise<Child> {
  const { items } = await get<Page<ListedChannel>>(`/api/channels?sort=learners&per_page=${SHOWN * 2}`)
  const open = items.filter(({ my, enrollment }) => !my.enrolled && enrollment === 'open').slice(0, SHOWN)
  return (
    open.length > 0 &&
    html`<section aria-labelledby="popular">
      <h2 id="popular">${t('popular')}</h2>
      <ul class="shelf">
        ${open.map(
          (channel) =>
            html`<li class="card">
              ${cover(channel.title, channel.thumbnail_url)}
              <h3 lang=${channel.language} dir="auto">
                <a href="/channel?id=${channel.id}">${channel.title}</a>
              </h3>
              ${channelMeta(channel)}
            </li>`,
        )}
      </ul>
    </section>`
  )
}
