import { type Tx, violates } from '#foundation/database/database.ts'
import { badRequest, notFound } from '#foundation/errors.ts'
import { newId } from '#foundation/ids.ts'
import type { Store, Viewer } from '../access/access.ts'
import { lockForEdit, sumUp } from '../channels/change.ts'
import { countWork } from '../channels/counts.ts'
import { openEpisode } from '../access/open.ts'
import { collectFaults } from '../values.ts'
import { notAnEditor, openTestToEdit } from './access.ts'
import {
  cleanTest,
  MAX_TESTS,
  type NewTest,
  TEST_DEFAULTS,
  type TestChange,
  type TestFields,
} from './exam.ts'
import { readTest } from './list.ts'

/**
 * Creates a test without questions. 404, 403, then 400 if it closes before it opens or the episode has more than 100
 * tests.
 */
export async function createTest(store: Store, viewer: Viewer, episode_id: string, body: NewTest) {
  const faults = collectFaults()
  const fields = { ...TEST_DEFAULTS, title: body.title, ...cleanTest(body, faults) }
  faults.refuseIfAny()
  const { tenant_id } = viewer
  const { channel_id, is_editor } = await openEpisode(store.db.fast, viewer, episode_id)
  if (!is_editor) throw notAnEditor()

  return store.db.transaction(async (tx) => {
    await lockForEdit(tx, viewer, channel_id)
    const id = newId()
    await refuseClosed(tx`
      insert into learning.tests (
        tenant_id, id, episode_id, title, description, status, max_attempts, retry_delay_seconds, time_limit_seconds,
        opens_at, closes_at, passing_percent, score_policy, shuffle_questions, shuffle_options, feedback_policy,
        show_explanations, show_right_answers, weight)
      values (
        ${tenant_id}, ${id}, ${episode_id}, ${fields.title}, ${fields.description}, ${fields.status},
        ${fields.max_attempts}, ${fields.retry_delay_seconds}, ${fields.time_limit_seconds}, ${fields.opens_at},
        ${fields.closes_at}, ${fields.passing_percent}, ${fields.score_policy}, ${fields.shuffle_questions},
        ${fields.shuffle_options}, ${fields.feedback_policy}, ${fields.show_explanations},
        ${fields.show_right_answers}, ${fields.weight})`)
    await refuseTooMany(tx, tenant_id, episode_id)
    await countWork(tx, tenant_id, episode_id)
    await sumUp(tx, tenant_id, channel_id)
    return readTest(tx, viewer, id)
  })
}

/** Updates the sent fields of a test. 404, 403, then 400 without a writable field or if it closes before it opens. */
export async function updateTest(store: Store, viewer: Viewer, test_id: string, body: TestChange) {
  const faults = collectFaults()
  const changes = cleanTest(body, faults)
  faults.refuseIfAny()
  const { tenant_id } = viewer
  const { episode } = await openTestToEdit(store.db.fast, viewer, test_id)
  if (Object.keys(changes).length === 0)
    throw badRequest('nothing_to_change', 'The body has no field that can be changed')

  return store.db.transaction(async (tx) => {
    await lockForEdit(tx, viewer, episode.channel_id)
    const fields = { ...(await lockedFields(tx, tenant_id, test_id)), ...changes }
    await refuseClosed(tx`
      update learning.tests
         set title = ${fields.title}, description = ${fields.description}, status = ${fields.status},
             max_attempts = ${fields.max_attempts}, retry_delay_seconds = ${fields.retry_delay_seconds},
             time_limit_seconds = ${fields.time_limit_seconds}, opens_at = ${fields.opens_at},
             closes_at = ${fields.closes_at}, passing_percent = ${fields.passing_percent},
             score_policy = ${fields.score_policy}, shuffle_questions = ${fields.shuffle_questions},
             shuffle_options = ${fields.shuffle_options}, feedback_policy = ${fields.feedback_policy},
             show_explanations = ${fields.show_explanations}, show_right_answers = ${fields.show_right_answers},
              weight = ${fields.weight},
             updated_at = clock_timestamp()
       where tenant_id = ${tenant_id} and id = ${test_id}`)
    await countWork(tx, tenant_id, episode.episode_id)
    await sumUp(tx, tenant_id, episode.channel_id)
    return readTest(tx, viewer, test_id)
  })
}

/** Soft delete: questions and attempts stay, but nothing shows or counts the test any more. */
export async function deleteTest(store: Store, viewer: Viewer, test_id: string) {
  const { tenant_id } = viewer
  const { episode } = await openTestToEdit(store.db.fast, viewer, test_id)

  return store.db.transaction(async (tx) => {
    await lockForEdit(tx, viewer, episode.channel_id)
    const [deleted] = await tx<{ id: string; deleted_at: string }[]>`
      update learning.tests set deleted_at = clock_timestamp(), updated_at = clock_timestamp()
       where tenant_id = ${tenant_id} and id = ${test_id} and deleted_at is null
      returning id, deleted_at`
    if (!deleted) throw notFound()
    await countWork(tx, tenant_id, episode.episode_id)
    await sumUp(tx, tenant_id, episode.channel_id)
    return { ...deleted, deleted: true as const }
  })
}

async function lockedFields(tx: Tx, tenant_id: string, test_id: string): Promise<TestFields> {
  const [test] = await tx<TestFields[]>`
    select title, description, status, max_attempts, retry_delay_seconds, time_limit_seconds, opens_at, closes_at,
           passing_percent::float8, score_policy, shuffle_questions, shuffle_options, feedback_policy, show_explanations,
           show_right_answers, weight::float8
      from learning.tests
     where tenant_id = ${tenant_id} and id = ${test_id} and deleted_at is null
       for no key update`
  if (!test) throw notFound()
  return test
}

async function refuseClosed(writing: PromiseLike<unknown>) {
  try {
    await writing
  } catch (error) {
    if (violates(error, 'tests_close_after_opening'))
      throw badRequest('closes_before_opening', 'closes_at must be after opens_at')
    throw error
  }
}

/** 404 for a deleted episode, 400 for a full one. The channel is locked, so nobody else adds or deletes a test. */
async function refuseTooMany(tx: Tx, tenant_id: string, episode_id: string) {
  const [episode] = await tx<{ tests: number }[]>`
    select (select count(*) from learning.tests t
             where t.tenant_id = e.tenant_id and t.episode_id = e.id and t.deleted_at is null)::int as tests
      from learning.episodes e
     where e.tenant_id = ${tenant_id} and e.id = ${episode_id} and e.deleted_at is null`
  if (!episode) throw notFound()
  if (episode.tests > MAX_TESTS)
    throw badRequest('too_many_tests', `An episode holds at most ${MAX_TESTS} tests`)
}
