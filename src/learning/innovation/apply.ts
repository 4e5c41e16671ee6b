import { type Static, type TSchema, Type } from 'typebox'
import type { Database, Tx } from '#foundation/database/database.ts'
import { ApiError, badRequest } from '#foundation/errors.ts'
import { compileValidator } from '#foundation/http/schema-compilers.ts'
import type { Viewer } from '../access/access.ts'
import { lockForEdit } from '../channels/change.ts'
import { ChannelChange } from '../channels/channel.ts'
import { updateChannel } from '../channels/update.ts'
import { EpisodeChange } from '../episodes/episode.ts'
import { lockedEpisodes } from '../episodes/write.ts'
import { NewTest, TestChange } from '../exams/exam.ts'
import { createTest, updateTest } from '../exams/exams.ts'
import { NewQuestions, QuestionChange } from '../exams/question.ts'
import { createQuestions, updateQuestion } from '../exams/questions.ts'
import { HomeworkChange } from '../homework/homework.ts'
import { updateHomework } from '../homework/update.ts'
import type { Learning } from '../learning.ts'
import { upsertVideo, VideoUpsert } from '../videos/upsert.ts'
import type { Target } from '../finding.ts'

/** A patch of an episode: adds a test with its first questions. */
const NewTestOfEpisode = Type.Object({
  test: Type.Intersect([NewTest, Type.Object({ questions: Type.Optional(Type.Array(Type.Unknown())) })]),
})
/** A patch of a test: adds questions. */
const QuestionsOfTest = Type.Object({ questions: Type.Array(Type.Unknown()) })

/**
 * Applies a patch as the reviewing ADMIN, with the functions and rules of the editor's own routes, inside the
 * transaction that marks the suggestion as applied. 400 for a patch that these rules refuse.
 */
export async function applyPatch(
  learning: Learning,
  tx: Tx,
  viewer: Viewer,
  { target, channel_id, patch }: { target: Omit<Target, 'title'>; channel_id: string; patch: object },
) {
  const within: Learning = { ...learning, db: inside(tx, learning.db) }
  try {
    await perform(within, viewer, target, channel_id, patch)
  } catch (error) {
    // The caller did not send the patch, so its fault is not a 422 of their request.
    if (error instanceof ApiError && (error.status === 422 || error.status === 404))
      throw badRequest('patch_refused', `The patch cannot be applied: ${error.detail}`)
    throw error
  }
}

async function perform(
  learning: Learning,
  viewer: Viewer,
  { type, id }: Omit<Target, 'title'>,
  channel_id: string,
  patch: object,
) {
  switch (type) {
    case 'channel':
      return updateChannel(learning, viewer, id, read(ChannelChange, patch), undefined)
    case 'episode':
      if ('test' in patch) return addTest(learning, viewer, id, read(NewTestOfEpisode, patch).test)
      return updateEpisode(learning, viewer, channel_id, read(EpisodeChange, { ...patch, id }))
    case 'video':
      return upsertVideo(learning, viewer, id, read(VideoUpsert, patch))
    case 'homework':
      return updateHomework(learning, viewer, id, read(HomeworkChange, patch))
    case 'test':
      if ('questions' in patch)
        return createQuestions(learning, viewer, id, read(NewQuestions, read(QuestionsOfTest, patch)))
      return updateTest(learning, viewer, id, read(TestChange, patch))
    case 'question':
      return updateQuestion(learning, viewer, id, read(QuestionChange, patch))
  }
}

/** Names all episodes of the channel, because an update moves unnamed episodes behind the named ones. */
async function updateEpisode(learning: Learning, viewer: Viewer, channel_id: string, change: EpisodeChange) {
  const live = await learning.db.transaction(async (tx) => {
    await lockForEdit(tx, viewer, channel_id)
    return lockedEpisodes(tx, viewer.tenant_id, channel_id)
  })
  const episodes = live.map(({ id }) => (id === change.id ? change : { id }))
  return updateChannel(learning, viewer, channel_id, { episodes }, undefined)
}

/** Always creates a draft, because nobody has reviewed the questions within the test yet. */
async function addTest(
  learning: Learning,
  viewer: Viewer,
  episode_id: string,
  { questions, ...test }: Static<typeof NewTestOfEpisode>['test'],
) {
  const created = await createTest(learning, viewer, episode_id, { ...test, status: 'draft' })
  if (questions && questions.length > 0)
    await createQuestions(learning, viewer, created.id, read(NewQuestions, { questions }))
}

/** Validates the patch like the body of the target's own route. */
export function read<T extends TSchema>(schema: T, patch: object): Static<T> {
  const validate = compileValidator({ schema, method: 'PUT', url: '' }) as {
    (data: unknown): boolean
    errors?: { instancePath: string; message?: string }[] | null
  }
  const given: unknown = structuredClone(patch)
  if (!validate(given)) {
    const [fault] = validate.errors ?? []
    throw badRequest(
      'patch_refused',
      `The patch cannot be applied: ${fault?.instancePath.slice(1) || 'patch'} ${fault?.message ?? 'is not valid'}`,
    )
  }
  return given as Static<T>
}

/** A database whose queries and transactions all run inside this transaction. */
const inside = (tx: Tx, db: Database): Database => ({
  ...db,
  fast: tx,
  pool: tx as unknown as Database['pool'],
  lists: async (_person, statement) => (await tx`${statement}`) as never,
  transaction: (work) => work(tx),
})

/**
 * Whether the target is the same as when the evidence was taken. The stamp of a channel ignores how many episodes are
 * published, but `channel_without_episodes` depends on it, so it is checked here.
 */
export async function isUnchanged(
  tx: Tx,
  tenant_id: string,
  { type, id, kind }: Omit<Target, 'title'> & { kind: string },
  stamp: string,
) {
  const [found] = await tx<{ now: string | null }[]>`
      select learning.target_stamp(${tenant_id}, ${type}, ${id}) as now
       where ${kind} <> 'channel_without_episodes' or exists (
               select from learning.channels c where c.tenant_id = ${tenant_id} and c.id = ${id} and c.published_count = 0)`
  return found?.now === stamp
}
