import type { Lane } from '#foundation/database/database.ts'
import { badRequest, unprocessable } from '#foundation/errors.ts'
import type { Viewer } from '../access/access.ts'
import { joinToLearn } from '../access/join.ts'
import { mayLearn, type OpenEpisode } from '../access/open.ts'
import type { ExamParts } from './parts.ts'
import { collectFaults } from '../values.ts'
import { openTest, shareTest, type TestRow } from './access.ts'
import { answerFault } from './kinds.ts'
import { attemptRows } from './attempt-rows.ts'
import { type Attempt, type AttemptBody, shownAttempt } from './attempts.ts'
import { type Answers, gradeAnswers, pointsOf } from './graded.ts'
import type { KeyedQuestion } from './keys.ts'
import { readAttempt, writeAttempt } from './records.ts'
import { GRACE_MS, type Standing, standingOf } from './standing.ts'

type Earlier = Awaited<ReturnType<typeof attemptRows>>
type Sent = { body: AttemptBody; client_id: string | null }
type Seen = { episode: OpenEpisode; test: TestRow; earlier: Earlier }
type Taken = { isNew: boolean; attempt: Attempt }

/**
 * Grades and stores one attempt. A repeated `client_id` (idempotency key) gets its attempt again (`isNew` false),
 * whatever has changed since. 404, 403, then 400 for the state of the test, 422 for answers of the wrong type; on an
 * error nothing is stored.
 */
export async function submitAttempt(
  learning: Pick<ExamParts, 'db' | 'answerKeys'>,
  viewer: Viewer,
  test_id: string,
  body: AttemptBody,
  idempotency_key: string | undefined,
): Promise<Taken> {
  const { db } = learning
  const { tenant_id, user_id } = viewer
  const sent = { body, client_id: clientIdOf(body, idempotency_key) }
  const [{ episode, test }, earlier] = await Promise.all([
    openTest(db.fast, viewer, test_id),
    attemptRows(db.fast, tenant_id, user_id, [test_id]),
  ])
  // What the fast lane has read is written in one statement, if it still holds. If another request was faster, such as
  // a parallel tab, everything is read and checked again under the enrollment lock, where tabs take turns.
  if (episode.is_enrolled) {
    const taken = await take(
      learning,
      { read: db.fast, write: db.pool },
      viewer,
      { episode, test, earlier },
      sent,
    )
    if (taken) return taken
  }
  return db.transaction(async (tx) => {
    // One round trip. The server runs the statements in this order, and each sees what is committed when it starts.
    const [, locked, mine] = await Promise.all([
      joinToLearn(tx, viewer, episode.channel_id),
      shareTest(tx, viewer, test_id),
      attemptRows(tx, tenant_id, user_id, [test_id]),
    ])
    const seen = { episode, test: locked, earlier: mine }
    const taken = await take(learning, { read: tx, write: tx }, viewer, seen, sent)
    if (!taken) throw new Error('an attempt changed under the locks that keep it')
    return taken
  })
}

/** Checks, grades and writes on the basis of `Seen`. Undefined: the data has changed since, and nothing is written. */
async function take(
  { answerKeys }: Pick<ExamParts, 'answerKeys'>,
  { read, write }: { read: Lane; write: Lane },
  viewer: Viewer,
  { episode, test, earlier }: Seen,
  { body, client_id }: Sent,
): Promise<Taken | undefined> {
  const { tenant_id } = viewer
  const keyAt = (key_version: number) =>
    answerKeys.read(read, { tenant_id, test_id: test.id, key_version, now: test.key_version })

  const replayed = client_id === null ? undefined : earlier.find((row) => row.client_id === client_id)
  if (replayed && !replayed.is_unsent) {
    const record = await readAttempt(read, tenant_id, replayed.id)
    const key = await keyAt(record.key_version)
    return { isNew: false, attempt: shownAttempt(test, earlier, record, key, ignored(key, body)) }
  }
  mayLearn(episode)
  const open = earlier.find(({ is_unsent }) => is_unsent)
  refuseByState(test, standingOf(test, earlier, test.now), open)
  const key = await keyAt(open?.key_version ?? test.key_version)
  if (pointsOf(key) === 0) throw badRequest('no_questions', 'The test has no questions')
  const answers = knownAnswers(key, await keyAt(test.key_version), body)
  const verdict =
    open?.status === 'expired'
      ? { status: 'expired' as const, answers, results: [], score: 0, max_score: pointsOf(key) }
      : { status: 'graded' as const, answers, ...gradeAnswers(key, answers) }

  const place = { channel_id: episode.channel_id, test, open, number: (earlier.at(-1)?.number ?? 0) + 1 }
  const record = await writeAttempt(write, viewer, place, client_id, verdict)
  if (!record) return undefined
  const all = [...earlier.filter(({ id }) => id !== record.id), { ...record, expires_at: null }]
  return { isNew: true, attempt: shownAttempt(test, all, record, key, ignored(key, body)) }
}

/** The `client_id` of the body wins over the Idempotency-Key header. */
function clientIdOf({ client_id }: AttemptBody, idempotency_key: string | undefined): string | null {
  const id = client_id ?? idempotency_key ?? null
  if (id !== null && (id === '' || Array.from(id).length > 255))
    throw unprocessable('Idempotency-Key', 'length', 'must have 1 to 255 characters')
  return id
}

/**
 * Answers 400 if the state of the test forbids a submission. An attempt past its time is recorded as expired even if
 * the test is closed or no attempt is left. A timed one that still runs was counted when it was opened.
 */
function refuseByState(test: TestRow, standing: Standing, open: Earlier[number] | undefined) {
  const now = Date.parse(test.now)
  if (test.opens_at !== null && Date.parse(test.opens_at) > now && !test.is_staff)
    throw badRequest('not_open_yet', 'The test is not open yet')
  if (open?.status === 'expired') return
  if (test.closes_at !== null && Date.parse(test.closes_at) + (open ? GRACE_MS : 0) < now)
    throw badRequest('closed', 'The test is closed')
  if (open && open.expires_at !== null) return
  if (standing.left === 0) throw badRequest('no_attempts_left', 'No attempts left')
  if (standing.next_attempt_at !== null)
    throw badRequest('retry_delay', `The next attempt is possible from ${standing.next_attempt_at}`)
  if (!open && test.time_limit_seconds !== null && !test.is_staff)
    throw badRequest('not_loaded', 'Load the questions first')
}

/**
 * The answers to live questions of the attempt. 422 for a repeated question or an answer of the wrong JSON type, 400
 * for a question of another test. Questions added since the attempt was opened are ignored.
 */
function knownAnswers(
  key: readonly KeyedQuestion[],
  today: readonly KeyedQuestion[],
  { answers }: AttemptBody,
): Answers {
  const known = new Map(key.map((question) => [question.question_id, question]))
  const ofTest = new Set(today.map(({ question_id }) => question_id))
  const seen = new Set<string>()
  const faults = collectFaults()
  const strangers: string[] = []
  const taken: Answers = {}
  for (const [at, { question_id: sent_id, answer }] of answers.entries()) {
    const question_id = sent_id.toLowerCase()
    const question = known.get(question_id)
    if (seen.has(question_id)) faults.at(`answers[${at}].question_id`)('repeated', 'stands twice in the list')
    seen.add(question_id)
    if (!question && !ofTest.has(question_id)) strangers.push(`answers[${at}].question_id`)
    if (!question || question.is_deleted || answer === undefined) continue
    const fault = answerFault(question.key.type, answer)
    if (fault) faults.at(`answers[${at}].answer`)('type', fault)
    taken[question_id] = answer
  }
  faults.refuseIfAny()
  if (strangers.length > 0)
    throw badRequest('foreign_question', `${strangers.slice(0, 10).join(', ')}: not a question of this test`)
  return taken
}

/** Answered questions that do not count: deleted since the attempt was loaded, or added since it was opened. */
function ignored(key: readonly KeyedQuestion[], { answers }: AttemptBody): string[] {
  const live = new Set(key.filter(({ is_deleted }) => !is_deleted).map(({ question_id }) => question_id))
  return answers.map(({ question_id }) => question_id.toLowerCase()).filter((id) => !live.has(id))
}
