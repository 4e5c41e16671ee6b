import type { Tx } from '#foundation/database/database.ts'
import { newId } from '#foundation/ids.ts'
import type { Viewer } from '../access/access.ts'
import { applyBeat, type Beat, type Watched } from './beat.ts'
import { type Progress, progressOf } from './progress.ts'
import { lengthOf, toText } from './ranges.ts'
import { assetOf, type ProgressRow, progressColumns, watchedOf } from './rows.ts'

/** The person and the episode of a beat. The caller has just checked that the person may learn there. */
export type Place = { viewer: Viewer; channel_id: string; episode_id: string }
export type Recorded = { isNew: boolean; progress: Progress }

/** `no` is the index of the beat in the call; it matches the rows of each statement to their beats. */
type Key = ReturnType<typeof keyOf>
type Change = { key: Key; row: ProgressRow; before: Watched; after: Watched }

/**
 * Writes one beat per person; `beats` are sorted, and the results keep their order. Each enrollment is locked first, or
 * created (`source` auto). The lock serializes what one person does in one channel across processes, so the union can
 * be computed here.
 */
export async function recordBeats(tx: Tx, beats: readonly (Place & { beat: Beat })[]): Promise<Recorded[]> {
  const keys = beats.map(keyOf)
  // Pipelined: PostgreSQL runs the second statement after the first has its locks, so it reads stable rows.
  const [active, rows] = await Promise.all([enrol(tx, keys), read(tx, keys)])
  const changes = beats.map(({ beat }, no): Change => {
    const [key, row] = [found(keys[no]), found(rows.get(no))]
    const before = watchedOf(row)
    return { key, row, before, after: applyBeat(before, beat, assetOf(row)) }
  })
  const done = changes.filter(({ key, after }) => after.is_completed && active.has(key.no))
  const [saved] = await Promise.all([
    save(tx, changes),
    addActivity(tx, changes),
    finish(
      tx,
      done.map(({ key }) => key),
    ),
  ])
  return changes.map(({ key, row, after }) => {
    const { completed_at, updated_at } = found(saved.get(key.no))
    const at = { episode_id: key.episode_id, channel_id: key.channel_id, completed_at, updated_at }
    return { isNew: row.position_ms === null, progress: progressOf(after, assetOf(row), at) }
  })
}

const keyOf = ({ viewer, channel_id, episode_id }: Place, no: number) => ({
  no,
  tenant_id: viewer.tenant_id,
  user_id: viewer.user_id,
  user_email: viewer.email,
  as_admin: viewer.is_admin,
  enrollment_id: newId(),
  channel_id,
  episode_id,
})

function found<T>(row: T | undefined): T {
  if (row === undefined) throw new Error('a row that this transaction needs is not there')
  return row
}

const byNo = <T extends { no: number }>(rows: readonly T[]) => new Map(rows.map((row) => [row.no, row]))

/** Locks the enrollments in the order of `keys`. Returns the `no` of those that are not completed yet. */
async function enrol(tx: Tx, keys: Key[]): Promise<Set<number>> {
  const rows = await tx<{ no: number }[]>`
    with sent as (
      select no, tenant_id, user_id, channel_id, enrollment_id, user_email, as_admin
        from jsonb_to_recordset(${tx.json(keys)}) as sent(
          no int, tenant_id text, user_id text, channel_id uuid, enrollment_id uuid, user_email text, as_admin boolean)),
    joined as (
      insert into learning.enrollments as n (
        tenant_id, user_id, channel_id, id, user_email, as_admin, status, source)
      select tenant_id, user_id, channel_id, enrollment_id, user_email, as_admin, 'active', 'auto' from sent order by no
      on conflict (tenant_id, user_id, channel_id) do update set last_activity_at = clock_timestamp()
      returning n.tenant_id, n.user_id, n.completed_at)
    select sent.no from joined join sent using (tenant_id, user_id) where joined.completed_at is null`
  return new Set(rows.map(({ no }) => no))
}

async function read(tx: Tx, keys: Key[]) {
  const rows = await tx<(ProgressRow & { no: number })[]>`
    select sent.no, ${progressColumns(tx)}
      from jsonb_to_recordset(${tx.json(keys)}) as sent(no int, tenant_id text, user_id text, episode_id uuid)
      join learning.episodes e on e.tenant_id = sent.tenant_id and e.id = sent.episode_id
      join learning.channels c on c.tenant_id = e.tenant_id and c.id = e.channel_id
      left join learning.videos v on v.tenant_id = e.tenant_id and v.episode_id = e.id
      left join learning.progress w
        on w.tenant_id = e.tenant_id and w.user_id = sent.user_id and w.episode_id = e.id`
  return byNo(rows)
}

async function save(tx: Tx, changes: Change[]) {
  const sent = changes.map(({ key, after }) => ({
    ...key,
    position_ms: after.position,
    watched: toText(after.watched),
    rewatched: toText(after.rewatched),
    last_beat: toText(after.last_beat),
    claimed_ms: after.claimed,
    progress: after.progress / 1_000,
    is_completed: after.is_completed,
  }))
  const rows = await tx<{ no: number; completed_at: string | null; updated_at: string }[]>`
    with sent as (
      select no, tenant_id, user_id, episode_id, position_ms, watched, rewatched, last_beat, claimed_ms, progress,
             case when is_completed then clock_timestamp() end as completed_at
        from jsonb_to_recordset(${tx.json(sent)}) as sent(
          no int, tenant_id text, user_id text, episode_id uuid, position_ms int, watched int4multirange,
          rewatched int4multirange, last_beat int4multirange, claimed_ms int, progress numeric, is_completed boolean)),
    saved as (
      insert into learning.progress as w (
        tenant_id, user_id, episode_id, position_ms, watched, rewatched, last_beat, claimed_ms, progress, completed_at)
      select tenant_id, user_id, episode_id, position_ms, watched, rewatched, last_beat, claimed_ms, progress, completed_at
        from sent order by no
      on conflict (tenant_id, user_id, episode_id) do update set
        position_ms = excluded.position_ms, watched = excluded.watched, rewatched = excluded.rewatched,
        last_beat = excluded.last_beat, claimed_ms = excluded.claimed_ms, progress = excluded.progress,
        completed_at = coalesce(w.completed_at, excluded.completed_at), updated_at = clock_timestamp()
      returning w.tenant_id, w.user_id, w.completed_at, w.updated_at)
    select sent.no, saved.completed_at, saved.updated_at from saved join sent using (tenant_id, user_id)`
  return byNo(rows)
}

/** Adds to the day what was watched for the first time or again. */
async function addActivity(tx: Tx, changes: Change[]) {
  const grown = ({ before, after }: Change) =>
    lengthOf(after.watched) +
    lengthOf(after.rewatched) -
    lengthOf(before.watched) -
    lengthOf(before.rewatched)
  const sent = changes
    .map((change) => ({ ...change.key, watched_ms: grown(change) }))
    .filter(({ watched_ms }) => watched_ms > 0)
  if (sent.length === 0) return
  await tx`
    insert into learning.activity_days as d (tenant_id, user_id, day, channel_id, watched_ms)
    select tenant_id, user_id, (clock_timestamp() at time zone 'UTC')::date, channel_id, watched_ms
      from jsonb_to_recordset(${tx.json(sent)}) as sent(
        no int, tenant_id text, user_id text, channel_id uuid, watched_ms bigint)
     order by no
    on conflict (tenant_id, user_id, day, channel_id) do update set watched_ms = d.watched_ms + excluded.watched_ms`
}

/** Completes an enrollment when every released episode is completed. It stays completed when episodes are added. */
async function finish(tx: Tx, keys: Key[]) {
  if (keys.length === 0) return
  await tx`
    update learning.enrollments n set status = 'completed', completed_at = clock_timestamp()
      from jsonb_to_recordset(${tx.json(keys)}) as sent(tenant_id text, user_id text, channel_id uuid)
     where n.tenant_id = sent.tenant_id and n.user_id = sent.user_id and n.channel_id = sent.channel_id
       and n.status = 'active'
       and (select done.total > 0 and done.completed = done.total
              from learning.progress_in(n.tenant_id, n.user_id, n.channel_id) as done)`
}
