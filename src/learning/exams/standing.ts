import { isPassed, keptScore, type ScorePolicy } from './kept.ts'

/** An attempt with its status at this moment: past its time and grace it is `expired`, sent or not. */
export type AttemptRow = {
  id: string
  number: number
  status: 'open' | 'graded' | 'expired'
  opened_at: string
  expires_at: string | null
  submitted_at: string | null
  key_version: number
  score: number
  max_score: number
}

/** The fields of a test that decide a learner's standing. */
export type TestRules = {
  max_attempts: number
  retry_delay_seconds: number
  score_policy: ScorePolicy
  max_score: number
  /** The passing_percent of the test, else that of its channel. */
  pass_mark: number
}

export type Standing = {
  /** An open attempt without a time limit counts as used only once it is submitted. */
  used: number
  /** null means unlimited. */
  left: number | null
  open: AttemptRow | undefined
  finished: AttemptRow[]
  kept_percent: number | null
  kept_score: number | null
  /** null while no attempt has a percent. */
  passed: boolean | null
  /** End of the retry delay, if it is still ahead and another attempt is left. */
  next_attempt_at: string | null
}

/** `attempts` are all attempts of the learner, `now` is the database time in ISO 8601. */
export function standingOf(test: TestRules, attempts: readonly AttemptRow[], now: string): Standing {
  const open = attempts.find(({ status }) => status === 'open')
  const finished = attempts.filter(({ status }) => status !== 'open')
  const used = finished.length + Number(open !== undefined && open.expires_at !== null)
  const left = test.max_attempts === 0 ? null : Math.max(0, test.max_attempts - used)
  const { percent, score } = keptScore(test.score_policy, finished, test.max_score)
  return {
    used,
    left,
    open,
    finished,
    kept_percent: percent,
    kept_score: score,
    passed: percent === null ? null : isPassed(percent, test.pass_mark),
    next_attempt_at: left === 0 ? null : endOfDelay(test, finished, now),
  }
}

/** An open attempt is accepted this long after the test closes, because a request may be slow (docs/learning.md). */
export const GRACE_MS = 60_000

/** Whether the test is closed and no attempt can be handed in any more. */
export const isClosedForGood = ({ closes_at, now }: { closes_at: string | null; now: string }) =>
  closes_at !== null && Date.parse(closes_at) + GRACE_MS <= Date.parse(now)

/**
 * Whether the learner cannot profit from another attempt: passed, none left, or the test is closed. While an attempt is
 * open nothing is final, for it could still use what the others tell.
 */
export function isFinal(test: { closes_at: string | null; now: string }, { open, passed, left }: Standing) {
  const is_closed = test.closes_at !== null && Date.parse(test.closes_at) <= Date.parse(test.now)
  return isClosedForGood(test) || (!open && (passed === true || left === 0 || is_closed))
}

function endOfDelay({ retry_delay_seconds }: TestRules, finished: AttemptRow[], now: string): string | null {
  const ends = finished.map(
    ({ submitted_at }) => Date.parse(submitted_at ?? now) + retry_delay_seconds * 1000,
  )
  const last = Math.max(0, ...ends)
  return retry_delay_seconds > 0 && last > Date.parse(now) ? new Date(last).toISOString() : null
}
