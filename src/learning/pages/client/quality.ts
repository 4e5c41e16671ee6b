import { texts } from '#foundation/web/client/language.ts'
import type { Video } from '../api-types.ts'
import { EPISODE_TEXTS } from './episode-texts.ts'
import { select } from './form.ts'
import { type Child, html } from './html.ts'
import { keptQuality, keepQuality } from './player-settings.ts'

const t = texts(EPISODE_TEXTS)

type Offered = Pick<Video, 'url' | 'mime_type' | 'height'>

/** The file and its renditions, the one first that this device chose last, or comes nearest to it from below. */
export function renditionsOf({ url, mime_type, height, sources }: Video): Offered[] {
  const offered = [{ url, mime_type, height }, ...sources]
  const most = keptQuality()
  if (most === undefined) return offered
  const rank = (one: Offered) =>
    one.height === null ? Infinity : one.height <= most ? most - one.height : one.height
  return offered.toSorted((a, b) => rank(a) - rank(b))
}

/** A choice among renditions of different heights; the video goes on where it was. Nothing for a single one. */
export function qualityChoice(video: HTMLVideoElement, asset: Video): Child {
  const offered = renditionsOf(asset).filter(({ mime_type }) => video.canPlayType(mime_type) !== '')
  if (asset.kind !== 'file' || offered.length < 2) return null
  const choice = select(
    offered.map(
      ({ height }, i) =>
        [String(i), height === null ? t('version', { number: i + 1 }) : `${height}p`] as const,
    ),
    '0',
  )
  choice.setAttribute('aria-label', t('quality'))
  choice.addEventListener('change', () => {
    const chosen = offered[Number(choice.value)]
    if (!chosen) return
    if (chosen.height !== null) keepQuality(chosen.height)
    goOnWith(video, chosen.url)
  })
  return html`<label class="quality">${t('quality')} ${choice}</label>`
}

function goOnWith(video: HTMLVideoElement, url: string) {
  const { currentTime, paused, playbackRate } = video
  for (const source of video.querySelectorAll('source')) source.remove()
  video.src = url
  const goOn = () => {
    video.currentTime = currentTime
    video.playbackRate = playbackRate
    if (!paused) void video.play()
  }
  video.addEventListener('loadedmetadata', goOn, { once: true })
}
