import { texts } from '#foundation/web/client/language.ts'
import type { Channel, Episode, Homework, Progress, Test, Video } from '../api-types.ts'
import { all } from './all-pages.ts'
import { get, refusal, refusalOf } from './api.ts'
import { followVideo } from './beats.ts'
import { showDialog } from './dialog.ts'
import { EPISODE_TEXTS } from './episode-texts.ts'
import { workOf } from './episode-work.ts'
import { clock, duration, percent } from './format.ts'
import { setTitle, setTrail } from './heading.ts'
import { type Child, fillWith, html } from './html.ts'
import { lazily } from './lazily.ts'
import { doneButton, lockedPanel, upNext, withoutVideo } from './lesson.ts'
import { markdown } from './markdown.ts'
import { openPage, type Visit } from './page.ts'
import { badge, meta, progress } from './parts.ts'
import { phrase } from './phrase.ts'
import { KEYS, listenToKeys, resumeAt, videoOf } from './player.ts'
import { rememberSettings } from './player-settings.ts'
import { qualityChoice } from './quality.ts'
import { ring } from './ring.ts'
import { SHELL_TEXTS } from './shell-texts.ts'
import { sentence, signInAddress } from './states.ts'
import { toast } from './toast.ts'

const t = texts(EPISODE_TEXTS)
const shell = texts(SHELL_TEXTS)

openPage(lesson, {
  // Of a public channel they see what it is about.
  visitor: async ({ query, required, sso_url }) => {
    const channel_id = query.get('channel') ?? required('channel')
    const { preview } = await lazily(import('./channel-preview.ts'))
    setTrail({ href: '/channels', text: shell('channels') })
    return preview(channel_id, sso_url)
  },
})

async function lesson(visit: Visit): Promise<Child> {
  const id = visit.required('id')
  const asked = channelOf(id, visit.query.get('channel'))
  const work = worksOf(id)
  const loading = import('./episode-day.ts')
  const channel = await asked
  const episode = channel.episodes.find((one) => one.id === id)
  if (!episode) throw refusal(404, 'The episode is not of this channel')
  setTitle(episode.title)
  setTrail(
    { href: '/channels', text: shell('channels') },
    { href: `/channel?id=${channel.id}`, text: channel.title },
  )
  if (episode.my.locked && !channel.my.can_edit) return lockedPanel(channel, episode)
  const [asset, works] = await Promise.all([assetOf(episode), work])
  if (!('homework' in works)) throw works
  // Before anything is made: a list scrolls to its place in the next frame, and has to be on the page by then.
  const day = await loading
  const state = html`<div class="watched" aria-live="polite"></div>`
  const [list, around, next] = [html`<div></div>`, html`<div></div>`, html`<div aria-live="polite"></div>`]
  const show = (now: Channel) => {
    fillWith(list, siblings(now, id))
    fillWith(around, neighbours(now, episode))
    fillWith(next, upNext(now, id, works))
  }
  showState(state, episode.my.progress, episode.my.completed)
  show(channel)
  /** The rest of the page follows what was watched: other episodes may be open now. */
  const told = ({ progress: part, completed }: Progress) => {
    showState(state, part, completed)
    const isNew = completed && !episode.my.completed
    Object.assign(episode.my, { progress: part, completed })
    if (!isNew)
      return list.querySelector('[aria-current] .ring')?.replaceWith(ring(episode.my, episode.position))
    toast(t('watched_one', { title: episode.title }))
    void get<Channel>(`/api/channels/${channel.id}`).then(show, () => show(channel))
  }
  const language = episode.language ?? channel.language
  const player = asset && asset.kind !== 'embed' ? videoOf(asset, episode.title) : null
  return html`<div class="with-side watch">
    <div class="stack">
      <section aria-label=${t('video')}>
        ${asset ? stage(asset, episode, visit, told, player && { video: player, timeline: day.timelineOf(asset, player) }) : noVideo(channel, episode, told)}
        <div class="watch-line">
          ${state}
          ${meta(
            episode.authors.join(', '),
            duration(episode.duration_seconds),
            episode.status === 'draft' && badge(t('draft'), 'warn'),
            channel.my.can_edit &&
              html`<a href="/episode/edit?id=${id}&channel=${channel.id}">${t('edit')}</a>`,
          )}
        </div>
        ${episode.description && markdown(episode.description, { language })}
      </section>
      ${next} ${workOf(works.homework, works.tests, id)} ${asset && day.transcriptOf(asset, player, language)}
      ${around} ${day.panelsOf(channel, episode, player)}
    </div>
    <aside class="watch-side stack">${asset && asset.chapters.length > 0 && chapters(asset)} ${list}</aside>
  </div>`
}

/** The channel of the episode, from the URL if it is there, otherwise from the episode's progress. */
async function channelOf(id: string, channel: string | null): Promise<Channel> {
  const channel_id = channel ?? (await get<Progress>(`/api/progress/${encodeURIComponent(id)}`)).channel_id
  return get<Channel>(`/api/channels/${encodeURIComponent(channel_id)}`)
}

/** The homework and tests of the episode, or why they cannot be read: a locked episode does not show them. */
async function worksOf(id: string): Promise<{ homework: Homework[]; tests: Test[] } | Error> {
  const path = `/api/episodes/${encodeURIComponent(id)}`
  try {
    const [homework, tests] = await Promise.all([
      all<Homework>(`${path}/homework`),
      all<Test>(`${path}/tests`),
    ])
    return { homework, tests }
  } catch (error) {
    return refusalOf(error)
  }
}

/** Requested only if the episode has a video, because an episode may have none. */
const assetOf = async ({ id, video }: Episode): Promise<Video | undefined> =>
  video ? get<Video>(`/api/episodes/${encodeURIComponent(id)}/video`) : undefined

type Told = (progress: Progress) => void

function noVideo({ my, id }: Channel, episode: Episode, told: Told): Child {
  const link = html`<a href="/episode/edit?id=${episode.id}&channel=${id}">${t('add_one')}</a>`
  return [
    html`<p class="note">${my.can_edit ? phrase(t, 'no_video_yet', { link }) : t('no_video')}</p>`,
    html`<p class="under-stage is-spaced">${doneButton(episode, told)}</p>`,
  ]
}

type Player = { video: HTMLVideoElement; timeline: Child }

function stage(asset: Video, episode: Episode, visit: Visit, told: Told, player: Player | null): Child {
  if (!player) return embedded(asset, episode, told)
  const { video, timeline } = player
  rememberSettings(video)
  const bar = html`<div class="bar" hidden></div>`
  followVideo(video, visit.user.id, episode.id, {
    progressed: (progress) => {
      bar.hidden = true
      told(progress)
    },
    refused: (status, detail) => {
      bar.hidden = false
      fillWith(bar, waitingFor(status, detail, visit.sso_url))
    },
  })
  listenToKeys(video, () => void showDialog(t('keys'), keyTable()))
  const fault = html`<div></div>`
  const showFault = () =>
    fillWith(
      fault,
      html`<p class="note is-bad" role="alert">
        ${phrase(t, 'unplayable', { link: html`<a href=${asset.url} target="_blank" rel="noopener">${t('open_itself')}</a>` })}
      </p>`,
      withoutVideo(episode, asset.strict_watch, told),
    )
  video.addEventListener('unplayable', showFault, { once: true })
  return [
    html`<div class="stage">${video}</div>`,
    timeline,
    html`<div class="under-stage">
      ${resumeAt(video, episode.my.position_seconds)} ${qualityChoice(video, asset)}
      <button type="button" class="quiet" onclick=${() => void showDialog(t('keys'), keyTable())}>
        ${t('keys')}
      </button>
    </div>`,
    bar,
    fault,
  ]
}

function waitingFor(status: number, detail: string, sso_url: string): Child {
  if (status === 401)
    return phrase(t, 'signed_out', {
      link: html`<a href=${signInAddress(sso_url)} target="_blank">${t('sign_in_again')}</a>`,
    })
  if (status === 400 || status === 403 || status === 404) return t('not_counted', { why: sentence(detail) })
  return t('silent')
}

const keyTable = () =>
  html`<table>
    <thead>
      <tr>
        <th scope="col">${t('key')}</th>
        <th scope="col">${t('does')}</th>
      </tr>
    </thead>
    <tbody>
      ${KEYS.map(
        ([keys, does]) =>
          html`<tr>
            <th scope="row"><kbd>${keys}</kbd></th>
            <td>${does}</td>
          </tr>`,
      )}
    </tbody>
  </table>`

/** A third-party embed. Watching it cannot be measured, so the learner marks it as done. */
function embedded(asset: Video, episode: Episode, told: Told): Child {
  return [
    asset.embed_url
      ? html`<div class="stage">
          <iframe
            src=${asset.embed_url}
            title=${episode.title}
            allow="fullscreen; picture-in-picture; autoplay"
            loading="lazy"
            referrerpolicy="strict-origin-when-cross-origin"
          ></iframe>
        </div>`
      : html`<p class="note">${t('elsewhere')}</p>`,
    html`<p class="under-stage is-spaced">
      ${doneButton(episode, told)}
      <a href=${asset.url} target="_blank" rel="noopener"
        >${t('open_at', { host: new URL(asset.url, location.href).host })}</a
      >
    </p>`,
  ]
}

function showState(place: HTMLElement, part: number, completed: boolean) {
  fillWith(place, completed ? badge(t('watched'), 'good', 'check') : progress(part * 100, t('watched_of')))
}

function chapters({ chapters: list }: Video) {
  const jump = (seconds: number) => {
    const video = document.querySelector('video')
    if (!video) return
    video.currentTime = seconds
    void video.play()
  }
  return html`<section aria-labelledby="chapters">
    <h2 id="chapters">${t('chapters')}</h2>
    <ol class="rows chapters">
      ${list.map(
        ({ start_seconds, title }) =>
          html`<li>
            <button type="button" onclick=${() => jump(start_seconds)}>
              <span>${clock(start_seconds)}</span><bdi>${title}</bdi>
            </button>
          </li>`,
      )}
    </ol>
  </section>`
}

function siblings({ episodes, id: channel_id, my }: Channel, current: string) {
  const list = html`<ol class="rows siblings"></ol>`
  fillWith(
    list,
    episodes.map(
      ({ id, title, position, my: own, duration_seconds }) =>
        html`<li class="episode-row is-small" aria-current=${id === current ? 'true' : null}>
          ${ring(own, position)}
          <div>
            <p dir="auto">
              ${own.locked && !my.can_edit ? title : html`<a href="/episode?id=${id}&channel=${channel_id}">${title}</a>`}
            </p>
            ${meta(own.completed ? t('watched') : own.locked ? t('locked') : own.progress > 0 && t('watched_part', { percent: percent(own.progress * 100) }), duration(duration_seconds))}
          </div>
        </li>`,
    ),
  )
  // Scrolls to the current episode once the list has a height.
  requestAnimationFrame(() => {
    const here = list.querySelector<HTMLElement>('[aria-current]')
    if (here && list.isConnected) list.scrollTop = here.offsetTop - list.clientHeight / 3
  })
  return html`<section aria-labelledby="siblings">
    <h2 id="siblings">${t('siblings')}</h2>
    ${list}
  </section>`
}

function neighbours({ episodes, id: channel_id, my }: Channel, { id }: Episode): Child {
  const at = episodes.findIndex((one) => one.id === id)
  const [before, after] = [episodes[at - 1], episodes[at + 1]]
  const link = (to: Episode | undefined, words: string, side: 'prev' | 'next') =>
    to && (!to.my.locked || my.can_edit)
      ? html`<a class="neighbour is-${side}" rel=${side} href="/episode?id=${to.id}&channel=${channel_id}"
          ><span>${words}</span><bdi>${to.title}</bdi></a
        >`
      : html`<span></span>`
  return (
    (before || after) &&
    html`<nav class="neighbours" aria-label=${t('neighbours')}>
      ${link(before, t('before'), 'prev')} ${link(after, t('next'), 'next')}
    </nav>`
  )
}
