import type { Tx } from '#foundation/database/database.ts'
import { badRequest, notFound } from '#foundation/errors.ts'
import type { Store, Viewer } from '../access/access.ts'
import { lockForEdit, sumUp } from '../channels/change.ts'
import { countWork } from '../channels/counts.ts'
import { requireEditor } from '../access/open.ts'
import { collectFaults } from '../values.ts'
import { refuseEarlyLock } from './create.ts'
import { cleanHomework, type HomeworkFields, withIds } from './fields.ts'
import type { HomeworkChange } from './homework.ts'
import { readHomework } from './list.ts'
import { openHomework } from './open.ts'

/** Updates the sent fields of homework. Lateness and penalties follow at once, because they are never stored. */
export async function updateHomework(
  store: Store,
  viewer: Viewer,
  homework_id: string,
  body: HomeworkChange,
) {
  const faults = collectFaults()
  const given = cleanHomework(body, faults)
  faults.refuseIfAny()
  const { tenant_id } = viewer
  const episode = await openHomework(store.db.pool, viewer, homework_id)
  requireEditor(episode)
  if (Object.keys(given).length === 0)
    throw badRequest('nothing_to_change', 'The body has no field that can be changed')

  return store.db.transaction(async (tx) => {
    await lockForEdit(tx, viewer, episode.channel_id)
    await writeHomework(tx, tenant_id, homework_id, given)
    await countWork(tx, tenant_id, episode.episode_id)
    await sumUp(tx, tenant_id, episode.channel_id)
    return readHomework(tx, viewer, homework_id)
  })
}

/** Writes cleaned fields. The caller holds the lock of the channel, and counts and sums up afterwards. */
export async function writeHomework(
  tx: Tx,
  tenant_id: string,
  homework_id: string,
  given: Partial<HomeworkFields>,
) {
  const current = await lockedHomework(tx, tenant_id, homework_id)
  const fields = { ...current, ...given }
  await tx`
    update learning.homework
       set title = ${fields.title}, instructions = ${fields.instructions}, status = ${fields.status},
           submission_types = ${fields.submission_types}, max_score = ${fields.max_score},
           weight = ${fields.weight}, due_at = ${fields.due_at}, lock_at = ${fields.lock_at}, late_policy = ${fields.late_policy},
           late_penalty_percent_per_day = ${fields.late_penalty_percent_per_day},
           late_penalty_max_percent = ${fields.late_penalty_max_percent},
           max_submissions = ${fields.max_submissions},
           rubric = ${tx.json(withIds(fields.rubric, current.rubric))}, updated_at = clock_timestamp()
     where tenant_id = ${tenant_id} and id = ${homework_id}`.catch(refuseEarlyLock)
}

/** Soft delete: submissions stay, but no grade counts them any more. */
export async function deleteHomework(store: Store, viewer: Viewer, homework_id: string) {
  const { tenant_id } = viewer
  const episode = await openHomework(store.db.pool, viewer, homework_id)
  requireEditor(episode)

  return store.db.transaction(async (tx) => {
    await lockForEdit(tx, viewer, episode.channel_id)
    const [deleted] = await tx<{ id: string; deleted_at: string }[]>`
      update learning.homework set deleted_at = clock_timestamp(), updated_at = clock_timestamp()
       where tenant_id = ${tenant_id} and id = ${homework_id} and deleted_at is null
      returning id, deleted_at`
    if (!deleted) throw notFound()
    await countWork(tx, tenant_id, episode.episode_id)
    await sumUp(tx, tenant_id, episode.channel_id)
    return { id: deleted.id, deleted: true as const, deleted_at: deleted.deleted_at }
  })
}

/** The caller holds the channel lock, so homework and episode do not change. */
async function lockedHomework(tx: Tx, tenant_id: string, homework_id: string): Promise<HomeworkFields> {
  const [homework] = await tx<HomeworkFields[]>`
    select h.title, h.instructions, h.status, h.submission_types, h.max_score::float8, h.weight::float8, h.due_at, h.lock_at,
           h.late_policy, h.late_penalty_percent_per_day::float8, h.late_penalty_max_percent::float8,
           h.max_submissions, h.rubric
      from learning.homework h
      join learning.episodes e on e.tenant_id = h.tenant_id and e.id = h.episode_id and e.deleted_at is null
     where h.tenant_id = ${tenant_id} and h.id = ${homework_id} and h.deleted_at is null`
  if (!homework) throw notFound()
  return homework
}
