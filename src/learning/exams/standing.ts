import { isPassed, keptScore, type ScorePolicy } from './kept.ts'

/** An attempt as it counts at this moment: one whose time and grace are over is `expired`, sent or not. */
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

/** What of a test decides how one learner stands in it. */
export type TestRules = {
  max_attempts: number
  retry_delay_seconds: number
  score_policy: ScorePolicy
  max_score: number
  /** The test's own passing_percent, else its channel's. */
  pass_mark: number
}

export type Standing = {
  /** An open attempt without a time limit is not used until it is submitted. */
  used: number
  /** null: as many as one likes. */
  left: number | null
  open: AttemptRow | undefined
  finished: AttemptRow[]
  kept_percent: number | null
  kept_score: number | null
  /** null while there is nothing to judge. */
  passed: boolean | null
  /** The end of the delay after the last attempt, if it is still ahead and another attempt is left. */
  next_attempt_at: string | null
}

/** How a learner stands in a test. `attempts` are all of his, `now` is the time of the database in ISO 8601. */
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

function endOfDelay({ retry_delay_seconds }: TestRules, finished: AttemptRow[], now: string): string | null {
  const ends = finished.map(
    ({ submitted_at }) => Date.parse(submitted_at ?? now) + retry_delay_seconds * 1000,
  )
  const last = Math.max(0, ...ends)
  return retry_delay_seconds > 0 && last > Date.parse(now) ? new Date(last).toISOString() : null
}
