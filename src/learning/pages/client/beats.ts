import type { Progress, ProgressBody } from '../api-types.ts'
import { refusalOf, send } from './api.ts'
import { keep, kept } from './kept.ts'

/** The interval between beats: four calls a minute, of the 100 allowed. */
const BEAT_MS = 15_000
/** The interval between local saves: at most this much is lost if the browser crashes. */
const NOTE_MS = 2_000
/** The most segments the service takes per request. */
const MAX_SEGMENTS = 200
/** The longest step in seconds that counts as playing; a longer one is a seek. */
const MAX_STEP_SECONDS = 4

type Segment = [from: number, to: number]
type Waiting = { position: number; segments: Segment[] }

type Told = { progressed: (progress: Progress) => void; refused: (status: number, detail: string) => void }

/**
 * Reports watched segments every 15 s while the video plays, on pause, at the end and when the page is left. Unsent
 * segments are kept on the device, per user and episode, and are sent later.
 */
export function followVideo(video: HTMLVideoElement, user_id: string, episode_id: string, told: Told): void {
  const place = `beats.${user_id}.${episode_id}`
  let waiting = kept<Waiting>(place) ?? { position: 0, segments: [] }
  let current: Segment | undefined
  let isSending = false
  let notedAt = 0

  const note = () => {
    notedAt = performance.now()
    const segments = current && current[1] > current[0] ? [...waiting.segments, current] : waiting.segments
    keep(place, segments.length > 0 ? { ...waiting, segments } : undefined)
  }
  const close = () => {
    if (current && current[1] > current[0]) waiting.segments.push(current)
    current = undefined
  }
  const look = () => {
    const now = video.currentTime
    waiting.position = now
    if (current && now >= current[1] && now - current[1] <= MAX_STEP_SECONDS * video.playbackRate)
      current[1] = now
    else if (!video.seeking) {
      close()
      if (!video.paused) current = [now, now]
    }
    if (performance.now() - notedAt > NOTE_MS) note()
  }

  /** Sends the pending segments. Sending one twice counts once, because the service merges segments. */
  async function flush({ keepalive = false } = {}) {
    if (current) {
      const to = current[1]
      close()
      if (!video.paused) current = [to, to]
    }
    note()
    if (waiting.segments.length === 0 || (isSending && !keepalive)) return
    const sent = waiting.segments.slice(0, MAX_SEGMENTS)
    const body: ProgressBody = {
      episode_id,
      position_seconds: waiting.position,
      segments: sent,
      ...(Number.isFinite(video.duration) && { duration_seconds: video.duration }),
    }
    isSending = true
    try {
      const progress = await send<Progress>('POST', '/api/progress', body, { keepalive })
      waiting = { ...waiting, segments: waiting.segments.filter((segment) => !sent.includes(segment)) }
      note()
      told.progressed(progress)
    } catch (error) {
      const { status, message } = refusalOf(error)
      told.refused(status, message)
    } finally {
      isSending = false
    }
  }

  video.addEventListener('timeupdate', look)
  video.addEventListener('play', look)
  video.addEventListener('seeking', close)
  for (const event of ['pause', 'ended']) video.addEventListener(event, () => (look(), void flush()))
  setInterval(() => void (video.paused || flush()), BEAT_MS)
  document.addEventListener(
    'visibilitychange',
    () => void flush({ keepalive: document.visibilityState === 'hidden' }),
  )
  addEventListener('online', () => void flush())
  if (waiting.segments.length > 0) void flush()
}
