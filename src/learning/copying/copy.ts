import { one, type Tx } from '#foundation/database/database.ts'
import { badRequest, notFound } from '#foundation/errors.ts'
import { newId } from '#foundation/ids.ts'
import type { Viewer } from '../access/access.ts'
import { openEpisode, requireEditor } from '../access/open.ts'
import { lockForEdit, sumUp } from '../channels/change.ts'
import { countChannels, countWork, saveEditors } from '../channels/counts.ts'
import { readChannel } from '../channels/read.ts'
import { MAX_EPISODES } from '../episodes/episode.ts'
import { lockTest, openTestToEdit } from '../exams/access.ts'
import { MAX_TESTS } from '../exams/exam.ts'
import { readTest } from '../exams/list.ts'
import type { FileStore } from '../files/keep.ts'
import { bringFiles } from './files.ts'
import { copyEpisodes, copyTests, pairsOf } from './rows.ts'

/**
 * Copies a channel with its episodes, their work and its own pictures into a draft of the caller; nobody and nothing of
 * what learners did comes along. 404, 403 for who may not change it.
 */
export async function copyChannel(
  { db, quota }: FileStore,
  viewer: Viewer,
  channel_id: string,
  title?: string,
) {
  const { tenant_id, user_id } = viewer
  return db.transaction(async (tx) => {
    await lockForEdit(tx, viewer, channel_id)
    const id = newId()
    await tx`
      insert into learning.channels (
        tenant_id, id, owner_id, instructor_ids, title, description, language, category, level, tags, thumbnail_url,
        status, enrollment, visibility, sequential, completion_threshold, passing_percent, grade_weights)
      select c.tenant_id, ${id}, ${user_id}, '{}', coalesce(${title ?? null}, c.title), c.description, c.language,
             c.category, c.level, c.tags, c.thumbnail_url, 'draft', c.enrollment, c.visibility, c.sequential,
             c.completion_threshold, c.passing_percent, c.grade_weights
        from learning.channels c where c.tenant_id = ${tenant_id} and c.id = ${channel_id}`
    await tx`
      insert into learning.channel_tenants (channel_id, tenant_id) values (${id}, ${tenant_id}) on conflict do nothing`
    await saveEditors(tx, tenant_id, id)
    const episodes = await tx<{ id: string; parent_id: string }[]>`
      select e.id, e.channel_id as parent_id from learning.episodes e
       where e.tenant_id = ${tenant_id} and e.channel_id = ${channel_id} and e.deleted_at is null
       order by e.position, e.id`
    const channels = [{ from_id: channel_id, to_id: id, parent_id: id }]
    await copyEpisodes(tx, viewer, pairsOf(episodes, channels), 'as it was')
    await sumUp(tx, tenant_id, id, true)
    await bringFiles(tx, { tenant_id, from: channel_id, to: id, quota })
    await countChannels(tx, tenant_id, { live: 1 })
    return readChannel(tx, viewer, id)
  })
}

/**
 * Copies an episode as a draft to the end of a channel, its own unless told. Returns the channel and the id of the copy.
 * 404, 403 for who may not change both, 400 for a full channel.
 */
export async function copyEpisode({ db, quota }: FileStore, viewer: Viewer, episode_id: string, to?: string) {
  const { tenant_id } = viewer
  return db.transaction(async (tx) => {
    const { from, target } = await lockBoth(tx, viewer, episode_id, to)
    const [pair] = pairsOf([{ id: episode_id, parent_id: target }], [])
    if (!pair) throw notFound()
    await copyEpisodes(tx, viewer, [pair], 'draft')
    await endWith(tx, viewer, target)
    await bringFiles(tx, { tenant_id, from, to: target, quota })
    return { episode_id: pair.to_id, channel_id: target }
  })
}

/**
 * Moves an episode to the end of another channel, with its work and what learners did there. 404, 403 for who may not
 * change both, 400 for its own or a full channel.
 */
export async function moveEpisode({ db, quota }: FileStore, viewer: Viewer, episode_id: string, to: string) {
  const { tenant_id } = viewer
  return db.transaction(async (tx) => {
    const { from, target } = await lockBoth(tx, viewer, episode_id, to)
    if (from === target) throw badRequest('same_channel', 'The episode is in this channel already')
    await tx`
      update learning.episodes e
         set channel_id = ${target}, updated_at = clock_timestamp(),
             position = 1 + (select coalesce(max(o.position), 0) from learning.episodes o
                              where o.tenant_id = ${tenant_id} and o.channel_id = ${target} and o.deleted_at is null)
       where e.tenant_id = ${tenant_id} and e.id = ${episode_id}`
    await tx`
      update learning.files set channel_id = ${target}
       where tenant_id = ${tenant_id} and homework_id in (
               select h.id from learning.homework h where h.tenant_id = ${tenant_id} and h.episode_id = ${episode_id})`
    await sumUp(tx, tenant_id, from)
    await endWith(tx, viewer, target)
    await bringFiles(tx, { tenant_id, from, to: target, quota })
    return { episode_id, channel_id: target }
  })
}

/** Copies a test with its questions as a draft into an episode, its own unless told. 404, 403, 400 for a full one. */
export async function copyTest({ db, quota }: FileStore, viewer: Viewer, test_id: string, to?: string) {
  const { tenant_id } = viewer
  return db.transaction(async (tx) => {
    const { episode: from } = await openTestToEdit(tx, viewer, test_id)
    const target = to === undefined ? from : await openEpisode(tx, viewer, to)
    requireEditor(target)
    for (const id of [...new Set([from.channel_id, target.channel_id])].toSorted())
      await lockForEdit(tx, viewer, id)
    await lockTest(tx, viewer, test_id)
    const { tests } = one(
      await tx<{ tests: number }[]>`
        select count(*)::int as tests from learning.tests
         where tenant_id = ${tenant_id} and episode_id = ${target.episode_id} and deleted_at is null`,
    )
    if (tests >= MAX_TESTS) throw badRequest('too_many_tests', `An episode holds at most ${MAX_TESTS} tests`)
    const [pair] = pairsOf([{ id: test_id, parent_id: target.episode_id }], [])
    if (!pair) throw notFound()
    await copyTests(tx, viewer, [pair], 'draft')
    await countWork(tx, tenant_id, target.episode_id)
    await sumUp(tx, tenant_id, target.channel_id)
    await bringFiles(tx, { tenant_id, from: from.channel_id, to: target.channel_id, quota })
    return readTest(tx, viewer, pair.to_id)
  })
}

/** Locks the channel of the episode and the one it goes to, in the order of their ids. */
async function lockBoth(tx: Tx, viewer: Viewer, episode_id: string, to: string | undefined) {
  const episode = await openEpisode(tx, viewer, episode_id)
  requireEditor(episode)
  const from = episode.channel_id
  const target = to ?? from
  for (const id of [...new Set([from, target])].toSorted()) await lockForEdit(tx, viewer, id)
  // It may have been moved or deleted before the lock was held.
  const { channel_id } = await openEpisode(tx, viewer, episode_id)
  if (channel_id !== from) throw notFound()
  return { from, target }
}

/** Refuses one episode too many, and ends the change of the channel. */
async function endWith(tx: Tx, { tenant_id }: Viewer, channel_id: string) {
  await sumUp(tx, tenant_id, channel_id)
  const { episode_count } = one(
    await tx<{ episode_count: number }[]>`
      select episode_count from learning.channels where tenant_id = ${tenant_id} and id = ${channel_id}`,
  )
  if (episode_count > MAX_EPISODES)
    throw badRequest('too_many_episodes', `A channel holds at most ${MAX_EPISODES} episodes`)
}
