import { type Static, Type } from 'typebox'
import type { Database, Tx } from '#foundation/database/database.ts'
import { badRequest, notFound, unprocessable } from '#foundation/errors.ts'
import { Time, Uuid } from '#foundation/http/schemas.ts'
import type { Viewer } from '../access/access.ts'
import { openTest } from '../exams/access.ts'
import { openHomework } from '../homework/open.ts'
import { isLearner, requireStaff } from './staff.ts'

export const DeadlineBody = Type.Object({ until: Time })
export const Deadline = Type.Object({ work_id: Uuid, user_id: Uuid, until: Time })
export type Deadline = Static<typeof Deadline>
export const RemovedDeadline = Type.Object({ work_id: Uuid, user_id: Uuid, removed: Type.Literal(true) })

/** Whose deadline at which work. */
export type Granted = { kind: 'homework' | 'test'; work_id: string; user_id: string }

/**
 * Gives one learner longer than the others, also for work that is over; sent again, the new time holds. 404 for unknown
 * work and for who does not learn in the channel, 403 for who does not teach it, 400 for work without a deadline, 422
 * for a time that is not after everybody's.
 */
export async function extendDeadline(
  db: Database,
  viewer: Viewer,
  granted: Granted,
  until: string,
): Promise<Deadline> {
  const { tenant_id } = viewer
  const { work_id, user_id } = ofOne(granted)
  return db.transaction(async (tx) => {
    const { channel_id, ends_at } = await openWork(tx, viewer, granted)
    if (ends_at === null) throw badRequest('no_deadline', 'This work has no deadline to extend')
    if (Date.parse(until) <= Date.parse(ends_at))
      throw unprocessable('until', 'not_later', "must be after everybody's deadline")
    const [set] = await tx<{ until: string }[]>`
      insert into learning.deadlines (tenant_id, work_id, user_id, until, set_by)
      select n.tenant_id, ${work_id}, n.user_id, ${until}, ${viewer.user_id}
        from learning.enrollments n
       where n.tenant_id = ${tenant_id} and n.channel_id = ${channel_id} and n.user_id = ${user_id} and ${isLearner(tx)}
      on conflict (tenant_id, work_id, user_id) do update
        set until = excluded.until, set_by = excluded.set_by, set_at = clock_timestamp()
      returning until`
    if (!set) throw notFound()
    await forgetReminder(tx, tenant_id, { work_id, user_id })
    return { work_id, user_id, until: set.until }
  })
}

/** Gives back everybody's deadline. 404 if the learner has no other, 403. */
export async function removeDeadline(db: Database, viewer: Viewer, granted: Granted) {
  const { tenant_id } = viewer
  const { work_id, user_id } = ofOne(granted)
  return db.transaction(async (tx) => {
    await openWork(tx, viewer, granted)
    const removed = await tx`
      delete from learning.deadlines
       where tenant_id = ${tenant_id} and work_id = ${work_id} and user_id = ${user_id} returning work_id`
    if (removed.length === 0) throw notFound()
    await forgetReminder(tx, tenant_id, { work_id, user_id })
    return { work_id, user_id, removed: true as const }
  })
}

const ofOne = ({ work_id, user_id }: Granted) => ({
  work_id: work_id.toLowerCase(),
  user_id: user_id.toLowerCase(),
})

/** The channel of the work and everybody's deadline. 404, 403 for who does not teach there. */
async function openWork(tx: Tx, viewer: Viewer, { kind, work_id }: Granted) {
  const { channel_id } =
    kind === 'homework'
      ? await openHomework(tx, viewer, work_id)
      : (await openTest(tx, viewer, work_id)).episode
  await requireStaff(tx, viewer, channel_id)
  const [work] = await (kind === 'homework'
    ? tx<{ ends_at: string | null }[]>`
        select due_at as ends_at from learning.homework
         where tenant_id = ${viewer.tenant_id} and id = ${work_id} and deleted_at is null for share`
    : tx<{ ends_at: string | null }[]>`
        select closes_at as ends_at from learning.tests
         where tenant_id = ${viewer.tenant_id} and id = ${work_id} and deleted_at is null for share`)
  if (!work) throw notFound()
  return { channel_id, ends_at: work.ends_at }
}

/** The learner was perhaps reminded of the other deadline, and shall be of this one. */
const forgetReminder = (tx: Tx, tenant_id: string, { work_id, user_id }: Omit<Granted, 'kind'>) => tx`
  delete from learning.notifications
   where tenant_id = ${tenant_id} and user_id = ${user_id} and kind = 'due' and target_id = ${work_id}`
