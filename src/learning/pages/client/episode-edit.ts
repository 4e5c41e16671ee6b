import { texts } from '#foundation/web/client/language.ts'
import type { Channel, Episode, LessonChanges, Video } from '../api-types.ts'
import { get, refusal } from './api.ts'
import { editorOf } from './editor.ts'
import { setTitle, setTrail } from './heading.ts'
import { html } from './html.ts'
import { laterButton } from './later-button.ts'
import { lazily } from './lazily.ts'
import { openPage } from './page.ts'
import { EDITING_TEXTS } from './editing-texts.ts'
import { EDITOR_TEXTS } from './editor-texts.ts'

const t = texts(EDITING_TEXTS)
const e = texts(EDITOR_TEXTS)

const copying = () => lazily(import('./copy-actions.ts'))

/** What an author sees of a lesson first; its homework and tests come when they are looked at. */
export type Lesson = {
  channel: Channel
  episode: Episode
  video: Video | undefined
  changes: LessonChanges
}

async function readLesson(channel_id: string, id: string): Promise<Lesson> {
  const [channel, changes] = await Promise.all([
    get<Channel>(`/api/channels/${channel_id}`),
    get<LessonChanges>(`/api/episodes/${id}/changes`),
  ])
  const episode = channel.episodes.find((one) => one.id === id)
  if (!episode) throw refusal(404, t('no_episode'))
  if (!channel.my.can_edit) throw refusal(403, t('editors_only'))
  const video = episode.video ? await get<Video>(`/api/episodes/${id}/video?include=stats`) : undefined
  return { channel, episode, video, changes }
}

openPage(async ({ user, query, required }) => {
  const [id, channel_id] = [required('id'), required('channel')]
  const read = () => readLesson(channel_id, id)
  const lesson = await read()
  const { channel, episode, video } = lesson
  // Only a video that somebody watched has charts.
  const watched = video?.stats && video.stats.viewers > 0 && lazily(import('./video-stats.ts'))
  const charts = video?.stats && watched && (await watched).watchedCharts(video, video.stats)
  setTrail(
    { href: '/channels?mine=1', text: t('channels') },
    { href: `/channel/edit?id=${channel.id}`, text: channel.title },
    { href: `/episode?id=${id}&channel=${channel.id}`, text: t('episode', { position: episode.position }) },
  )
  const tools = html`<div class="actions">
    ${laterButton({ sign: 'paper', text: t('copy_it'), look: 'second small', work: async () => (await copying()).copyEpisode(channel, episode) })}
    ${laterButton({ text: t('move_it'), look: 'second small', work: async () => (await copying()).moveEpisode(channel, episode) })}
    ${episode.status === 'published' && laterButton({ text: e('unpublish'), look: 'second small', work: async () => (await lazily(import('./unpublish.ts'))).unpublish(channel.id, id) })}
  </div>`
  const { element, works } = editorOf(lesson, { user_id: user.id, read, tools, charts: charts || null })
  setTitle(episode.title)
  const part = query.get('part')
  if (part) {
    const scroll = () => element.querySelector(`#${CSS.escape(part)}`)?.scrollIntoView()
    setTimeout(scroll, 0)
    works().then(scroll, () => {})
  }
  return element
})
