import { texts } from '#foundation/web/client/language.ts'
import type { Caption, Video } from '../api-types.ts'
import { EPISODE_TEXTS } from './episode-texts.ts'
import { clock, number } from './format.ts'
import { type Child, html } from './html.ts'
import { renditionsOf } from './quality.ts'
import { toast } from './toast.ts'

const t = texts(EPISODE_TEXTS)

/** The URL of hls.js. Loaded only for playlists, and only if the browser cannot play them itself. */
const HLS = new URL('../hls.mjs', import.meta.url).href
const HLS_TYPE = 'application/vnd.apple.mpegurl'

/** The video with native controls, renditions and captions. It starts to load once it is in the page. */
export function videoOf(asset: Video, title: string): HTMLVideoElement {
  const video = html`<video
    controls
    playsinline
    preload="metadata"
    aria-label=${title}
    poster=${asset.poster_url}
  ></video>` as HTMLVideoElement
  if (asset.kind === 'hls' && !video.canPlayType(HLS_TYPE)) void playList(video, asset.url)
  else {
    const sources = renditionsOf(asset)
    for (const [i, { url, mime_type }] of sources.entries())
      video.append(
        html`<source
          src=${url}
          type=${mime_type}
          onerror=${() => i === sources.length - 1 && video.dispatchEvent(new Event('unplayable'))}
        />`,
      )
  }
  video.addEventListener('error', () => video.dispatchEvent(new Event('unplayable')))
  void addCaptions(video, asset.captions)
  return video
}

type Hls = {
  isSupported: () => boolean
  new (settings: { enableWorker: boolean }): {
    loadSource: (url: string) => void
    on: (event: 'hlsError', listener: (name: string, fault: { fatal: boolean }) => void) => void
    attachMedia: (video: HTMLVideoElement) => void
  }
}

async function playList(video: HTMLVideoElement, url: string) {
  const { default: Hls } = (await import(HLS)) as { default: Hls }
  if (!Hls.isSupported()) return void video.dispatchEvent(new Event('unplayable'))
  // hls.js would create its worker from text, which the content security policy forbids.
  const list = new Hls({ enableWorker: false })
  list.on('hlsError', (_, { fatal }) => fatal && video.dispatchEvent(new Event('unplayable')))
  list.loadSource(url)
  list.attachMedia(video)
}

/**
 * Fetches captions and passes them from memory. A cross-origin track would need the video itself to be served with
 * CORS, and most are not.
 */
async function addCaptions(video: HTMLVideoElement, captions: readonly Caption[]) {
  const read = captions.map(async ({ url }) => {
    const reply = await fetch(url, { credentials: 'omit' }).catch(() => undefined)
    return reply?.ok ? reply.text() : undefined
  })
  // All at once: of one that comes alone a browser takes the language of the reader, and would show the default beside it.
  const texts = await Promise.all(read)
  for (const [i, { lang, label, kind, default: isDefault }] of captions.entries()) {
    const text = texts[i]
    if (text === undefined) continue
    const src = URL.createObjectURL(new Blob([text], { type: 'text/vtt' }))
    video.append(
      html`<track src=${src} srclang=${lang} label=${label || lang} kind=${kind} default=${isDefault} />`,
    )
  }
}

export const KEYS: readonly (readonly [keys: string, does: string])[] = [
  [t('space'), t('play')],
  ['j, l', t('ten')],
  ['← →', t('five')],
  ['c', t('captions')],
  ['f', t('full')],
  ['< >', t('speed')],
  ['?', t('list')],
]

/** Page-wide keys, except while typing and except keys that the focused element uses itself. */
export function listenToKeys(video: HTMLVideoElement, showHelp: () => void): void {
  document.addEventListener('keydown', (event) => {
    const { target, key } = event
    if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector('dialog[open]')) return
    if (!(target instanceof HTMLElement) || target.closest('input, textarea, select')) return
    if (key === ' ' && target.closest('button, a, summary, video')) return
    if (key.startsWith('Arrow') && target === video) return
    if (doneBy(key, video, showHelp)) event.preventDefault()
  })
}

function doneBy(key: string, video: HTMLVideoElement, showHelp: () => void): boolean {
  const move = (seconds: number) => (video.currentTime = Math.max(0, video.currentTime + seconds))
  const speed = (factor: number) => {
    video.playbackRate = Math.min(2, Math.max(0.5, video.playbackRate + factor))
    toast(t('speed_now', { rate: number(video.playbackRate) }))
  }
  switch (key) {
    case ' ':
    case 'k':
      return (video.paused ? void video.play() : video.pause(), true)
    case 'j':
      return (move(-10), true)
    case 'l':
      return (move(10), true)
    case 'ArrowLeft':
      return (move(-5), true)
    case 'ArrowRight':
      return (move(5), true)
    case 'c':
      return (switchCaptions(video), true)
    case 'f':
      return (void (document.fullscreenElement ? document.exitFullscreen() : video.requestFullscreen()), true)
    case '<':
      return (speed(-0.25), true)
    case '>':
      return (speed(0.25), true)
    case '?':
      return (showHelp(), true)
    default:
      return false
  }
}

function switchCaptions(video: HTMLVideoElement) {
  const tracks = Array.from(video.textTracks)
  const isShown = tracks.some(({ mode }) => mode === 'showing')
  const usual = video.querySelector<HTMLTrackElement>('track[default]')?.track ?? tracks[0]
  for (const track of tracks) track.mode = !isShown && track === usual ? 'showing' : 'disabled'
  toast(t(tracks.length === 0 ? 'no_captions' : isShown ? 'captions_off' : 'captions_on'))
}

/** The second that the address names: where a search found something. */
const askedSecond = () => Number(new URLSearchParams(location.search).get('t') ?? NaN)

/** Resumes at the last position and says so, unless only the last seconds remain, or where the address says. */
export function resumeAt(video: HTMLVideoElement, seconds: number): Child {
  const note = html`<p class="resumed" hidden>
    <span>${t('goes_on', { time: clock(seconds) })}</span>
    <button
      type="button"
      class="quiet"
      onclick=${() => {
        video.currentTime = 0
        note.hidden = true
      }}
    >
      ${t('start_over')}
    </button>
  </p>`
  video.addEventListener(
    'loadedmetadata',
    () => {
      const asked = askedSecond()
      if (asked >= 0 && asked < video.duration) return void (video.currentTime = asked)
      if (seconds < 5 || seconds > video.duration - Math.min(10, video.duration / 20)) return
      video.currentTime = seconds
      note.hidden = false
    },
    { once: true },
  )
  return note
}
