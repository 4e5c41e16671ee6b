import { type Database, isConnectionLoss, one } from '#foundation/database/database.ts'
import { ApiError, notFound } from '#foundation/errors.ts'
import type { Viewer } from '../access/access.ts'
import { mayLearn, type OpenEpisode, openEpisodes } from '../access/open.ts'
import type { Beat } from './beat.ts'
import { type Recorded, recordBeats } from './record.ts'

/** Rejects with 404, 403 or 400 when the person may not watch this episode now. */
export type RecordBeat = (viewer: Viewer, episode_id: string, beat: Beat) => Promise<Recorded>

/** Beats per batch. A larger batch would lock the rows of many people for long. */
const MAX_BATCH = 100
/** Two: while PostgreSQL writes one batch, this process reads and answers the other. */
const MAX_WRITERS = 2

type Waiting = {
  viewer: Viewer
  episode_id: string
  beat: Beat
  resolve: (recorded: Recorded) => void
  reject: (error: unknown) => void
}

/**
 * Queues beats and writes them in batches: one permission check, one transaction and one COMMIT for up to a hundred
 * people, who are answered after it. A batch holds at most one beat per person, so no row occurs twice in it.
 */
export function createRecorder(db: Database): RecordBeat {
  const queue: Waiting[] = []
  let writers = 0

  async function writeAll() {
    writers++
    while (queue.length > 0) await settle(db, takeBatch(queue))
    writers--
  }

  return (viewer, episode_id, beat) =>
    new Promise((resolve, reject) => {
      queue.push({ viewer, episode_id, beat, resolve, reject })
      if (writers < MAX_WRITERS) void writeAll()
    })
}

/** Takes the first beat of each person. Every process sorts a batch the same way, or two batches could deadlock. */
function takeBatch(queue: Waiting[]): Waiting[] {
  const batch = new Map<string, Waiting>()
  const rest = queue.splice(0).filter((waiting) => {
    const person = `${waiting.viewer.tenant_id} ${waiting.viewer.user_id}`
    if (batch.size === MAX_BATCH || batch.has(person)) return true
    batch.set(person, waiting)
    return false
  })
  queue.push(...rest)
  return [...batch].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, waiting]) => waiting)
}

/** Never throws. */
async function settle(db: Database, batch: Waiting[]): Promise<void> {
  try {
    const opened = await openEpisodes(db.fast, batch)
    await write(
      db,
      batch.flatMap((waiting, place) => admitted(waiting, opened[place])),
    )
  } catch (error) {
    for (const { reject } of batch) reject(error)
  }
}

type Admitted = Waiting & { channel_id: string }

/** Rejects the beat of a person who may not watch; returns the others. */
function admitted(waiting: Waiting, episode: OpenEpisode | undefined): Admitted[] {
  try {
    if (!episode) throw notFound()
    mayLearn(episode)
    return [{ ...waiting, episode_id: episode.episode_id, channel_id: episode.channel_id }]
  } catch (error) {
    waiting.reject(error)
    return []
  }
}

/**
 * Never throws. One bad beat can fail a batch, so each beat is retried alone, unless the connection is lost or the
 * error is an ApiError.
 */
async function write(db: Database, batch: Admitted[]): Promise<void> {
  if (batch.length === 0) return
  try {
    const recorded = await db.transaction((tx) => recordBeats(tx, batch))
    batch.forEach(({ resolve }, place) => resolve(one(recorded.slice(place))))
  } catch (error) {
    if (batch.length === 1 || error instanceof ApiError || isConnectionLoss(error))
      for (const { reject } of batch) reject(error)
    else for (const waiting of batch) await write(db, [waiting])
  }
}
