import { type Tx, one } from '#foundation/database/database.ts'
import { newId } from '#foundation/ids.ts'
import { applyPlan } from '../episodes/apply.ts'
import { cleanNewEpisodes, planEpisodes } from '../episodes/merge.ts'
import { collectFaults } from '../values.ts'
import type { Store, Viewer } from '../access/access.ts'
import { sumUp } from './change.ts'
import type { NewChannel } from './channel.ts'
import { CHANNEL_DEFAULTS, cleanChannel } from './fields.ts'
import { countChannels, saveEditors } from './counts.ts'
import { readChannel } from './read.ts'

/**
 * Creates a channel with its episodes and videos in one transaction; the caller owns it. Returns the channel. If this
 * owner already used the `external_id`, returns the existing channel instead, so that an import can be repeated.
 */
export async function createChannel(store: Store, viewer: Viewer, body: NewChannel) {
  const faults = collectFaults()
  const given = cleanChannel(body, faults)
  const patches = cleanNewEpisodes(body.episodes ?? [], faults)
  faults.refuseIfAny()
  // A copy of another person's channel does not take over its instructors (docs/choices-learning.md).
  const isCopy = typeof body.owner_id === 'string' && body.owner_id !== viewer.user_id
  const fields = { ...CHANNEL_DEFAULTS, title: body.title, ...given, ...(isCopy && { instructor_ids: [] }) }
  const { tenant_id, user_id } = viewer
  const id = newId()

  return store.db.transaction(async (tx) => {
    const [created] = await tx<{ is_listed: boolean }[]>`
      insert into learning.channels (
        tenant_id, id, owner_id, external_id, title, description, language, category, level, tags, thumbnail_url,
        status, enrollment, visibility, sequential, completion_threshold, passing_percent, grade_weights,
        instructor_ids, published_at)
      values (
        ${tenant_id}, ${id}, ${user_id}, ${body.external_id ?? null}, ${fields.title}, ${fields.description},
        ${fields.language}, ${fields.category}, ${fields.level}, ${fields.tags}, ${fields.thumbnail_url},
        ${fields.status}, ${fields.enrollment}, ${fields.visibility}, ${fields.sequential},
        ${fields.completion_threshold}, ${fields.passing_percent}, ${fields.grade_weights && tx.json(fields.grade_weights)},
        ${fields.instructor_ids}, ${fields.status === 'published' ? tx`clock_timestamp()` : null})
      on conflict (tenant_id, owner_id, external_id) where deleted_at is null and external_id is not null do nothing
      returning is_listed`
    if (!created) {
      const { id: known_id } = await imported(tx, viewer, body.external_id ?? '')
      return { isNew: false, channel: await readChannel(tx, viewer, known_id) }
    }
    await tx`
      insert into learning.channel_tenants (channel_id, tenant_id) values (${id}, ${tenant_id}) on conflict do nothing`
    await saveEditors(tx, tenant_id, id)
    if (patches.length > 0) {
      await applyPlan(tx, tenant_id, id, planEpisodes([], patches))
      await sumUp(tx, tenant_id, id, true)
    }
    const channel = await readChannel(tx, viewer, id)
    await countChannels(tx, tenant_id, { listed: Number(created.is_listed), live: 1 })
    return { isNew: true, channel }
  })
}

const imported = async (tx: Tx, { tenant_id, user_id }: Viewer, external_id: string) =>
  one(
    await tx<{ id: string }[]>`
      select id from learning.channels
       where tenant_id = ${tenant_id} and owner_id = ${user_id} and external_id = ${external_id} and deleted_at is null`,
  )
