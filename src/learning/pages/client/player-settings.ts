import { keep, kept } from './kept.ts'

/** How this device plays videos. `captions`: a language, or null for none; absent while nobody chose. */
type Settings = {
  rate?: number
  volume?: number
  muted?: boolean
  captions?: string | null
  quality?: number
}

const NAME = 'player'
/** Browsers switch captions themselves soon after a track is added; that is no choice of anybody. */
const SETTLED_MS = 1_500

/** The height that was chosen last; undefined while nobody chose. */
export const keptQuality = (): number | undefined => {
  const quality = kept<Settings>(NAME)?.quality
  return typeof quality === 'number' ? quality : undefined
}
export const keepQuality = (quality: number): void => keep(NAME, { ...kept<Settings>(NAME), quality })

/** Plays as this device played last: speed, volume and captions; and keeps what is chosen now. */
export function rememberSettings(video: HTMLVideoElement): void {
  const { rate, volume, muted, captions } = kept<Settings>(NAME) ?? {}
  if (typeof rate === 'number' && rate >= 0.25 && rate <= 4)
    video.defaultPlaybackRate = video.playbackRate = rate
  if (typeof volume === 'number' && volume >= 0 && volume <= 1) video.volume = volume
  if (typeof muted === 'boolean') video.muted = muted
  const change = (settings: Settings) => keep(NAME, { ...kept<Settings>(NAME), ...settings })
  video.addEventListener('ratechange', () => change({ rate: video.playbackRate }))
  video.addEventListener('volumechange', () => change({ volume: video.volume, muted: video.muted }))

  let addedAt = performance.now()
  const tracks = () => Array.from(video.textTracks)
  video.textTracks.addEventListener('addtrack', () => {
    addedAt = performance.now()
    // What was chosen here, else the author's default: a browser may show another track beside it.
    const apply = () => {
      const usual = video.querySelector<HTMLTrackElement>('track[default]')?.track
      if (captions === undefined && !usual) return
      const shown = captions === undefined ? usual : tracks().find(({ language }) => language === captions)
      for (const track of tracks()) track.mode = track === shown ? 'showing' : 'disabled'
    }
    setTimeout(apply, 0)
    setTimeout(apply, SETTLED_MS / 3)
  })
  video.textTracks.addEventListener('change', () => {
    if (performance.now() - addedAt < SETTLED_MS) return
    change({ captions: tracks().find(({ mode }) => mode === 'showing')?.language ?? null })
  })
}
