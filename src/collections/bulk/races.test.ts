import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import type { Database, Tx } from '#foundation/database/database.ts'
import type { Job as QueuedJob } from '#foundation/jobs/jobs.ts'
import { eventually } from '#testing/eventually.ts'
import { type Book, bookOf, bringIn, ended, upload } from '#testing/imports.ts'
import { parseHere } from '#testing/parse-here.ts'
import { aUser, type Person } from '#testing/people.ts'
import { ROUNDS } from '#testing/rounds.ts'
import { buildWorld, type World } from '#testing/world.ts'
import { runImport } from './run.ts'

/** Two services: one runs no jobs by itself, so that the test controls claims and kills; the other runs all. */
const [idle, busy] = [await buildWorld(), await buildWorld({ env: { LOG_LEVEL: 'error' } })]
busy.startCollectionsJobs()

/** Imports at once of the same keys: fifty in the night. */
const AT_ONCE = Math.min(50, 3 * ROUNDS)

const ROWS = 2_500
/** Three chunks of items in one collection. */
const BOOK: Book = {
  Collections: [
    ['collection_key', 'name'],
    ['root', 'Root'],
  ],
  Items: [
    ['item_key', 'collection_keys', 'name'],
    ...Array.from({ length: ROWS }, (_, number) => [`i${number}`, 'root', `Item ${number}`]),
  ],
}
const FILE = bookOf(BOOK)

type Attempted = { lease_token: string; stopped: AbortController; over: Promise<void> }

/** One attempt at a job, as a runner makes it. */
function attempt(lyceum: World, job_id: string, db: Database = lyceum.db): Attempted {
  const stopped = new AbortController()
  const lease_token = randomUUID()
  const { identity, parts } = lyceum
  const run = runImport({
    db,
    identity,
    log: parts.log,
    types: parts.config.COLLECTIONS_TYPES,
    parse: parseHere,
  })
  const job = { job_id, lease_token } as QueuedJob
  const over = (async () => {
    await run({ job, db, signal: stopped.signal, renew: async () => {} })
  })()
  return { lease_token, stopped, over }
}

type Moment = 'staged' | 'over' | number

/** The same database, for a process that dies right before a commit: of the reading, of a chunk, or of the end. */
function dyingAt(db: Database, job_id: string, moment: Moment): Database {
  return {
    ...db,
    transaction: <T>(work: (tx: Tx) => Promise<T>) =>
      db.transaction(async (tx) => {
        const done = await work(tx)
        const [job] = await tx<{ is_staged: boolean; is_over: boolean; chunks: number }[]>`
          select staged_rows is not null as is_staged, finished_at is not null as is_over,
                 (select count(*)::int from collections.job_chunks where job_id = ${job_id}) as chunks
            from collections.jobs where job_id = ${job_id}`
        const { is_staged, is_over, chunks } = job ?? { is_staged: false, is_over: false, chunks: 0 }
        if (moment === 'staged' ? is_staged : moment === 'over' ? is_over : chunks === moment)
          throw new Error('killed before the commit')
        return done
      }),
  }
}

async function sent(person: Person, lyceum: World, options: Record<string, string> = {}, file = FILE) {
  const reply = await upload(person, file, { options, lyceum })
  assert.equal(reply.statusCode, 202, reply.body)
  return reply.json().job_id as string
}

const jobOf = async ({ headers }: Person, { collections }: World, job_id: string) =>
  (await collections.inject({ url: `/api/bulk/jobs/${job_id}`, headers })).json()

async function made({ db }: World, { user_id }: Person) {
  const [counted] = await db.pool<{ collections: number; items: number; links: number; stored: number }[]>`
    select (select count(*)::int from collections.collections where created_by = ${user_id}) as collections,
           (select count(*)::int from collections.items where created_by = ${user_id}) as items,
           (select count(*)::int from collections.collection_items where added_by = ${user_id}) as links,
           (select coalesce(sum(item_count), 0)::int from collections.collections where created_by = ${user_id}) as stored`
  return { ...counted }
}
const ALL = { collections: 1, items: ROWS, links: ROWS, stored: ROWS }
const NONE = { collections: 0, items: 0, links: 0, stored: 0 }

test('an attempt killed between chunks resumes without repeating a row', async () => {
  // Chunk 1 is the collection, 2 to 4 are the items.
  for (const moment of ['staged', 1, 2, 3, 4, 'over'] as const) {
    const anna = await aUser({ lyceum: idle })
    const job_id = await sent(anna, idle)
    await assert.rejects(attempt(idle, job_id, dyingAt(idle.db, job_id, moment)).over, /killed/)
    await attempt(idle, job_id).over
    const job = await jobOf(anna, idle, job_id)
    assert.equal(job.state, 'completed', JSON.stringify(job.error))
    assert.deepEqual(await made(idle, anna), ALL)
    assert.deepEqual(
      [job.counts.collections.created, job.counts.items.created, job.counts.links.added],
      [1, ROWS, ROWS],
    )
    assert.equal(job.counts.items.unchanged, 0)
  }
})

test('a database crash that empties staging loses and repeats no row', async () => {
  const keyless: Book = {
    Collections: [
      ['collection_key', 'name'],
      ['root', 'Root'],
    ],
    Items: [
      ['collection_keys', 'name'],
      ...Array.from({ length: ROWS }, (_, number) => [number === 3 ? 'lost' : 'root', `Item ${number}`]),
    ],
  }
  const anna = await aUser({ lyceum: idle })
  const job_id = await sent(anna, idle, {}, bookOf(keyless))
  await assert.rejects(attempt(idle, job_id, dyingAt(idle.db, job_id, 3)).over, /killed/)
  assert.equal((await made(idle, anna)).items, 999)
  // PostgreSQL truncates unlogged tables after a crash.
  await idle.db.pool`truncate collections.staged_rows, collections.staged_places`
  await attempt(idle, job_id).over
  const job = await jobOf(anna, idle, job_id)
  assert.equal(job.state, 'completed_with_errors', JSON.stringify(job.error))
  assert.deepEqual(await made(idle, anna), { ...ALL, items: ROWS - 1, links: ROWS - 1, stored: ROWS - 1 })
  assert.deepEqual(job.counts.items, { created: ROWS - 1, updated: 0, unchanged: 0, failed: 1 })
  assert.equal(job.error_count, 1)
})

test('an attempt writes nothing after its lease passed to another', async () => {
  const anna = await aUser({ lyceum: idle })
  const job_id = await sent(anna, idle)
  await assert.rejects(attempt(idle, job_id, dyingAt(idle.db, job_id, 1)).over, /killed/)
  // Of fifty concurrent attempts, only the one that started last counts.
  await idle.db.pool`update collections.jobs set starts = -1000 where job_id = ${job_id}`
  const attempts: Attempted[] = []
  for (let number = 0; number < 50; number++) attempts.push(attempt(idle, job_id))
  await Promise.allSettled(attempts.map(({ over }) => over))
  if ((await jobOf(anna, idle, job_id)).finished_at === null) {
    await attempt(idle, job_id).over
  }
  const job = await jobOf(anna, idle, job_id)
  assert.equal(job.state, 'completed', JSON.stringify(job.error))
  assert.deepEqual(await made(idle, anna), ALL)
  assert.equal(job.counts.items.created, ROWS)
})

test('the third crashed attempt is the last and counts unapplied rows', async () => {
  const anna = await aUser({ lyceum: idle })
  const job_id = await sent(anna, idle)
  for (const moment of [3, 4])
    await assert.rejects(attempt(idle, job_id, dyingAt(idle.db, job_id, moment)).over, /killed/)
  // The last attempt fails once, then records the end.
  const { db } = idle
  let count = 0
  const failingOnce: Database = {
    ...db,
    transaction: async (work) => {
      if (++count === 2) throw new Error('broken')
      return db.transaction(work)
    },
  }
  await attempt(idle, job_id, failingOnce).over
  const job = await jobOf(anna, idle, job_id)
  assert.equal(job.state, 'completed_with_errors')
  assert.equal(job.error.code, 'interrupted')
  const { items } = job.counts
  assert.equal(items.created, (await made(idle, anna)).items)
  assert.equal(items.created + items.failed, ROWS)
  assert.ok(items.created >= 1_000 && items.failed >= 500)
  assert.equal(job.errors[0]?.code, 'not_applied')
  assert.equal(job.errors_truncated, false)
})

test('a cancelled job stops after its chunk and counts applied rows', async () => {
  for (const mode of ['partial', 'atomic']) {
    const anna = await aUser({ lyceum: idle })
    const job_id = await sent(anna, idle, { mode })
    const { over } = attempt(idle, job_id)
    await eventually(async () => (await jobOf(anna, idle, job_id)).progress.percent > 0)
    const cancelled = await idle.collections.inject({
      method: 'POST',
      url: `/api/bulk/jobs/${job_id}/cancel`,
      headers: anna.headers,
    })
    await over
    const job = await jobOf(anna, idle, job_id)
    if (cancelled.statusCode === 409) assert.equal(job.state, 'completed')
    else assert.equal(job.state, 'cancelled')
    const landed = await made(idle, anna)
    if (job.state === 'completed') assert.deepEqual(landed, ALL)
    else if (mode === 'atomic') assert.deepEqual(landed, NONE)
    else assert.equal(landed.items, job.counts.items.created)
    assert.equal(landed.links, landed.stored)
  }
})

async function aMember(
  lyceum: World,
): Promise<{ owner: Person; member: Person; root: string; remove: () => Promise<number> }> {
  const [owner, member] = [await aUser({ lyceum }), await aUser({ lyceum })]
  const { collections } = lyceum
  const root = (
    await collections.inject({
      method: 'POST',
      url: '/api/collections',
      headers: owner.headers,
      payload: { name: 'Root', external_key: 'root' },
    })
  ).json().id as string
  const url = `/api/collections/${root}/members`
  const joined = await collections.inject({
    method: 'POST',
    url,
    headers: owner.headers,
    payload: { user_id: member.user_id, role: 'editor' },
  })
  assert.equal(joined.statusCode, 201, joined.body)
  const remove = async () =>
    (await collections.inject({ method: 'DELETE', url: `${url}/${member.user_id}`, headers: owner.headers }))
      .statusCode
  return { owner, member, root, remove }
}
const ITEMS_ONLY = bookOf({ Items: BOOK['Items'] ?? [] })

test('an import writes nothing more after its uploader was removed', async () => {
  const { member, root, remove } = await aMember(idle)
  const job_id = await sent(member, idle, {}, ITEMS_ONLY)
  const { over } = attempt(idle, job_id)
  await eventually(async () => (await jobOf(member, idle, job_id)).progress.percent > 0)
  assert.equal(await remove(), 204)
  const landed = async () => {
    const [row] = await idle.db.pool<{ number: number }[]>`
      select count(*)::int as number from collections.collection_items where collection_id = ${root}`
    return row?.number ?? 0
  }
  const atRemoval = await landed()
  await over
  assert.equal(await landed(), atRemoval)
  const { counts, state, errors } = await jobOf(member, idle, job_id)
  assert.equal(counts.items.created, atRemoval)
  assert.equal(counts.items.created + counts.items.failed, ROWS)
  if (counts.items.failed > 0) {
    assert.equal(state, 'completed_with_errors')
    assert.equal(errors[0].code, 'not_found')
  }
})

test('a removal does not wait for an atomic import', async () => {
  const { member, root, remove } = await aMember(idle)
  const job_id = await sent(member, idle, { mode: 'atomic' }, ITEMS_ONLY)
  const { over } = attempt(idle, job_id)
  await eventually(async () => (await jobOf(member, idle, job_id)).progress.percent > 0)
  assert.equal(await remove(), 204)
  const before = await jobOf(member, idle, job_id)
  await over
  const job = await jobOf(member, idle, job_id)
  const [{ number } = { number: -1 }] = await idle.db.pool<{ number: number }[]>`
    select count(*)::int as number from collections.collection_items where collection_id = ${root}`
  if (before.finished_at === null) {
    assert.equal(job.state, 'failed', JSON.stringify(job.counts))
    assert.ok(['forbidden', 'row_errors'].includes(job.error.code))
    assert.equal(number, 0)
  } else assert.equal(number, ROWS)
})

test('an import changes nothing after its account ended', async () => {
  const anna = await aUser({ lyceum: idle })
  const job_id = await sent(anna, idle)
  const { over } = attempt(idle, job_id)
  await eventually(async () => (await jobOf(anna, idle, job_id)).progress.percent > 0)
  await idle.db.pool`update sso.users set status = 'suspended' where user_id = ${anna.user_id}`
  await over
  const [job] = await idle.db.pool<{ counts: Record<string, number>; state: string }[]>`
    select counts, state from collections.jobs where job_id = ${job_id}`
  const { items } = await made(idle, anna)
  assert.equal(job?.counts['items_created'], items)
  assert.equal((job?.counts['items_created'] ?? 0) + (job?.counts['items_failed'] ?? 0), ROWS)
})

test('an import changes nothing after its uploader was suspended', async () => {
  const anna = await aUser({ lyceum: idle })
  const job_id = await sent(anna, idle)
  await idle.db.pool`
    update sso.memberships set suspended_at = clock_timestamp() where user_id = ${anna.user_id}`
  await attempt(idle, job_id).over
  assert.deepEqual(await made(idle, anna), NONE)
})

test('many imports at once of the same new keys create each item once', async () => {
  const owner = await aUser({ lyceum: busy })
  await bringIn(
    owner,
    {
      Collections: [
        ['collection_key', 'name'],
        ['root', 'Root'],
      ],
    },
    { lyceum: busy },
  )
  const [root] = await busy.db.pool<{ id: string }[]>`
    select id from collections.collections where created_by = ${owner.user_id}`
  assert.ok(root)
  const people = await Promise.all(Array.from({ length: AT_ONCE }, () => aUser({ lyceum: busy })))
  await busy.db.pool`
    insert into collections.members (collection_id, user_id, role)
    select ${root.id}, person, 'editor' from unnest(${people.map(({ user_id }) => user_id)}::uuid[]) as person`
  const file = bookOf({
    Collections: [
      ['collection_key', 'parent_key', 'name'],
      ...['a', 'b', 'c'].map((key) => [key, 'root', key]),
    ],
    Items: [
      ['item_key', 'collection_keys', 'name'],
      ...Array.from({ length: 20 }, (_, n) => [`i${n}`, 'a;b', `Item ${n}`]),
    ],
  })
  const jobs = await Promise.all(
    people.map(async (person) => ended(person, await sent(person, busy, {}, file), busy)),
  )
  let [collections, items] = [0, 0]
  for (const { state, counts, errors } of jobs) {
    assert.equal(state, 'completed', JSON.stringify(errors))
    collections += counts.collections.created
    items += counts.items.created
    assert.equal(counts.items.created + counts.items.unchanged, 20)
  }
  assert.deepEqual([collections, items], [3, 20])
  const [stored] = await busy.db.pool<{ items: number; links: number; counted: number }[]>`
    select count(distinct link.item_id)::int as items, count(*)::int as links,
           (select sum(item_count)::int from collections.collections where root_id = ${root.id}) as counted
      from collections.collection_items as link
      join collections.collections as node on node.id = link.collection_id and node.root_id = ${root.id}`
  assert.deepEqual({ ...stored }, { items: 20, links: 40, counted: 40 })
})

test('imports of one person run one by one, in order', async () => {
  const anna = await aUser({ lyceum: busy })
  const [one, two] = [await sent(anna, busy), await sent(anna, busy, { on_blank: 'clear' })]
  const [first, second] = [await ended(anna, one, busy), await ended(anna, two, busy)]
  assert.ok(first.finished_at <= second.started_at)
  assert.equal(second.counts.items.unchanged, ROWS)
})
