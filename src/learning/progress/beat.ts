import {
  clip,
  closeGaps,
  intersect,
  keepLast,
  lengthOf,
  type Range,
  type Ranges,
  subtract,
  union,
} from './ranges.ts'

/** The longest video, in ms. It limits positions while the duration is unknown. */
const LONGEST = 86_400_000
/** The highest playback speed. A jump that is faster was a skip, not watching. */
const MAX_SPEED = 2.5
/** Extra ms that strict_watch allows, because a player may have run before its first beat. */
const HEAD_START = 30_000
const MAX_RANGES = 1_000
const SMALL_GAP = 1_000
/** ms. A shorter range, or a shorter step back, does not count as watching again. */
const SECOND_LOOK = 5_000

/** One POST /api/progress; times in ms. */
export type Beat = {
  position: number | undefined
  /**
   * As sent: in any order, overlapping, beyond the ends. Undefined means not sent, which differs from an empty list.
   */
  segments: readonly Range[] | undefined
  duration: number | undefined
  is_completed: boolean
  /** The player could not play the video, so nothing can be measured. */
  is_unplayable?: boolean
}

/**
 * The settings of the episode's asset. Without an asset nothing can be measured. Times in ms, the threshold in
 * thousandths.
 */
export type Asset = {
  duration: number | null
  is_trackable: boolean
  is_strict: boolean
  threshold: number
}

/** What is stored for one person in one episode. Times in ms, `progress` in thousandths. */
export type Watched = {
  position: number
  watched: Ranges
  rewatched: Ranges
  last_beat: Ranges
  claimed: number | null
  progress: number
  is_completed: boolean
  /** ms since the first and the last beat, by the clock of the database. */
  since_first: number
  since_last: number
}

export const UNWATCHED: Watched = {
  position: 0,
  watched: [],
  rewatched: [],
  last_beat: [],
  claimed: null,
  progress: 0,
  is_completed: false,
  since_first: 0,
  since_last: 0,
}

/** The duration of the asset or, if it has none, the longest one that the learner's player sent. */
export const durationOf = (asset: Asset, claimed: number | null) => asset.duration ?? claimed

/**
 * The state after one more beat (docs/learning.md). Union is commutative and idempotent, so tabs, retries and offline
 * recordings merge in any order. `progress` and completion never fall.
 */
export function applyBeat(before: Watched, beat: Beat, asset: Asset): Watched {
  const claimed = beat.duration === undefined ? before.claimed : Math.max(before.claimed ?? 0, beat.duration)
  const duration = durationOf(asset, claimed)
  const end = duration ?? LONGEST
  const position = Math.min(beat.position ?? before.position, end)
  if (!asset.is_trackable || (beat.is_unplayable && !asset.is_strict)) {
    const is_completed = before.is_completed || beat.is_completed
    return { ...before, claimed, position, is_completed, progress: is_completed ? 1_000 : before.progress }
  }
  const sent = clip(beat.segments ?? inferred(before, beat), end)
  const now = union(sent)
  const watched = bounded(union(before.watched, credited(before, now, asset)), before.watched)
  const counted = duration === null ? 0 : lengthOf(union(clip(watched, duration)))
  return {
    ...before,
    claimed,
    position,
    watched,
    rewatched: bounded(union(before.rewatched, secondLooks(before, sent, now)), before.rewatched),
    last_beat: now.length > 0 ? now : before.last_beat,
    progress: Math.max(before.progress, duration === null ? 0 : Math.floor((counted * 1_000) / duration)),
    is_completed: before.is_completed || (duration !== null && counted * 1_000 >= asset.threshold * duration),
  }
}

/**
 * Without segments: the range from the last position to this one, if it can have been played since. A seek adds
 * nothing.
 */
function inferred({ position, since_last }: Watched, beat: Beat): Range[] {
  const to = beat.position ?? position
  return to - position <= MAX_SPEED * since_last ? [[position, to]] : []
}

/** Under strict_watch, the total of watched time is limited to what can have been played since the first beat. */
function credited({ watched, since_first }: Watched, now: Ranges, { is_strict }: Asset): Ranges {
  if (!is_strict) return now
  const fresh = subtract(now, watched)
  return keepLast(fresh, Math.floor(MAX_SPEED * since_first) + HEAD_START - lengthOf(watched))
}

/**
 * A row keeps at most a thousand ranges. Beyond that, small gaps are closed; if that is not enough, nothing is added.
 */
function bounded(ranges: Ranges, before: Ranges): Ranges {
  if (ranges.length <= MAX_RANGES) return ranges
  const closed = closeGaps(ranges, SMALL_GAP)
  return closed.length <= MAX_RANGES ? closed : before
}

/**
 * Ranges that were watched again: long enough, well before the last position, already watched, and not a repeated beat.
 */
function secondLooks({ watched, position, last_beat }: Watched, sent: readonly Range[], now: Ranges): Ranges {
  if (isSame(now, last_beat)) return []
  const looks = sent.filter(([from, to]) => to - from >= SECOND_LOOK && from <= position - SECOND_LOOK)
  return intersect(union(looks), watched)
}

const isSame = (a: Ranges, b: Ranges) =>
  a.length === b.length && a.every(([from, to], place) => b[place]?.[0] === from && b[place][1] === to)
