import { language as pageLanguage, texts } from '#foundation/web/client/language.ts'
import type { Caption, Channel, Episode, Video } from '../api-types.ts'
import { DAY_TEXTS } from './day-texts.ts'
import { select } from './form.ts'
import { clock } from './format.ts'
import { goTo } from './go-to.ts'
import { type Child, fillWith, html } from './html.ts'
import { notesOf } from './notes.ts'
import { languageName } from './parts.ts'
import { questionsOf } from './questions.ts'
import { type Cue, cueAt, cuesOf } from './vtt.ts'

/* What a learner uses beside a video. The page loads it beside its data (episode.ts). */

const t = texts(DAY_TEXTS)

/** Notes, questions and answers of an episode. `video` is the player, if the page can follow it. */
export const panelsOf = (channel: Channel, episode: Episode, video: HTMLVideoElement | null): Child => [
  notesOf(channel, episode, video),
  questionsOf(channel, episode, video),
]

/** The transcript: with times where there are captions, else the text that the author wrote. */
export function transcriptOf(asset: Video, video: HTMLVideoElement | null, language: string): Child {
  const captions = asset.captions.filter(({ kind }) => kind === 'captions' || kind === 'subtitles')
  if (!asset.transcript && (captions.length === 0 || !video)) return null
  const place = html`<div class="prose">${written(asset.transcript, language)}</div>`
  const more = html`<details class="transcript">
    <summary>${t('transcript')}</summary>
    ${place}
  </details>`
  if (video && captions.length > 0)
    more.addEventListener('toggle', () => void showTimed(place, captions, video), { once: true })
  return more
}

const written = (text: string, language: string) =>
  html`<div lang=${language}>
    ${text.split(/\n{2,}/).map((paragraph) => html`<p dir="auto">${paragraph}</p>`)}
  </div>`

async function showTimed(place: HTMLElement, captions: Caption[], video: HTMLVideoElement) {
  const first =
    captions.find(({ lang }) => lang.startsWith(pageLanguage)) ??
    captions.find((one) => one.default) ??
    captions[0]
  const lines = html`<div></div>`
  const choice = select(
    captions.map(({ lang, label }, i) => [String(i), label || languageName(lang)] as const),
    String(captions.findIndex((one) => one === first)),
  )
  choice.setAttribute('aria-label', t('transcript_language'))
  const show = async (caption: Caption | undefined) => {
    const cues = caption ? await read(caption) : []
    if (!caption || cues.length === 0) return false
    fillWith(lines, timed(cues, caption.lang, video))
    return true
  }
  choice.addEventListener('change', () => void show(captions[Number(choice.value)]))
  if (await show(first)) place.prepend(...(captions.length > 1 ? [choice] : []), lines)
}

async function read({ url }: Caption): Promise<Cue[]> {
  try {
    const reply = await fetch(url, { credentials: 'omit' })
    return reply.ok ? cuesOf(await reply.text()) : []
  } catch {
    return []
  }
}

/** Each line is a button; the one that is spoken is marked and kept in sight while nobody reads elsewhere in the list. */
function timed(cues: readonly Cue[], lang: string, video: HTMLVideoElement) {
  const rows = cues.map(
    ({ from, text }, i) =>
      html`<li>
        <button type="button" class="cue" data-at=${i} aria-label="${clock(from)} ${text}">
          <span>${clock(from)}</span><span lang=${lang} dir="auto">${text}</span>
        </button>
      </li>`,
  )
  const list = html`<ol class="cues">
    ${rows}
  </ol>`
  list.addEventListener('click', ({ target }) => {
    const at = target instanceof Element ? target.closest<HTMLElement>('[data-at]')?.dataset['at'] : undefined
    if (at !== undefined) goTo(video, cues[Number(at)]?.from ?? 0)
  })
  let current = -1
  const follow = () => {
    const now = cueAt(cues, video.currentTime)
    if (now === current) return
    rows[current]?.firstElementChild?.removeAttribute('aria-current')
    const row = rows[(current = now)]
    row?.firstElementChild?.setAttribute('aria-current', 'true')
    if (row && !list.matches(':hover') && !list.contains(document.activeElement))
      list.scrollTop = row.offsetTop - list.clientHeight / 3
  }
  for (const event of ['timeupdate', 'seeked']) video.addEventListener(event, follow)
  requestAnimationFrame(follow)
  return list
}

/** A strip below the video: one part for each chapter. Keyboards use the list of chapters, so it is for pointers only. */
export function timelineOf({ chapters, duration_seconds }: Video, video: HTMLVideoElement): Child {
  const end = duration_seconds ?? 0
  if (chapters.length < 2 || end <= 0) return null
  const parts = chapters.map(({ start_seconds, title }, i) => {
    const part = html`<span title="${clock(start_seconds)} ${title}" data-at=${start_seconds}></span>`
    part.style.flexGrow = String(Math.max(0, (chapters[i + 1]?.start_seconds ?? end) - start_seconds))
    return part
  })
  const strip = html`<div class="timeline" aria-hidden="true">${parts}</div>`
  strip.addEventListener('click', ({ target }) => {
    if (target instanceof HTMLElement && target.dataset['at']) goTo(video, Number(target.dataset['at']))
  })
  video.addEventListener('timeupdate', () => {
    for (const [i, part] of parts.entries()) {
      const [from, to] = [chapters[i]?.start_seconds ?? 0, chapters[i + 1]?.start_seconds ?? end]
      part.classList.toggle('is-now', video.currentTime >= from && video.currentTime < to)
    }
  })
  return strip
}
