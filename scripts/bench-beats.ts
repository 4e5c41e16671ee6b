import { randomUUID } from 'node:crypto'
import type { Database, Tx } from '#foundation/database/database.ts'
import { openEpisodes } from '../src/learning/access/open.ts'
import { attemptRows } from '../src/learning/exams/attempt-rows.ts'
import { openTest } from '../src/learning/exams/access.ts'
import { writeAttempt } from '../src/learning/exams/records.ts'
import { progressColumns } from '../src/learning/progress/rows.ts'
import { readSession } from './bench-session.ts'

type Order = { seconds: number; tenant_id: string; channel_id: string; tokens: string[] }
type Paper = { test_id: string; answers: { question_id: string }[] }
type Beat = { caller: number; count: number; done: () => void }

/** As in src/learning/progress/batch.ts. */
const WRITERS = 2
const MAX_BATCH = 100

const viewerOf = (tenant_id: string, caller: number) => ({
  tenant_id,
  user_id: `bare ${caller}`,
  email: '',
  is_admin: false,
  edits_all: false,
})

/**
 * The statements of a beat (src/learning/progress), in the same batches with the same COMMIT, by as many learners in a
 * loop: session, who may watch, enrollment, what was watched, and the upsert. No HTTP, checks or arithmetic. Resolves
 * to the number of beats written.
 */
export async function beatBare(
  db: Database,
  { episode_id, ...order }: Order & { episode_id: string },
): Promise<number> {
  const queue: Beat[] = []
  let writers = 0
  async function writeAll() {
    writers++
    while (queue.length > 0) {
      const batch = queue.splice(0, MAX_BATCH).toSorted((a, b) => (`${a.caller}` < `${b.caller}` ? -1 : 1))
      const asked = batch.map(({ caller }) => ({ viewer: viewerOf(order.tenant_id, caller), episode_id }))
      await openEpisodes(db.fast, asked)
      await db.pool.begin((tx) => writeBeats(tx, batch, { ...order, episode_id }))
      for (const { done } of batch) done()
    }
    writers--
  }
  return loop(order, async (caller, count) => {
    await readSession(db, order.tokens[caller] ?? '')
    await new Promise<void>((done) => {
      queue.push({ caller, count, done })
      if (writers < WRITERS) void writeAll()
    })
  })
}

async function writeBeats(
  tx: Tx,
  batch: Beat[],
  { tenant_id, channel_id, episode_id }: Omit<Order, 'seconds' | 'tokens'> & { episode_id: string },
) {
  const sent = batch.map(({ caller, count }, no) => {
    const end = ((count % 33) + 1) * 15_000
    return { no, user_id: `bare ${caller}`, id: randomUUID(), end, watched: `{[0,${end})}` }
  })
  await Promise.all([
    tx`
      insert into learning.enrollments (tenant_id, user_id, channel_id, id, user_email, as_admin, status, source)
      select ${tenant_id}, user_id, ${channel_id}::uuid, id, '', false, 'active', 'auto'
        from jsonb_to_recordset(${tx.json(sent)}) as sent(no int, user_id text, id uuid) order by no
      on conflict (tenant_id, user_id, channel_id) do update set last_activity_at = clock_timestamp()
      returning user_id, completed_at`,
    tx`
      select sent.no, ${progressColumns(tx)}
        from jsonb_to_recordset(${tx.json(sent)}) as sent(no int, user_id text)
        join learning.episodes e on e.tenant_id = ${tenant_id} and e.id = ${episode_id}
        join learning.channels c on c.tenant_id = e.tenant_id and c.id = e.channel_id
        left join learning.videos v on v.tenant_id = e.tenant_id and v.episode_id = e.id
        left join learning.progress w
          on w.tenant_id = e.tenant_id and w.user_id = sent.user_id and w.episode_id = e.id`,
  ])
  await tx`
    insert into learning.progress as w (tenant_id, user_id, episode_id, position_ms, watched, last_beat, progress)
    select ${tenant_id}, user_id, ${episode_id}::uuid, "end", watched, watched, "end" / 1000000.0
      from jsonb_to_recordset(${tx.json(sent)}) as sent(no int, user_id text, "end" int, watched int4multirange) order by no
    on conflict (tenant_id, user_id, episode_id) do update set
      position_ms = excluded.position_ms, watched = excluded.watched, last_beat = excluded.last_beat,
      progress = excluded.progress, updated_at = clock_timestamp()
    returning w.user_id, w.completed_at, w.updated_at`
}

/**
 * The statements of an attempt (src/learning/exams/submit.ts): session, episode, test and earlier attempts in one round
 * trip, then the write with its COMMIT. No HTTP, checks or grading. Resolves to the number of attempts written.
 */
export async function attemptBare(
  db: Database,
  { papers, ...order }: Order & { papers: Paper[] },
): Promise<number> {
  const { tenant_id, channel_id, tokens } = order
  await db.pool`
    insert into learning.enrollments (tenant_id, user_id, channel_id, id, user_email, as_admin, status, source)
    select ${tenant_id}, 'bare ' || n, ${channel_id}::uuid, gen_random_uuid(), '', false, 'active', 'auto'
      from generate_series(0, ${tokens.length - 1}::int) as n on conflict do nothing`
  return loop(order, async (caller, count) => {
    const [viewer, paper] = [viewerOf(tenant_id, caller), papers[count % papers.length]]
    if (!paper) throw new Error('there is no test')
    const { test_id, answers } = paper
    const [{ episode, test }, earlier] = await Promise.all([
      openTest(db.fast, viewer, test_id),
      attemptRows(db.fast, tenant_id, viewer.user_id, [test_id]),
      readSession(db, tokens[caller] ?? ''),
    ])
    const place = {
      channel_id: episode.channel_id,
      test,
      open: undefined,
      number: (earlier.at(-1)?.number ?? 0) + 1,
    }
    const verdict = {
      status: 'graded' as const,
      answers: Object.fromEntries(answers.map(({ question_id }) => [question_id, true])),
      results: answers.map(({ question_id }) => ({
        question_id,
        version: 1,
        points: 1,
        points_awarded: 1,
        outcome: 'correct' as const,
      })),
      score: answers.length,
      max_score: answers.length,
    }
    if (!(await writeAttempt(db.pool, viewer, place, null, verdict)))
      throw new Error('an attempt of the bare loop was not written')
  })
}

async function loop(
  { seconds, tokens }: Pick<Order, 'seconds' | 'tokens'>,
  write: (caller: number, count: number) => Promise<unknown>,
) {
  const until = performance.now() + seconds * 1000
  let count = 0
  await Promise.all(
    tokens.map(async (_, caller) => {
      for (let own = 0; performance.now() < until; own++) {
        await write(caller, own)
        count++
      }
    }),
  )
  return count
}
