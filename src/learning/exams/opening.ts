import type { Tx } from '#foundation/database/database.ts'
import { badRequest } from '#foundation/errors.ts'
import { newId } from '#foundation/ids.ts'
import type { Viewer } from '../access/access.ts'
import { joinToLearn, notJoinable } from '../access/join.ts'
import { type OpenEpisode, refuseLocked } from '../access/open.ts'
import type { ExamParts } from './parts.ts'
import { openTest, type TestRow } from './access.ts'
import { attemptRows } from './attempt-rows.ts'
import { type AttemptRow, standingOf } from './standing.ts'
import { type StudentQuestion, studentViews } from './views.ts'

type Mine = Awaited<ReturnType<typeof attemptRows>>

/** The questions in the order of the learner's attempt. `attempt` is the open one, if any. */
export type Paper = { questions: StudentQuestion[]; attempt: AttemptRow | null }

/**
 * The first read opens an attempt and starts its clock, a repeated one shows the same. With `may_open` false (HEAD,
 * prefetch) nothing is written, and a timed test that may be begun shows nothing. If none is open and none may begin (closed, none left, retry delay), it shows the
 * questions of the next one. 403 not joinable or locked, 400 before the test opens.
 */
export async function readPaper(
  learning: ExamParts,
  viewer: Viewer,
  { episode, test }: { episode: OpenEpisode; test: TestRow },
  may_open: boolean,
): Promise<Paper> {
  const { db, answerKeys, shuffleKey } = learning
  const { tenant_id, user_id } = viewer
  if (!episode.is_joinable) throw notJoinable()
  refuseLocked(episode)
  if (isAhead(test.opens_at, test) && !test.is_staff)
    throw badRequest('not_open_yet', 'The test is not open yet')

  let mine = await attemptRows(db.fast, tenant_id, user_id, [test.id])
  let today = test
  const isWriting = may_open && episode.channel_status !== 'archived'
  if (isWriting && (!episode.is_enrolled || mayBegin(test, mine)))
    [today, mine] = await db.transaction((tx) => begin(tx, viewer, test.id, episode.channel_id))

  const { open } = standingOf(today, mine, today.now)
  // Who reads a timed paper before its clock runs has more time than the others.
  if (!may_open && !test.is_staff && test.time_limit_seconds !== null && mayBegin(today, mine))
    return { questions: [], attempt: null }
  const { id: test_id, key_version: now, shuffle_questions, shuffle_options } = today
  const name = { tenant_id, test_id, key_version: open?.key_version ?? now, now }
  const key = await answerKeys.read(db.fast, name)
  // Without an open attempt, learners see the order of their last one again.
  const seed = open?.id ?? mine.at(-1)?.id ?? `${test_id}/${user_id}`
  return {
    questions: studentViews(key, { secret: shuffleKey, seed, test_id, shuffle_questions, shuffle_options }),
    attempt: open ?? null,
  }
}

const isAhead = (time: string | null, { now }: TestRow) => time !== null && Date.parse(time) > Date.parse(now)

/** No attempt is open, and one may be opened now. */
function mayBegin(test: TestRow, mine: Mine): boolean {
  const { open, left, next_attempt_at } = standingOf(test, mine, test.now)
  const is_closed = test.closes_at !== null && !isAhead(test.closes_at, test)
  return !open && !is_closed && left !== 0 && next_attempt_at === null && test.question_count > 0
}

/** Checks again under the locks: the enrollment first, so that parallel tabs take turns, then the test and its key. */
async function begin(tx: Tx, viewer: Viewer, test_id: string, channel_id: string): Promise<[TestRow, Mine]> {
  await joinToLearn(tx, viewer, channel_id)
  const { test } = await openTest(tx, viewer, test_id, 'share')
  const rows = () => attemptRows(tx, viewer.tenant_id, viewer.user_id, [test_id])
  const mine = await rows()
  if (!mayBegin(test, mine)) return [test, mine]
  await closeLapsed(tx, viewer, test_id)
  const number = (mine.at(-1)?.number ?? 0) + 1
  const { tenant_id, user_id } = viewer
  const { key_version, time_limit_seconds, max_score } = test
  // A timed attempt ends when the test closes at the latest. An untimed one has no expires_at.
  const closes_at = time_limit_seconds === null ? null : test.closes_at
  await tx`
    insert into learning.attempts (
      tenant_id, id, test_id, user_id, number, status, is_preview, opened_at, expires_at, key_version, graded_version,
      max_score)
    select ${tenant_id}, ${newId()}, ${test_id}, ${user_id}, ${number}, 'open', ${test.is_staff}, opened_at,
           least(opened_at + make_interval(secs => ${time_limit_seconds}), ${closes_at}), ${key_version}, ${key_version}, ${max_score}
      from (select clock_timestamp()::timestamptz(3) as opened_at) as clock`
  return [test, await rows()]
}

/** An unsent attempt whose time is over already counts as expired. This stores the status. */
const closeLapsed = (tx: Tx, { tenant_id, user_id }: Viewer, test_id: string) => tx`
  update learning.attempts set status = 'expired', submitted_at = expires_at
   where tenant_id = ${tenant_id} and test_id = ${test_id} and user_id = ${user_id} and status = 'open'
     and learning.attempt_status(status, expires_at) = 'expired'`
