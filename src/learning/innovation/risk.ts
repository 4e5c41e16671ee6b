import type { LearnerRow } from './learners.ts'

/**
 * The points out of 100 that each reason adds to a learner's risk. It stays a plain sum of named reasons; the numbers
 * may be calibrated.
 */
export const RISK = {
  inactive_28_days: 45,
  inactive_14_days: 30,
  inactive_7_days: 15,
  never_started: 20,
  failing_test: 20,
  low_grade: 20,
  homework_overdue: 10,
  behind_cohort: 15,
} as const
/** The most that overdue homework adds. */
const MAX_OVERDUE = 20

export type AtRisk = { user_id: string; user_email: string; risk: number; reasons: string[] }

/**
 * The reasons and the risk of a learner. `isBehind`: below the first quartile of the cohort shortly before a deadline.
 */
export function riskOf(row: LearnerRow, isBehind: boolean): AtRisk {
  const parts: [string, number][] = []
  const idle = inactivityOf(row)
  if (idle !== undefined) parts.push([idle, RISK[idle]])
  if (isNeverStarted(row)) parts.push(['never_started', RISK.never_started])
  if (row.failing > 0) parts.push(['failing_test', RISK.failing_test])
  if (row.low_grades > 0) parts.push(['low_grade', RISK.low_grade])
  if (row.overdue > 0)
    parts.push(['homework_overdue', Math.min(MAX_OVERDUE, RISK.homework_overdue * row.overdue)])
  if (isBehind) parts.push(['behind_cohort', RISK.behind_cohort])
  return {
    user_id: row.user_id,
    user_email: row.user_email,
    risk: Math.min(
      100,
      parts.reduce((sum, [, points]) => sum + points, 0),
    ),
    reasons: parts.map(([reason]) => reason),
  }
}

export function inactivityOf({ idle_days, percent, is_completed }: LearnerRow) {
  if (is_completed || percent >= 100 || idle_days < 7) return undefined
  return idle_days >= 28 ? 'inactive_28_days' : idle_days >= 14 ? 'inactive_14_days' : 'inactive_7_days'
}

export const isNeverStarted = ({ has_started, enrolled_days }: LearnerRow) =>
  !has_started && enrolled_days >= 3
