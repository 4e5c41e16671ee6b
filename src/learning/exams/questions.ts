import { isDeepStrictEqual } from 'node:util'
import { one, type Tx } from '#foundation/database/database.ts'
import { badRequest } from '#foundation/errors.ts'
import { newId } from '#foundation/ids.ts'
import type { Viewer } from '../access/access.ts'
import type { Learning } from '../learning.ts'
import { collectFaults } from '../values.ts'
import { lockTest, type TestRow } from './access.ts'
import type { QuestionType } from './kinds.ts'
import { place, placeAll } from './places.ts'
import { MAX_QUESTIONS, type NewQuestions, type QuestionBody, type QuestionChange } from './question.ts'
import { isOtherKey } from './key-facts.ts'

import { cleanChange, cleanQuestion, type Content, contentOf } from './question-content.ts'
import {
  addQuestions,
  livePlaces,
  lockQuestion,
  readQuestions,
  savePlaces,
  saveVersions,
  sumUpTest,
} from './question-rows.ts'
import { regradeTest } from './regrade.ts'
import { type AuthorQuestion, authorView, type RegradeReport } from './views.ts'

/**
 * Creates one question, or all of `questions` or none, at the end or at `position`. Returns them in the order sent.
 * 404, 403, then 400 for more than 500 questions.
 */
export async function createQuestions(
  { db }: Learning,
  viewer: Viewer,
  test_id: string,
  sent: NewQuestions,
): Promise<AuthorQuestion[]> {
  const faults = collectFaults()
  const bodies: QuestionBody[] = sent.questions ?? [sent]
  const added = bodies.map((body, index) => {
    const path = sent.questions ? `questions[${index}].` : ''
    return { wanted: body.position ?? undefined, ...cleanQuestion(body, faults, path) }
  })
  faults.refuseIfAny()
  return db.transaction(async (tx) => insertQuestions(tx, viewer, await lockTest(tx, viewer, test_id), added))
}

type Added = { wanted?: number | undefined; type: QuestionType; content: Content }

/** Inserts questions into a test that the caller has locked. Returns them in the order given. */
export async function insertQuestions(
  tx: Tx,
  viewer: Viewer,
  test: Pick<TestRow, 'id' | 'question_count' | 'key_version'>,
  given: readonly Added[],
): Promise<AuthorQuestion[]> {
  const { tenant_id } = viewer
  if (test.question_count + given.length > MAX_QUESTIONS)
    throw badRequest('too_many_questions', `A test holds at most ${MAX_QUESTIONS} questions`)
  const added = given.map((one) => ({
    id: newId(),
    wanted: one.wanted,
    type: one.type,
    content: one.content,
  }))
  const key_version = test.key_version + 1
  const { moved, placed } = placeAll(await livePlaces(tx, tenant_id, test.id), added)
  await savePlaces(tx, tenant_id, test.id, moved)
  const rows = added.map(({ id, type }) => ({ id, type, position: placed.get(id) ?? 1 }))
  await addQuestions(tx, tenant_id, test.id, key_version, rows)
  const versions = added.map(({ id, content }) => ({
    question_id: id,
    version: 1,
    regrade: 'none' as const,
    ...content,
  }))
  await saveVersions(tx, viewer, key_version, versions)
  await sumUpTest(tx, tenant_id, test.id, key_version)
  const ids = added.map(({ id }) => id)
  const views = (await readQuestions(tx, tenant_id, test.id, ids)).map(authorView)
  return views.toSorted((a, b) => ids.indexOf(a.id) - ids.indexOf(b.id))
}

/**
 * Updates the sent fields of a question. Changed content is a new version; `regrade` decides about earlier attempts,
 * which are regraded by default if the key has changed. 404, 403, then 400 without a writable field or for another
 * type.
 */
export async function updateQuestion(
  { db }: Learning,
  viewer: Viewer,
  sent_id: string,
  sent: QuestionChange,
): Promise<AuthorQuestion & { regrade: RegradeReport }> {
  const { tenant_id } = viewer
  return db.transaction(async (tx) => {
    const { test, current } = await lockQuestion(tx, viewer, sent_id)
    if (sent.type !== undefined && sent.type !== current.type)
      throw badRequest('type_change', 'The type of a question cannot be changed')
    if (!WRITABLE.some((name) => sent[name] !== undefined))
      throw badRequest('nothing_to_change', 'The body has no field that can be changed')
    const faults = collectFaults()
    const content = cleanChange(sent, current, faults)
    faults.refuseIfAny()

    const { id: question_id, type } = current
    const key_version = test.key_version + 1
    const regrade = sent.regrade ?? (isOtherKey(type, current, content) ? 'recalculate' : 'none')
    const isNew = Boolean(sent.regrade) || !isDeepStrictEqual(contentOf(current), content)
    const version = current.version + Number(isNew)
    if (isNew) await saveVersions(tx, viewer, key_version, [{ question_id, version, regrade, ...content }])
    if (sent.position !== undefined) {
      const live = await livePlaces(tx, tenant_id, test.id)
      await savePlaces(tx, tenant_id, test.id, place(live, question_id, sent.position ?? undefined))
    }
    await tx`
      update learning.questions set version = ${version}, updated_at = clock_timestamp()
       where tenant_id = ${tenant_id} and id = ${question_id}`
    await sumUpTest(tx, tenant_id, test.id, key_version, regrade !== 'none')
    const report = regrade === 'none' ? NO_ATTEMPTS : await regradeTest(tx, tenant_id, test.id)
    const changed = authorView(one(await readQuestions(tx, tenant_id, test.id, [question_id])))
    return { ...changed, regrade: { mode: regrade, ...report } }
  })
}

/** Soft delete. The question no longer counts in score and max_score of any attempt. */
export async function deleteQuestion({ db }: Learning, viewer: Viewer, question_id: string) {
  const { tenant_id } = viewer
  return db.transaction(async (tx) => {
    const { test } = await lockQuestion(tx, viewer, question_id)
    const deleted = one(
      await tx<{ id: string; deleted_at: string }[]>`
        update learning.questions set deleted_at = clock_timestamp(), updated_at = clock_timestamp()
         where tenant_id = ${tenant_id} and id = ${question_id}
        returning id, deleted_at`,
    )
    await sumUpTest(tx, tenant_id, test.id, test.key_version + 1, true)
    await regradeTest(tx, tenant_id, test.id)
    return { ...deleted, deleted: true as const }
  })
}

const NO_ATTEMPTS = { attempts: 0, done: true }
const WRITABLE = [
  'prompt',
  'points',
  'position',
  'scoring',
  'explanation',
  'options',
  'correct',
  'feedback_if_true',
  'feedback_if_false',
  'accepted',
  'case_sensitive',
  'ignore_accents',
  'unit',
  'pairs',
  'distractors',
  'items',
  'regrade',
] as const
