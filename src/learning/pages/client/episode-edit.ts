import { texts } from '#foundation/web/client/language.ts'
import type { Channel, Episode, Homework, Page, Test, Video } from '../api-types.ts'
import { get, refusal, send } from './api.ts'
import { episodeFields, sentEpisode } from './episode-fields.ts'
import { act } from './form.ts'
import { setTitle, setTrail } from './heading.ts'
import { html } from './html.ts'
import { icon } from './icons.ts'
import { laterButton } from './later-button.ts'
import { lazily } from './lazily.ts'
import { openPage } from './page.ts'
import { guardUnsaved } from './read.ts'
import { toast } from './toast.ts'
import { videoForm } from './video-form.ts'
import { workLists } from './work-lists.ts'
import { EDITING_TEXTS } from './editing-texts.ts'

const t = texts(EDITING_TEXTS)
const copying = () => lazily(import('./copy-actions.ts'))

openPage(async ({ query, required }) => {
  const id = required('id')
  const [channel, homework, tests] = await Promise.all([
    get<Channel>(`/api/channels/${required('channel')}`),
    get<Page<Homework>>(`/api/episodes/${id}/homework?per_page=100`),
    get<Page<Test>>(`/api/episodes/${id}/tests?per_page=100`),
  ])
  const episode = channel.episodes.find((one) => one.id === id)
  if (!episode) throw refusal(404, t('no_episode'))
  if (!channel.my.can_edit) throw refusal(403, t('editors_only'))
  const video = episode.video ? await get<Video>(`/api/episodes/${id}/video?include=stats`) : undefined
  // Only a video that somebody watched has charts.
  const watched = video?.stats && video.stats.viewers > 0 && lazily(import('./video-stats.ts'))
  const charts = video?.stats && watched && (await watched).watchedCharts(video, video.stats)
  setTitle(episode.title)
  setTrail(
    { href: '/channels?mine=1', text: t('channels') },
    { href: `/channel/edit?id=${channel.id}`, text: channel.title },
    { href: `/episode?id=${id}&channel=${channel.id}`, text: t('episode', { position: episode.position }) },
  )
  const part = query.get('part')
  const page = html`<div class="stack">
    ${charts}
    <section id="video">
      <h2>${t('video')}</h2>
      ${videoForm(id, channel.id, video)}
    </section>
    ${workLists({ channel_id: channel.id, episode_id: id }, homework.items, tests.items)}
    <section id="about">
      <div class="section-head">
        <h2>${t('about_episode')}</h2>
        <div class="actions">
          ${laterButton({ sign: 'paper', text: t('copy_it'), look: 'second small', work: async () => (await copying()).copyEpisode(channel, episode) })}
          ${laterButton({ text: t('move_it'), look: 'second small', work: async () => (await copying()).moveEpisode(channel, episode) })}
        </div>
      </div>
      ${aboutForm(channel, episode)}
    </section>
  </div>`
  if (part) setTimeout(() => page.querySelector(`#${CSS.escape(part)}`)?.scrollIntoView(), 0)
  return page
})

function aboutForm({ id: channel_id }: Channel, episode: Episode) {
  const path = `/api/channels/${channel_id}`
  const saver = html`<button type="submit">${t('save')}</button>`
  const form: HTMLElement = html`<form
    class="form"
    onsubmit=${(event: Event) => {
      event.preventDefault()
      void act(saver, save, form)
    }}
  >
    ${episodeFields(episode)}
    <div class="actions">
      ${saver}<a class="button second" href="/episode?id=${episode.id}&channel=${channel_id}"
        >${icon('play')}${t('see')}</a
      >
    </div>
  </form>`
  const guard = guardUnsaved(form, () => {})

  /**
   * Sends all episodes, because a PUT moves unnamed ones behind the named ones. Reads them again first, because
   * saving video, homework or tests on this page has raised the channel's version.
   */
  async function save() {
    const fields = sentEpisode(form)
    const { episodes: known, version } = await get<Channel>(path)
    const episodes = known.map(({ id }) => (id === episode.id ? { id, ...fields } : { id }))
    await send<Channel>('PUT', path, { episodes }, { headers: { 'If-Match': `"${version}"` } })
    guard.saved()
    setTitle(fields.title)
    toast(t('saved'))
  }
  return form
}
