import { language, texts } from '#foundation/web/client/language.ts'
import type { Caption, Chapter, Video } from '../api-types.ts'
import { field, select, tick } from './form.ts'
import { clock } from './format.ts'
import { html } from './html.ts'
import { icon } from './icons.ts'
import { lazily } from './lazily.ts'
import { area, isTicked, numberIn, secondsOf, textIn, textOrNull } from './read.ts'
import type { Rendition, renditionRows } from './renditions.ts'
import { rowList } from './rows.ts'
import { captionsUploader } from './upload.ts'
import { VIDEO_TEXTS } from './video-texts.ts'
import { EDITING_TEXTS } from './editing-texts.ts'

const t = texts(EDITING_TEXTS)
const v = texts(VIDEO_TEXTS)

const KINDS = [
  ['captions', v('captions')],
  ['subtitles', v('subtitles')],
  ['descriptions', v('descriptions')],
] as const

/** The fields of a video as they are shown: half typed, perhaps. A length or time that is none stands as it was typed. */
export type ShownVideo = {
  url: string
  duration_seconds: number | string | null
  poster_url: string | null
  sources: Rendition[]
  captions: Caption[]
  chapters: ShownChapter[]
  transcript: string
  completion_threshold: number | null
  strict_watch: boolean
}
type ShownChapter = Omit<Chapter, 'start_seconds'> & { start_seconds: number | string }

/** URL with preview, renditions, captions, chapters, transcript and the completion threshold. `known`: as published. */
export function videoForm(video: ShownVideo, channel_id: string, known: Video | undefined) {
  const preview = html`<div class="preview"></div>`
  const address = html`<input
    required
    inputmode="url"
    maxlength="2048"
    value=${video.url}
    onchange=${() => show(learnLength)}
  />` as HTMLInputElement
  const length = html`<input
    inputmode="numeric"
    value=${shownTime(video.duration_seconds)}
  />` as HTMLInputElement
  // Few videos have any.
  let renditions: ReturnType<typeof renditionRows> | undefined
  async function showRenditions() {
    const { renditionRows: rowsOf } = await lazily(import('./renditions.ts'))
    if (renditions) return
    renditions = rowsOf(video.sources)
    folded.append(renditions.element)
  }
  const folded = html`<details
    class="more"
    open=${video.sources.length > 0}
    ontoggle=${() => void showRenditions().catch(() => {})}
  >
    <summary>${v('renditions')}</summary>
  </details>`
  const chapters = rowList<ShownChapter>({
    one: v('one_chapter'),
    path: 'video.chapters',
    values: video.chapters,
    make: (chapter) => {
      const content = html`<div class="field-row is-start">
        ${field({ name: 'start_seconds', label: v('at'), control: html`<input required pattern="[0-9:.]+" placeholder="0:00" value=${shownTime(chapter?.start_seconds ?? null)} />` })}
        ${field({ name: 'title', label: v('chapter'), control: html`<input required maxlength="120" dir="auto" value=${chapter?.title ?? ''} />` })}
      </div>`
      return {
        content,
        read: () => ({
          start_seconds: timeIn(content, 'start_seconds', chapter?.start_seconds) ?? '',
          title: textIn(content, 'title'),
        }),
      }
    },
  })
  const captions = rowList<Caption>({
    one: v('one_track'),
    path: 'video.captions',
    max: 20,
    addText: v('add_captions'),
    values: video.captions,
    make: (caption) => {
      const url = html`<input
        required
        inputmode="url"
        maxlength="2048"
        value=${caption?.url ?? ''}
      />` as HTMLInputElement
      const lang = html`<input
        required
        maxlength="35"
        placeholder=${language}
        value=${caption?.lang ?? ''}
      />` as HTMLInputElement
      const content = html`<div class="fields is-tight">
        <div class="field-row">
          ${field({ name: 'lang', label: t('language'), control: lang })}
          ${field({ name: 'label', label: v('shown_as'), control: html`<input maxlength="80" placeholder=${v('english')} value=${caption?.label ?? ''} />` })}
          ${field({ name: 'kind', label: v('kind'), control: select(KINDS, caption?.kind ?? 'captions') })}
        </div>
        ${field({ name: 'url', label: v('vtt'), control: url })}
        ${tick('default', v('by_default'), caption?.default)}
        ${captionsUploader(channel_id, url, (name) => (lang.value ||= languageIn(name) ?? language))}
      </div>`
      return {
        content,
        read: () => ({
          lang: textIn(content, 'lang').trim(),
          label: textIn(content, 'label'),
          kind: textIn(content, 'kind') as Caption['kind'],
          url: textIn(content, 'url').trim(),
          default: isTicked(content, 'default'),
        }),
      }
    },
  })
  // One at most.
  captions.element.addEventListener('change', ({ target }) => {
    if (!(target instanceof HTMLInputElement) || target.name !== 'default') return
    for (const one of captions.element.querySelectorAll<HTMLInputElement>('[name=default]'))
      one.checked &&= one === target
  })
  const element: HTMLElement = html`<div class="video-form">
    <div class="fields">
      ${field({ name: 'url', label: v('video_url'), hint: v('video_hint'), control: address })}
      <div class="field-row">
        ${field({ name: 'duration_seconds', label: v('length'), isOptional: true, hint: v('length_hint'), control: length })}
        ${field({ name: 'poster_url', label: v('poster'), isOptional: true, control: html`<input inputmode="url" maxlength="2048" value=${video.poster_url ?? ''} />` })}
      </div>
      ${folded}
      <h3>${v('captions')}</h3>
      ${captions.element}
      <h3>${v('chapters')}</h3>
      ${chapters.element}
      ${field({ name: 'transcript', label: v('transcript'), isOptional: true, hint: v('transcript_hint'), control: area(video.transcript, 200_000) })}
      <details class="more">
        <summary>${v('watched')}</summary>
        <div class="fields">
          ${field({ name: 'completion_threshold', label: v('threshold'), isOptional: true, hint: v('threshold_hint'), control: html`<input type="number" min="50" max="100" step="0.1" value=${video.completion_threshold ? Math.round(video.completion_threshold * 1_000) / 10 : ''} />` })}
          ${tick('strict_watch', v('strict'), video.strict_watch, v('strict_hint'))}
        </div>
      </details>
    </div>
    ${preview}
  </div>`
  show()

  function show(learned: (seconds: number) => void = () => {}) {
    const url = address.value.trim()
    preview.replaceChildren(previewOf(url, url === known?.url ? known : undefined, learned))
  }

  /** Uses the length from the file only if none was entered. */
  function learnLength(seconds: number) {
    if (length.value !== '' || !Number.isFinite(seconds)) return
    length.value = clock(seconds)
    length.dispatchEvent(new Event('input', { bubbles: true }))
  }

  function read(): ShownVideo {
    const threshold = numberIn(element, 'completion_threshold')
    return {
      url: textIn(element, 'url').trim(),
      duration_seconds: timeIn(element, 'duration_seconds', video.duration_seconds),
      poster_url: textOrNull(element, 'poster_url'),
      sources: renditions?.read() ?? video.sources.map(({ url, height }) => ({ url, height })),
      captions: captions.read(),
      chapters: chapters.read(),
      transcript: textIn(element, 'transcript'),
      completion_threshold: threshold === null ? null : Math.round(threshold * 10) / 1_000,
      strict_watch: isTicked(element, 'strict_watch'),
    }
  }
  return { element, read }
}

const shownTime = (time: number | string | null): string =>
  typeof time === 'number' ? clock(time) : (time ?? '')

/** What is no time yet is kept as it was typed. The clock shows whole seconds, so an untouched value keeps its fraction. */
function timeIn(
  place: HTMLElement,
  name: string,
  was: number | string | null = null,
): number | string | null {
  const said = textIn(place, name).trim()
  if (typeof was === 'number' && said === clock(was)) return was
  return secondsOf(said) ?? (said || null)
}

/** The language in a name such as `talk.en.vtt` or `talk.pt-BR.srt`. */
const languageIn = (name: string): string | undefined =>
  /\.([a-z]{2,3}(?:-[A-Za-z]{2,4})?)\.\w{3}$/.exec(name)?.[1]

const FILE = /\.(?:mp4|m4v|webm|ogv|mov)(?:[?#]|$)/i

/** A preview of the video. Calls `learned` with its length once that is known. */
function previewOf(url: string, video: Video | undefined, learned: (seconds: number) => void): HTMLElement {
  if (url === '') return html`<p class="preview-none">${icon('play')}${v('preview_here')}</p>`
  if (video?.embed_url)
    return html`<iframe
      title=${v('preview')}
      src=${video.embed_url}
      allow="fullscreen; picture-in-picture"
      referrerpolicy="strict-origin-when-cross-origin"
    ></iframe>`
  if (video ? video.kind !== 'file' : !FILE.test(url))
    return html`<p class="preview-none">
      <a href=${url} target="_blank" rel="noopener noreferrer">${v('new_tab')}</a>
    </p>`
  const player = html`<video
    controls
    preload="metadata"
    src=${url}
    poster=${video?.poster_url}
  ></video>` as HTMLVideoElement
  player.addEventListener('loadedmetadata', () => learned(player.duration))
  player.addEventListener('error', () =>
    player.replaceWith(html`<p class="preview-none">${icon('warn')}${v('cannot_play')}</p>`),
  )
  return player
}
