import { texts } from '#foundation/web/client/language.ts'
import type { ChannelPreview } from '../api-types.ts'
import { get } from './api.ts'
import { CHANNEL_TEXTS } from './channel-texts.ts'
import { duration } from './format.ts'
import { setTitle } from './heading.ts'
import { type Child, html } from './html.ts'
import { markdown } from './markdown.ts'
import { cover, languageName, meta } from './parts.ts'
import { PREVIEW_TEXTS } from './preview-texts.ts'
import { ring } from './ring.ts'
import { seasonsOf } from './seasons.ts'
import { SHELL_TEXTS } from './shell-texts.ts'
import { empty, signInAddress } from './states.ts'

const t = texts(CHANNEL_TEXTS)
const p = texts(PREVIEW_TEXTS)
const shell = texts(SHELL_TEXTS)

/** A public channel for who is not signed in: what it is about, and its episodes without links. */
export async function preview(id: string, sso_url: string): Promise<Child> {
  const channel = await get<ChannelPreview>(`/api/public/channels/${encodeURIComponent(id)}`)
  const { title, description, language, episodes, enrollment, level, category, tags, thumbnail_url } = channel
  setTitle(title)
  const isOpen = enrollment === 'open'
  return html`<div class="with-side channel">
    <div class="stack">
      <section class="channel-head">${description && markdown(description, { language })}</section>
      <section class="panel">
        <p>${p(isOpen ? 'why' : 'closed')}</p>
        <p><a class="button" href=${signInAddress(sso_url)}>${p(isOpen ? 'join' : 'sign_in')}</a></p>
      </section>
      <section aria-labelledby="episodes">
        <h2 id="episodes">${t('episodes')}</h2>
        ${episodes.length === 0 ? empty(t('come_back')) : seasonsOf(episodes, (episode) => row(episode, language))}
      </section>
    </div>
    <aside class="channel-side" aria-label=${t('about')}>
      ${cover(title, thumbnail_url)}
      ${meta(languageName(language), level !== 'all' && shell(level), category)}
      ${tags.length > 0 && html`<p class="meta" dir="auto">${tags.join(', ')}</p>`}
    </aside>
  </div>`
}

const row = (
  { title, language, position, duration_seconds }: ChannelPreview['episodes'][number],
  spoken: string,
) =>
  html`<li class="episode-row">
    ${ring({ progress: 0, completed: false, locked: false }, position)}
    <div>
      <h3 lang=${language ?? spoken} dir="auto"><span>${title}</span></h3>
      ${meta(duration(duration_seconds))}
    </div>
  </li>`
