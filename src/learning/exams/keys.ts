import type { Lane } from '#foundation/database/database.ts'
import type { QuestionKey } from './kinds.ts'

/** One question of an attempt, in the version that grades it. */
export type KeyedQuestion = {
  question_id: string
  version: number
  position: number
  prompt: string
  explanation: string
  key: QuestionKey
  /** The question was changed with full credit after the attempt was opened, so the attempt gets all its points. */
  is_full_credit: boolean
  /** The question has been deleted, so an answer to it is ignored. */
  is_deleted: boolean
}

/** Names a key: that of a test whose key version is `now`, for attempts opened at `key_version`. */
export type KeyName = { tenant_id: string; test_id: string; key_version: number; now: number }

/**
 * The questions that existed when the key of the test had this version, in order. Each is in the last version that
 * was current then or regrades earlier attempts (docs/choices-learning.md). Includes deleted ones, marked.
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

/** Size limit of the cache in characters of JSON: the keys of some thousand tests. */
const MAX_SIZE = 16_000_000

export type AnswerKeys = ReturnType<typeof createAnswerKeys>

/**
 * LRU cache of answer keys. Entries never become stale, because a version never changes and `now` is the key_version
 * that the caller has just read from the test.
 */
export function createAnswerKeys() {
  const kept = new Map<string, { questions: KeyedQuestion[]; size: number }>()
  let size = 0
  return {
    async read(sql: Lane, name: KeyName): Promise<KeyedQuestion[]> {
      const id = `${name.tenant_id}/${name.test_id}/${name.key_version}/${name.now}`
      const known = kept.get(id) ?? sized(await loadKey(sql, name))
      size -= kept.get(id)?.size ?? 0
      // A Map keeps insertion order. Re-inserting the used entry leaves the least recently used one first.
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
