import type { Lane } from '#foundation/database/database.ts'
import type { QuestionKey } from './kinds.ts'

/** One question as an attempt sees it: the version it is graded by. */
export type KeyedQuestion = {
  question_id: string
  version: number
  position: number
  prompt: string
  explanation: string
  key: QuestionKey
  /** Changed with full credit after the attempt was opened: its answer gets all the points. */
  is_full_credit: boolean
  /** Deleted since: an answer to it is passed over. */
  is_deleted: boolean
}

/** Which key: that of a test as it stands at `now`, for attempts opened at `key_version`. */
export type KeyName = { tenant_id: string; test_id: string; key_version: number; now: number }

/**
 * The questions of a test that were there when its key had this version, in their order: each in the last version that was
 * current then or regrades earlier attempts (docs/choices-learning.md). Deleted ones are among them and say so.
 */
export async function loadKey(
  sql: Lane,
  { tenant_id, test_id, key_version }: Omit<KeyName, 'now'>,
): Promise<KeyedQuestion[]> {
  const rows = await sql<(Omit<KeyedQuestion, 'key'> & Row)[]>`
    select q.id as question_id, v.version, q.position, v.prompt, v.explanation, q.type, v.points::float8, v.scoring,
           v.body, v.regrade = 'full_credit' and v.key_version > ${key_version} as is_full_credit,
           q.deleted_at is not null as is_deleted
      from learning.questions q
     cross join lateral (
       select version, key_version, regrade, prompt, explanation, points, scoring, body
         from learning.question_versions
        where tenant_id = ${tenant_id} and question_id = q.id and (key_version <= ${key_version} or regrade <> 'none')
        order by version desc limit 1) as v
     where q.tenant_id = ${tenant_id} and q.test_id = ${test_id} and q.since <= ${key_version}
     order by q.position, q.id`
  return rows.map(({ type, points, scoring, body, ...rest }) => ({
    ...rest,
    key: { type, points, scoring, ...body } as QuestionKey,
  }))
}

type Row = Pick<QuestionKey, 'type' | 'points' | 'scoring'> & { body: object }

/** Characters of questions kept in memory: the keys of some thousand tests. */
const MAX_SIZE = 16_000_000

export type AnswerKeys = ReturnType<typeof createAnswerKeys>

/**
 * Keys of tests that are taken now, in memory by test and version. A version never changes, so nothing is ever stale:
 * `now` is the key_version that the caller has just read from the test.
 */
export function createAnswerKeys() {
  const kept = new Map<string, { questions: KeyedQuestion[]; size: number }>()
  let size = 0
  return {
    async read(sql: Lane, name: KeyName): Promise<KeyedQuestion[]> {
      const id = `${name.tenant_id}/${name.test_id}/${name.key_version}/${name.now}`
      const known = kept.get(id) ?? sized(await loadKey(sql, name))
      size -= kept.get(id)?.size ?? 0
      // The one used last stands last, so the first is the one to go.
      kept.delete(id)
      kept.set(id, known)
      size += known.size
      for (const [oldest, { size: freed }] of kept) {
        if (size <= MAX_SIZE) break
        kept.delete(oldest)
        size -= freed
      }
      return known.questions
    },
  }
}

const sized = (questions: KeyedQuestion[]) => ({ questions, size: JSON.stringify(questions).length })
