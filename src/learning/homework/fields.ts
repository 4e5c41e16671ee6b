import { newId } from '#foundation/ids.ts'
import { asSent, cleanFields, decimals, type Faults, name, type Rules, text } from '../values.ts'
import type {
  Criterion,
  HOMEWORK_STATUSES,
  HomeworkChange,
  LATE_POLICIES,
  NewHomework,
  SUBMISSION_TYPES,
} from './homework.ts'

type SentCriterion = Omit<Criterion, 'id'> & { id?: string | null }

/** The columns of learning.homework that an editor sets. */
export type HomeworkFields = {
  title: string
  instructions: string
  status: (typeof HOMEWORK_STATUSES)[number]
  submission_types: (typeof SUBMISSION_TYPES)[number][]
  max_score: number
  /** What it counts in a grade; null: its points. */
  weight: number | null
  due_at: string | null
  lock_at: string | null
  late_policy: (typeof LATE_POLICIES)[number]
  late_penalty_percent_per_day: number
  late_penalty_max_percent: number
  max_submissions: number
  rubric: SentCriterion[]
}

/** New homework is published, because no route publishes it later (docs/choices-learning.md). */
export const HOMEWORK_DEFAULTS: Omit<HomeworkFields, 'title'> = {
  instructions: '',
  status: 'published',
  submission_types: ['text', 'url'],
  max_score: 100,
  weight: null,
  due_at: null,
  lock_at: null,
  late_policy: 'accept',
  late_penalty_percent_per_day: 10,
  late_penalty_max_percent: 50,
  max_submissions: 0,
  rubric: [],
}

const RULES: Rules<HomeworkFields> = {
  title: name,
  instructions: text,
  status: asSent,
  submission_types: (types) => [...new Set(types)],
  max_score: decimals(2),
  weight: decimals(2),
  due_at: asSent,
  lock_at: asSent,
  late_policy: asSent,
  late_penalty_percent_per_day: decimals(2),
  late_penalty_max_percent: decimals(2),
  max_submissions: asSent,
  rubric: (criteria, refuse) =>
    criteria.map(({ id, criterion, max_points }) => ({
      ...(id && { id: id.toLowerCase() }),
      criterion: name(criterion, refuse),
      max_points: decimals(2)(max_points, refuse),
    })),
}

/** Validates the sent fields and returns them as stored. Absent fields stay absent, null means the default. */
export const cleanHomework = (body: NewHomework | HomeworkChange, faults: Faults): Partial<HomeworkFields> =>
  cleanFields(body, RULES, HOMEWORK_DEFAULTS, faults)

/** The server assigns the ids of criteria. A known id is kept once; any other id is replaced. */
export function withIds(
  rubric: readonly SentCriterion[],
  known: readonly { id?: string | null }[],
): Criterion[] {
  const free = new Set(known.map(({ id }) => id))
  return rubric.map(({ id, criterion, max_points }) => ({
    id: id && free.delete(id) ? id : newId(),
    criterion,
    max_points,
  }))
}
