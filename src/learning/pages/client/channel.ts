import { texts } from '#foundation/web/client/language.ts'
import type { Channel } from '../api-types.ts'
import { get, send } from './api.ts'
import { outline } from './channel-outline.ts'
import { facts, leaving, removal } from './channel-side.ts'
import { CHANNEL_TEXTS } from './channel-texts.ts'
import { act } from './form.ts'
import { setTitle, setTrail } from './heading.ts'
import { type Child, html } from './html.ts'
import { icon } from './icons.ts'
import { lazily } from './lazily.ts'
import { markdown } from './markdown.ts'
import { openPage } from './page.ts'
import { badge, cover, progress } from './parts.ts'
import { SHELL_TEXTS } from './shell-texts.ts'
import { toast } from './toast.ts'

const t = texts(CHANNEL_TEXTS)
const shell = texts(SHELL_TEXTS)

const reload = openPage(
  async ({ required, query }) => {
    // Only editors get `stats`.
    const channel = await get<Channel>(`/api/channels/${encodeURIComponent(required('id'))}?include=stats`)
    setTitle(channel.title)
    setTrail({ href: '/channels', text: shell('channels') })
    const { description, language, stats } = channel
    const view = channel.my.can_edit ? query.get('view') : null
    if (view === 'people' || view === 'grades')
      return html`<div class="stack">
        ${views(channel.id, view)} ${await viewOf(channel, view, query.get('learner'))}
      </div>`
    return html`<div class="with-side channel">
      <div class="stack">
        ${channel.my.can_edit && views(channel.id, '')}
        <section class="channel-head">
          ${marks(channel)} ${description && markdown(description, { language })} ${actions(channel)}
        </section>
        ${outline(channel)} ${stats && (await statistics()).learners(stats)}
      </div>
      <aside class="channel-side" aria-label=${t('about')}>
        ${cover(channel.title, channel.thumbnail_url)}
        ${channel.my.enrolled && progress(channel.my.progress_percent, t('your_progress'))}
        ${channel.my.enrolled && channel.my.progress_percent > 0 && certificatePlace(channel)}
        ${facts(channel)} ${channel.my.enrolled && leaving(channel, reload)}
        ${channel.my.can_delete && removal(channel)}
      </aside>
    </div>`
  },
  {
    visitor: async ({ sso_url, required }) =>
      (await lazily(import('./channel-preview.ts'))).preview(required('id'), sso_url),
  },
)

/** Learners do not load the charts of their teachers. */
const statistics = () => lazily(import('./channel-statistics.ts'))

async function viewOf({ id, title }: Channel, view: 'people' | 'grades', learner: string | null) {
  if (view === 'people') return (await lazily(import('./channel-people.ts'))).peopleOf(id)
  if (learner === null) return (await lazily(import('./gradebook.ts'))).gradebookOf(id)
  setTrail({ href: '/channels', text: shell('channels') }, { href: `/channel?id=${id}`, text: title })
  return (await lazily(import('./channel-learner.ts'))).learnerOf(id, learner)
}

/** The parts of a channel for its teachers. */
const views = (id: string, shown: string) =>
  html`<nav class="tabs" aria-label=${t('views')}>
    <ul>
      ${[
        ['', t('overview')] as const,
        ['people', t('people')] as const,
        ['grades', t('gradebook')] as const,
      ].map(
        ([view, text]) =>
          html`<li>
            <a
              href="/channel?id=${id}${view && `&view=${view}`}"
              aria-current=${view === shown ? 'page' : null}
              >${text}</a
            >
          </li>`,
      )}
    </ul>
  </nav>`

function marks({ status, visibility, enrollment }: Channel): Child {
  const shown = [
    status === 'draft' && badge(t('draft_long'), 'warn'),
    status === 'archived' && badge(t('archived_long'), 'warn'),
    visibility === 'private' && badge(t('private'), 'plain', 'lock'),
    enrollment === 'closed' && status === 'published' && badge(t('closed'), 'plain', 'lock'),
  ].filter(Boolean)
  return shown.length > 0 && html`<p class="actions">${shown}</p>`
}

function actions(channel: Channel): Child {
  const { id, my, episodes, enrollment, status } = channel
  const next = my.next_episode_id ?? episodes.find((episode) => !episode.my.locked)?.id
  const mayJoin = !my.enrolled && !my.can_edit && enrollment === 'open' && status === 'published'
  const join = html`<button type="button">${t('join_this')}</button>`
  join.addEventListener(
    'click',
    () =>
      void act(join, async () => {
        await send('POST', '/api/enroll', { channel_id: id })
        await reload()
        toast(t('joined', { title: channel.title }))
      }),
  )
  const isBegun = my.progress_percent > 0
  return html`<p class="actions">
    ${mayJoin && join}
    ${
      next &&
      (my.enrolled || my.can_edit) &&
      html`<a class="button" href="/episode?id=${next}&channel=${id}">
        ${icon('play')}${t(isBegun ? (my.progress_percent >= 100 ? 'watch_again' : 'continue') : 'begin')}
      </a>`
    }
    ${my.can_edit && html`<a class="button second" href="/channel/edit?id=${id}">${icon('edit')}${t('edit')}</a>`}
  </p>`
}

/** Few learners are so far, so what they read comes when the page stands. */
function certificatePlace(channel: Channel): HTMLElement {
  const place = html`<div></div>`
  import('./certificate.ts')
    .then(({ showCertificate }) => showCertificate(place, channel.id))
    .catch(reportError)
  return place
}
