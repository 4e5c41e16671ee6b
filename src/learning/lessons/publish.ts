import { Type } from 'typebox'
import type { Tx } from '#foundation/database/database.ts'
import { badRequest } from '#foundation/errors.ts'
import { fieldError } from '#foundation/http/field-faults.ts'
import { compileValidator } from '#foundation/http/schema-compilers.ts'
import type { Viewer } from '../access/access.ts'
import { openEpisode } from '../access/open.ts'
import { lockForEdit, sumUp } from '../channels/change.ts'
import { countWork } from '../channels/counts.ts'
import { EpisodeChange } from '../episodes/episode.ts'
import { EPISODE_DEFAULTS, EPISODE_RULES, type EpisodeFields } from '../episodes/merge.ts'
import { lockedEpisodes, saveEpisodes } from '../episodes/write.ts'
import { cleanHomework } from '../homework/fields.ts'
import { HomeworkChange } from '../homework/homework.ts'
import { writeHomework } from '../homework/update.ts'
import type { Learning } from '../learning.ts'
import { cleanVideo, mergeVideo } from '../media/merge.ts'
import { VideoBody } from '../media/video.ts'
import { lockedVideos, saveVideos } from '../media/write.ts'
import { cleanFields, collectFaults, type Faults } from '../values.ts'
import { Changes, shown } from './change.ts'
import { isSame, placeOf } from './fields.ts'
import { closeRows, type Kept, listKept, openChanges, versionOf } from './kept.ts'
import { type Lesson, readLesson } from './lesson.ts'

/** What is left afterwards; `is_published` is false when there was nothing to publish. */
export const Publication = Type.Object({ ...Changes.properties, is_published: Type.Boolean() })

type Where = { tenant_id: string; channel_id: string; episode_id: string }

/**
 * Publishes the lesson with all its changes, in one transaction: fields, video, homework, and the tests that wait for it.
 * Whoever comes second finds nothing to publish. 400 for another version of the changes and for fields that were published
 * by others meanwhile, 422 with every wrong field.
 */
export async function publishLesson(
  learning: Learning,
  viewer: Viewer,
  episode_id: string,
  refuseStale: (version: number) => void,
) {
  const { tenant_id } = viewer
  const { channel_id } = await openEpisode(learning.db.fast, viewer, episode_id)
  const where = { tenant_id, channel_id, episode_id }
  const done = await learning.db.transaction(async (tx) => {
    await lockForEdit(tx, viewer, channel_id)
    const before = await readLesson(tx, tenant_id, episode_id)
    const kept = await listKept(tx, tenant_id, episode_id)
    const open = openChanges(before, kept)
    const is_published = before.status === 'draft' || open.length > 0
    if (is_published) {
      refuseStale(versionOf(kept))
      refuseChangedBeneath(before, open)
      await write(tx, where, before, open)
      await countWork(tx, tenant_id, episode_id)
      await sumUp(tx, tenant_id, channel_id)
    }
    if (kept.some(({ is_open }) => is_open)) await closeRows(tx, viewer, episode_id, versionOf(kept) + 1)
    const lesson = await readLesson(tx, tenant_id, episode_id)
    return { lesson, kept: await listKept(tx, tenant_id, episode_id), is_published }
  })
  return { ...(await shown(learning, viewer, { ...done, since: 0 })), is_published: done.is_published }
}

function refuseChangedBeneath({ fields }: Lesson, open: readonly Kept[]) {
  const beneath = open.filter(({ name, base }) => !isSame(base, fields.get(name)))
  if (beneath.length === 0) return
  const names = beneath.map(({ name }) => name).join(', ')
  throw badRequest('changed_meanwhile', `Published by somebody else meanwhile: ${names}`)
}

/** The open changes as bodies of the routes that change the same things. */
type Bodies = { episode: object; video: object; homework: Map<string, object>; tests: string[] }

function bodiesOf(open: readonly Kept[]): Bodies {
  const bodies: Bodies = { episode: {}, video: {}, homework: new Map(), tests: [] }
  for (const { name, value } of open) {
    const place = placeOf(name)
    if (!place) continue
    const { part, id, field } = place
    if (part === 'test') bodies.tests.push(id)
    else if (part === 'homework') bodies.homework.set(id, { ...bodies.homework.get(id), [field]: value })
    else bodies[part] = { ...bodies[part], [field]: value }
  }
  return bodies
}

async function write(
  tx: Tx,
  { tenant_id, channel_id, episode_id }: Where,
  lesson: Lesson,
  open: readonly Kept[],
) {
  const bodies = bodiesOf(open)
  const faults = collectFaults()
  const fields = isRight(EpisodeChange, bodies.episode, '', faults)
    ? cleanFields<EpisodeFields>(bodies.episode, EPISODE_RULES, EPISODE_DEFAULTS, faults)
    : {}
  const video = cleanedVideo(bodies.video, lesson, faults)
  const homework = [...bodies.homework].map(([id, body]) => ({
    id,
    given: cleanedHomework(id, body, lesson, faults),
  }))
  const tests = bodies.tests.map((id) => ({ id, status: statusOf(id, open, lesson, faults) }))
  faults.refuseIfAny()

  const row = (await lockedEpisodes(tx, tenant_id, channel_id)).find(({ id }) => id === episode_id)
  if (!row) throw new Error('an episode that its channel does not have')
  await saveEpisodes(tx, tenant_id, channel_id, [{ ...row, ...fields, status: 'published' }])
  const [current] = await lockedVideos(tx, tenant_id, [episode_id])
  const merged = video && mergeVideo(current, video, episode_id)
  if (merged) await saveVideos(tx, tenant_id, [merged])
  for (const { id, given } of homework) await writeHomework(tx, tenant_id, id, given)
  for (const { id, status } of tests)
    await tx`
      update learning.tests set status = ${status}, updated_at = clock_timestamp()
       where tenant_id = ${tenant_id} and id = ${id} and episode_id = ${episode_id} and deleted_at is null`
}

function cleanedVideo(body: object, { fields }: Lesson, faults: Faults) {
  if (Object.keys(body).length === 0) return undefined
  const { url = fields.get('video.url') } = body as { url?: unknown }
  if (url === '' || url === null) faults.at('video.url')('required', 'is required')
  else if (isRight(VideoBody, body, 'video.', faults)) {
    const patch = cleanVideo(body, faults, 'video.')
    refuseBeyond(
      {
        chapters: fields.get('video.chapters'),
        duration_seconds: fields.get('video.duration_seconds'),
        ...patch,
      },
      faults,
    )
    return patch
  }
  return undefined
}

/** A chapter begins before the end of the video. */
function refuseBeyond(video: { chapters?: unknown; duration_seconds?: unknown }, faults: Faults) {
  const { chapters, duration_seconds: length } = video as {
    chapters: { start_seconds: number }[]
    duration_seconds: number | null
  }
  if (length === null) return
  const clock = `${Math.floor(length / 60)}:${String(Math.floor(length % 60)).padStart(2, '0')}`
  for (const [i, { start_seconds }] of chapters.entries())
    if (start_seconds >= length)
      faults.at(`video.chapters[${i}].start_seconds`)(
        'out_of_range',
        `must be before the end of the video, ${clock}`,
      )
}

function cleanedHomework(id: string, body: object, { fields }: Lesson, faults: Faults) {
  const path = `homework.${id}.`
  if (!isRight(HomeworkChange, body, path, faults)) return {}
  const given = cleanHomework(body, { ...faults, at: (field) => faults.at(path + field) })
  const [due, lock] = (['due_at', 'lock_at'] as const).map((name) =>
    name in given ? given[name] : (fields.get(path + name) as string | null),
  )
  if (due && lock && Date.parse(lock) < Date.parse(due))
    faults.at(`${path}lock_at`)('locks_before_due', 'must not be before due_at')
  return given
}

function statusOf(id: string, open: readonly Kept[], { empty_tests }: Lesson, faults: Faults) {
  const name = `test.${id}.status`
  const status = open.find((one) => one.name === name)?.value
  const refuse = faults.at(name)
  if (status !== 'draft' && status !== 'published') refuse('enum', 'must be one of draft, published')
  else if (status === 'published' && empty_tests.has(id)) refuse('empty_test', 'has no questions')
  return status === 'draft' ? 'draft' : 'published'
}

type Validator = { (data: unknown): boolean; errors?: Parameters<typeof fieldError>[0][] | null }

/** Judges a body as its own route would, naming each fault by the field of the lesson. */
function isRight(schema: object, body: object, path: string, faults: Faults): boolean {
  const validate = compileValidator({ schema, method: 'PUT', url: '' }) as Validator
  if (validate(body)) return true
  const named = new Set<string>()
  for (const error of validate.errors ?? []) {
    const { field, code, message } = fieldError(error)
    if (!named.has(field)) faults.at(path + field)(code, message)
    named.add(field)
  }
  return false
}
