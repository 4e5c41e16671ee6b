import { one, type Tx, violates } from '#foundation/database/database.ts'
import { badRequest, forbidden } from '#foundation/errors.ts'
import { isOtherVersion } from '#foundation/http/if-match.ts'
import { applyPlan } from '../episodes/apply.ts'
import { cleanEpisodeChanges, planEpisodes } from '../episodes/merge.ts'
import { lockedEpisodes } from '../episodes/write.ts'
import { collectFaults } from '../values.ts'
import type { Store, Viewer } from '../access/access.ts'
import { type LockedChannel, lockForEdit, sumUp } from './change.ts'
import type { ChannelChange } from './channel.ts'
import { type ChannelFields, cleanChannel } from './fields.ts'
import { countChannels, saveEditors } from './counts.ts'
import { readChannel } from './read.ts'

/**
 * Partial update of a channel and its episodes: one transaction, one new version (docs/learning.md). `if_match` is the
 * If-Match header. Returns the channel. 404, 403, then 400 for a stale version, no writable field, or an episode of
 * another channel.
 */
export async function updateChannel(
  store: Store,
  viewer: Viewer,
  channel_id: string,
  body: ChannelChange,
  if_match: string | undefined,
) {
  const faults = collectFaults()
  const fields = cleanChannel(body, faults)
  const patches = body.episodes && cleanEpisodeChanges(body.episodes, faults)
  faults.refuseIfAny()
  const { tenant_id } = viewer

  return store.db.transaction(async (tx) => {
    const current = await lockForEdit(tx, viewer, channel_id)
    const owner_id = body.owner_id ?? current.owner_id
    mayChangePeople(viewer, current, owner_id, fields.instructor_ids)
    if (isOtherVersion(current.version, if_match))
      throw badRequest('stale_version', 'Channel changed, reload')
    if (Object.keys(fields).length === 0 && body.episodes === undefined && body.owner_id === undefined)
      throw badRequest('nothing_to_change', 'The body has no field that can be changed')
    const moved = await writeFields(tx, tenant_id, channel_id, { ...current, ...fields, owner_id })
    if (moved.has_other_editors || moved.listed !== 0) await saveEditors(tx, tenant_id, channel_id)
    if (patches) {
      const live = await lockedEpisodes(tx, tenant_id, channel_id)
      await applyPlan(tx, tenant_id, channel_id, planEpisodes(live, patches))
    }
    await sumUp(tx, tenant_id, channel_id)
    const channel = await readChannel(tx, viewer, channel_id)
    await countChannels(tx, tenant_id, moved)
    return channel
  })
}

/**
 * Only a changed value needs the right, so a client may send back a channel as it was read (docs/choices-learning.md).
 */
function mayChangePeople(
  viewer: Viewer,
  current: LockedChannel,
  owner_id: string,
  instructor_ids?: string[],
) {
  if (owner_id !== current.owner_id && !viewer.is_admin)
    throw forbidden('admin_required', 'Only an ADMIN may change owner_id')
  const isOther =
    instructor_ids !== undefined &&
    new Set(instructor_ids).symmetricDifference(new Set(current.instructor_ids)).size > 0
  if (isOther && !viewer.is_admin && current.owner_id !== viewer.user_id)
    throw forbidden('owner_required', 'Only the owner may change instructor_ids')
}

/**
 * Returns what the counts need: the change of the number of listed channels (`listed`), and whether the editors differ.
 */
async function writeFields(
  tx: Tx,
  tenant_id: string,
  channel_id: string,
  fields: ChannelFields & { owner_id: string },
) {
  try {
    return one(
      await tx<{ listed: number; has_other_editors: boolean }[]>`
      update learning.channels c
         set owner_id = ${fields.owner_id}, title = ${fields.title}, description = ${fields.description},
             language = ${fields.language}, category = ${fields.category}, level = ${fields.level},
             tags = ${fields.tags}, thumbnail_url = ${fields.thumbnail_url}, status = ${fields.status},
             enrollment = ${fields.enrollment}, visibility = ${fields.visibility}, sequential = ${fields.sequential},
             completion_threshold = ${fields.completion_threshold}, passing_percent = ${fields.passing_percent},
             grade_weights = ${fields.grade_weights && tx.json(fields.grade_weights)},
             instructor_ids = ${fields.instructor_ids},
             published_at = coalesce(c.published_at, case when ${fields.status} = 'published' then clock_timestamp() end)
        from learning.channels was
       where c.tenant_id = ${tenant_id} and c.id = ${channel_id} and was.tenant_id = c.tenant_id and was.id = c.id
      returning c.is_listed::int - was.is_listed::int as listed,
                (c.owner_id, c.instructor_ids) is distinct from (was.owner_id, was.instructor_ids) as has_other_editors`,
    )
  } catch (error) {
    if (violates(error, 'channels_by_external_id'))
      throw badRequest('already_imported', 'The new owner already has a channel with this external_id')
    throw error
  }
}
