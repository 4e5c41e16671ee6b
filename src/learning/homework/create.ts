import { type Tx, violates } from '#foundation/database/database.ts'
import { badRequest, notFound } from '#foundation/errors.ts'
import { newId } from '#foundation/ids.ts'
import type { Store, Viewer } from '../access/access.ts'
import { lockForEdit, sumUp } from '../channels/change.ts'
import { countWork } from '../channels/counts.ts'
import { openEpisode, requireEditor } from '../access/open.ts'
import { collectFaults } from '../values.ts'
import { cleanHomework, HOMEWORK_DEFAULTS, withIds } from './fields.ts'
import { MAX_HOMEWORK, type NewHomework } from './homework.ts'
import { readHomework } from './list.ts'

/** Creates homework. 404 and 403 as for the episode, 400 for a cut-off before the deadline or a full episode. */
export async function createHomework(store: Store, viewer: Viewer, episode_id: string, body: NewHomework) {
  const faults = collectFaults()
  const given = cleanHomework(body, faults)
  faults.refuseIfAny()
  const fields = { ...HOMEWORK_DEFAULTS, title: body.title, ...given }
  const { tenant_id } = viewer
  const episode = await openEpisode(store.db.pool, viewer, episode_id)
  requireEditor(episode)
  const id = newId()

  return store.db.transaction(async (tx) => {
    await lockForEdit(tx, viewer, episode.channel_id)
    await requireRoom(tx, tenant_id, episode_id)
    await tx`
      insert into learning.homework (
        tenant_id, id, episode_id, title, instructions, status, submission_types, max_score, weight, due_at, lock_at,
        late_policy, late_penalty_percent_per_day, late_penalty_max_percent, max_submissions, rubric)
      values (
        ${tenant_id}, ${id}, ${episode_id}, ${fields.title}, ${fields.instructions}, ${fields.status},
        ${fields.submission_types}, ${fields.max_score}, ${fields.weight}, ${fields.due_at}, ${fields.lock_at}, ${fields.late_policy},
        ${fields.late_penalty_percent_per_day}, ${fields.late_penalty_max_percent}, ${fields.max_submissions},
        ${tx.json(withIds(fields.rubric, []))})`.catch(refuseEarlyLock)
    await countWork(tx, tenant_id, episode_id)
    await sumUp(tx, tenant_id, episode.channel_id)
    return readHomework(tx, viewer, id)
  })
}

/** 400 if the cut-off is before the deadline. */
export function refuseEarlyLock(error: unknown): never {
  if (violates(error, 'homework_locks_after_due'))
    throw badRequest('locks_before_due', 'lock_at must not be before due_at')
  throw error
}

/** The channel is locked, so nobody else can take the last place or delete the episode. */
async function requireRoom(tx: Tx, tenant_id: string, episode_id: string) {
  const [episode] = await tx<{ homework_count: number }[]>`
    select (select count(*) from learning.homework h
             where h.tenant_id = e.tenant_id and h.episode_id = e.id and h.deleted_at is null
           ) as homework_count
      from learning.episodes e
     where e.tenant_id = ${tenant_id} and e.id = ${episode_id} and e.deleted_at is null`
  if (!episode) throw notFound()
  if (episode.homework_count >= MAX_HOMEWORK)
    throw badRequest('too_much_homework', `An episode holds at most ${MAX_HOMEWORK} homework`)
}
