import type { Lane } from '#foundation/database/database.ts'
import type { Reader } from '#foundation/database/lists.ts'
import { cohortFindings } from './cohorts.ts'
import type { Finding, Severity } from '../finding.ts'
import { type LearnerRow, readLearners } from './learners.ts'
import { type AtRisk, inactivityOf, isNeverStarted, riskOf } from './risk.ts'

/** The least number of learners for a comparison with the others. */
const COHORT = 20
const NAMED = 50

type Known = LearnerRow & { atRisk: AtRisk; isBehind: boolean }

/** All findings of the engagement agent about these channels, computed without a model. */
export async function engagementFindings(
  sql: Lane,
  tenant_id: string,
  channel_ids: string[],
): Promise<Finding[]> {
  const [rows, ofCohorts] = await Promise.all([
    readLearners(sql, tenant_id, channel_ids),
    cohortFindings(sql, tenant_id, channel_ids),
  ])
  const byChannel = Map.groupBy(rows, ({ channel_id }) => channel_id)
  return [...[...byChannel.values()].flatMap(ofChannel), ...ofCohorts]
}

/** Whom a suggestion of each kind is about. */
const CONCERNED: Record<string, (row: Known) => boolean> = {
  learner_inactive: (row) => inactivityOf(row) !== undefined,
  learner_never_started: isNeverStarted,
  learner_failing_test: ({ failing }) => failing > 0,
  learner_low_grade: ({ low_grades }) => low_grades > 0,
  homework_overdue: ({ overdue }) => overdue > 0,
  learner_behind: ({ isBehind }) => isBehind,
}

/** Everybody in the channel whom a suggestion of this kind is about today, those with the highest risk first. */
export async function learnersAtRisk(
  { sql, read }: Reader,
  tenant_id: string,
  { channel_id, kind }: { channel_id: string; kind: string },
): Promise<AtRisk[]> {
  const isConcerned = CONCERNED[kind]
  if (!isConcerned) return []
  const { learners } = judged(await read(readLearners(sql, tenant_id, [channel_id])))
  return byRisk(learners.filter(isConcerned))
}

const byRisk = (learners: Known[]) =>
  learners.map(({ atRisk }) => atRisk).toSorted((a, b) => b.risk - a.risk || (a.user_id < b.user_id ? -1 : 1))

/** The learners of one channel with their risk, and the first quartile of their progress in percent. */
function judged(rows: LearnerRow[]) {
  const quarter = firstQuartile(rows.map(({ percent }) => percent))
  const learners = rows.map((row): Known => {
    const isBehind = rows.length >= COHORT && row.has_deadline && !row.is_completed && row.percent < quarter
    return { ...row, isBehind, atRisk: riskOf(row, isBehind) }
  })
  return { learners, quarter }
}

/** One suggestion per reason; it names the learners with the highest risk. */
function ofChannel(rows: LearnerRow[]): Finding[] {
  const [first] = rows
  if (!first) return []
  const { learners, quarter } = judged(rows)
  const concernedBy = (kind: string) => learners.filter((row) => CONCERNED[kind]?.(row))
  const about = (
    kind: string,
    severity: Severity,
    words: { title: (count: string) => string; body: string; evidence?: object },
  ): Finding[] => {
    const concerned = concernedBy(kind)
    if (concerned.length === 0) return []
    return [
      {
        kind,
        severity,
        title: words.title(concerned.length === 1 ? 'One learner' : `${concerned.length} learners`),
        body: words.body,
        evidence: {
          count: concerned.length,
          enrolled: rows.length,
          ...words.evidence,
          learners: byRisk(concerned).slice(0, NAMED),
        },
        channel_id: first.channel_id,
        target: { type: 'channel', id: first.channel_id, title: first.channel_title },
        confidence: 0.7,
        metric: concerned.length,
      },
    ]
  }

  const inactive = concernedBy('learner_inactive')
  const nothing = concernedBy('homework_overdue').filter(({ has_handed_in }) => !has_handed_in).length
  const longest = Math.max(0, ...inactive.map(({ idle_days }) => idle_days))
  const title = first.channel_title
  return [
    ...about('learner_inactive', longest >= 28 ? 'critical' : longest >= 14 ? 'warning' : 'info', {
      title: (count) => `${count} of “${title}” stayed away for a week or longer`,
      body: 'Write to them, those with the highest risk first: a short personal question brings more people back than a reminder.',
      evidence: {
        days_7: inactive.filter(({ idle_days }) => idle_days < 14).length,
        days_14: inactive.filter(({ idle_days }) => idle_days >= 14 && idle_days < 28).length,
        days_28: inactive.filter(({ idle_days }) => idle_days >= 28).length,
        longest_days: longest,
      },
    }),
    ...about('learner_never_started', 'warning', {
      title: (count) => `${count} of “${title}” enrolled and never began`,
      body: 'The first step is missing. Point them to the first episode, and say how long it takes.',
    }),
    ...about('learner_failing_test', 'warning', {
      title: (count) => `${count} of “${title}” tried a test twice or more without passing`,
      body: 'Offer help before the next attempt: the episode it belongs to, or a talk about the answers.',
    }),
    ...about('learner_low_grade', 'warning', {
      title: (count) => `${count} of “${title}” got a grade below the pass mark for homework`,
      body: 'Talk about the feedback with them, and let them hand in again where that is possible.',
    }),
    ...about('homework_overdue', 'warning', {
      title: (count) => `${count} of “${title}” missed a due date`,
      body:
        nothing === 0
          ? 'Ask what is in the way, or move the date if many are late.'
          : 'Ask what is in the way, first those who handed in nothing at all. Move the date if many are late.',
      evidence: { handed_in_nothing: nothing },
    }),
    ...about('learner_behind', 'warning', {
      title: (count) => `${count} of “${title}” fell behind shortly before a deadline`,
      body: 'They have seen less than three quarters of the others have. A deadline is at most three days away.',
      evidence: { first_quartile_percent: quarter },
    }),
  ]
}

/** The 25th percentile, computed like percentile_cont of PostgreSQL. */
function firstQuartile(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const place = (sorted.length - 1) * 0.25
  const [low = 0, high = low] = [sorted[Math.floor(place)], sorted[Math.ceil(place)]]
  return Math.round((low + (high - low) * (place % 1)) * 100) / 100
}

/** The risk of each learner of one channel, by the rules of the suggestions. */
export function risksIn(rows: LearnerRow[]): AtRisk[] {
  const quarter = firstQuartile(rows.map(({ percent }) => percent))
  return rows.map((row) =>
    riskOf(row, rows.length >= COHORT && row.has_deadline && !row.is_completed && row.percent < quarter),
  )
}
