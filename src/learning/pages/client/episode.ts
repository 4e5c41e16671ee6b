import { texts } from '#foundation/web/client/language.ts'
import type { Channel, Episode, HomeworkPage, Page, Progress, Test, Video } from '../api-types.ts'
import { get, refusal, send } from './api.ts'
import { followVideo } from './beats.ts'
import { showDialog } from './dialog.ts'
import { EPISODE_TEXTS } from './episode-texts.ts'
import { workOf } from './episode-work.ts'
import { act } from './form.ts'
import { clock, direction, duration, percent } from './format.ts'
import { setTitle, setTrail } from './heading.ts'
import { type Child, fillWith, html } from './html.ts'
import { icon } from './icons.ts'
import { markdown } from './markdown.ts'
import { openPage, type Visit } from './page.ts'
import { badge, meta, progress } from './parts.ts'
import { phrase } from './phrase.ts'
import { KEYS, listenToKeys, resumeAt, videoOf } from './player.ts'
import { ring } from './ring.ts'
import { SHELL_TEXTS } from './shell-texts.ts'
import { sentence, signInAddress } from './states.ts'
import { toast } from './toast.ts'

const t = texts(EPISODE_TEXTS)
const shell = texts(SHELL_TEXTS)

openPage(async (visit) => {
  const id = visit.required('id')
  const asked = channelOf(id, visit.query.get('channel'))
  const [channel, asset, homework, tests] = await Promise.all([
    asked,
    asked.then((found) => assetOf(found, id)),
    get<HomeworkPage>(`/api/episodes/${encodeURIComponent(id)}/homework`),
    get<Page<Test>>(`/api/episodes/${encodeURIComponent(id)}/tests`),
  ])
  const episode = channel.episodes.find((one) => one.id === id)
  if (!episode) throw refusal(404, 'The episode is not of this channel')
  setTitle(episode.title)
  setTrail(
    { href: '/channels', text: shell('channels') },
    { href: `/channel?id=${channel.id}`, text: channel.title },
  )
  const state = html`<div class="watched" aria-live="polite"></div>`
  showState(state, episode.my.progress, episode.my.completed)
  const language = episode.language ?? channel.language
  return html`<div class="with-side watch">
    <div class="stack">
      <section aria-label=${t('video')}>
        ${asset ? stage(asset, episode, visit, state) : noVideo(channel, id)}
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
      ${workOf(homework.items, tests.items, id)} ${asset && transcript(asset, language)}
      ${neighbours(channel, episode)}
    </div>
    <aside class="watch-side stack">
      ${asset && asset.chapters.length > 0 && chapters(asset)} ${siblings(channel, id)}
    </aside>
  </div>`
})

/** The channel of the episode, from the URL if it is there, otherwise from the episode's progress. */
async function channelOf(id: string, channel: string | null): Promise<Channel> {
  const channel_id = channel ?? (await get<Progress>(`/api/progress/${encodeURIComponent(id)}`)).channel_id
  return get<Channel>(`/api/channels/${encodeURIComponent(channel_id)}`)
}

/** Requested only if the episode has a video, because an episode may have none. */
const assetOf = async ({ episodes }: Channel, id: string): Promise<Video | undefined> =>
  episodes.find((episode) => episode.id === id)?.video
    ? get<Video>(`/api/episodes/${encodeURIComponent(id)}/video`)
    : undefined

function noVideo({ my, id }: Channel, episode_id: string) {
  const link = html`<a href="/episode/edit?id=${episode_id}&channel=${id}">${t('add_one')}</a>`
  return html`<p class="note">${my.can_edit ? phrase(t, 'no_video_yet', { link }) : t('no_video')}</p>`
}

function stage(asset: Video, episode: Episode, visit: Visit, state: HTMLElement): Child {
  if (asset.kind === 'embed') return embedded(asset, episode, state)
  const video = videoOf(asset, episode.title)
  const bar = html`<div class="bar" hidden></div>`
  followVideo(video, visit.user.id, episode.id, {
    progressed: (told) => {
      bar.hidden = true
      if (told.completed && !episode.my.completed) toast(t('watched_one', { title: episode.title }))
      episode.my.completed = told.completed
      showState(state, told.progress, told.completed)
    },
    refused: (status, detail) => {
      bar.hidden = false
      fillWith(bar, waitingFor(status, detail, visit.sso_url))
    },
  })
  listenToKeys(video, () => void showDialog(t('keys'), keyTable()))
  const fault = html`<p class="note is-bad" role="alert" hidden>
    ${phrase(t, 'unplayable', {
      link: html`<a href=${asset.url} target="_blank" rel="noopener">${t('open_itself')}</a>`,
    })}
  </p>`
  video.addEventListener('unplayable', () => (fault.hidden = false))
  return [
    html`<div class="stage">${video}</div>`,
    html`<div class="under-stage">
      ${resumeAt(video, episode.my.position_seconds)}
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

/** A third-party embed. Watching it cannot be measured, so the learner marks it as watched. */
function embedded(asset: Video, episode: Episode, state: HTMLElement): Child {
  const done = html`<button type="button" class="second">${icon('check')}${t('mark')}</button>`
  done.addEventListener(
    'click',
    () =>
      void act(done, async () => {
        const told = await send<Progress>('POST', '/api/progress', {
          episode_id: episode.id,
          completed: true,
        })
        showState(state, told.progress, told.completed)
        done.remove()
      }),
  )
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
      ${!episode.my.completed && done}
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
              <span>${clock(start_seconds)}</span>${title}
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
            <p>
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
    if (here) list.scrollTop = here.offsetTop - list.clientHeight / 3
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
          ><span>${words}</span>${to.title}</a
        >`
      : html`<span></span>`
  return (
    (before || after) &&
    html`<nav class="neighbours" aria-label=${t('neighbours')}>
      ${link(before, t('before'), 'prev')} ${link(after, t('next'), 'next')}
    </nav>`
  )
}

function transcript({ transcript: text }: Video, language: string): Child {
  return (
    text &&
    html`<details class="transcript">
      <summary>${t('transcript')}</summary>
      <div class="prose" lang=${language} dir=${direction(language)}>
        ${text.split(/\n{2,}/).map((paragraph) => html`<p>${paragraph}</p>`)}
      </div>
    </details>`
  )
}
