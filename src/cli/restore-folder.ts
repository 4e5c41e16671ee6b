import {
  chownSync,
  createReadStream,
  createWriteStream,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { preparePlace } from '#foundation/embedded-postgres/place.ts'
import { startEmbeddedPostgres } from '#foundation/embedded-postgres/server.ts'
import type { Logger } from '#foundation/log.ts'
import { StartError } from '#foundation/start-error.ts'
import { syncFolder } from './backup-file.ts'

/** In DATA_DIR; everything is made there and moved when it is whole. */
const WORK = 'restore.new'
const ERASURES = 'erasures.jsonl'

/** An erasure list that was put there first, and what a restore left that was killed, are no data. */
export function refuseFolderInUse(dataDir: string) {
  const found = existsSync(dataDir) ? readdirSync(dataDir) : []
  const other = found.find((name) => name !== ERASURES && name !== WORK)
  if (other !== undefined)
    throw new StartError(
      `${dataDir} is not empty: it has "${other}". Restore into an empty folder only, or set another DATA_DIR`,
    )
}

export async function clearWorkFolder(dataDir: string, log: Logger) {
  const work = join(dataDir, WORK)
  // Its lock tells whether another restore is under way, and a server that was left there is stopped.
  if (existsSync(join(work, 'postgres'))) {
    const server = await startEmbeddedPostgres({ dataDir: work, log })
    await server.stop()
  }
  rmSync(work, { recursive: true, force: true })
}

export function makeWorkFolder(dataDir: string): string {
  const { dataDir: real } = preparePlace(dataDir)
  const work = join(real, WORK)
  mkdirSync(work, { mode: 0o700 })
  const { uid, gid } = statSync(real)
  // Under root the owner of the folder runs the database.
  if (process.getuid?.() === 0) chownSync(work, uid, gid)
  return work
}

export async function saveFile(work: string, name: string, bytes: AsyncIterable<Buffer>) {
  await pipeline(bytes, createWriteStream(join(work, name), { mode: 0o600, flags: 'wx', flush: true }))
}

/** The database comes last: without it the folder is no installation, so a crash in between loses nothing. */
export async function moveIntoPlace(work: string, dataDir: string, { withKeys }: { withKeys: boolean }) {
  await joinErasures(work, dataDir)
  const hasFirstRun = statSync(join(work, 'first-run.json')).size > 0
  const names = [
    ERASURES,
    ...(hasFirstRun && !existsSync(join(dataDir, 'first-run.json')) ? ['first-run.json'] : []),
    ...(withKeys ? ['master.key'] : []),
    ...(existsSync(join(work, 'postgres')) ? ['postgres'] : []),
  ]
  for (const name of names) {
    renameSync(join(work, name), join(dataDir, name))
    await syncFolder(dataDir)
  }
  rmSync(work, { recursive: true })
}

/** Both lists count. The one of the place is the newer one, so it stands behind, where its lines win. */
async function joinErasures(work: string, dataDir: string) {
  const newest = join(dataDir, ERASURES)
  if (!existsSync(newest)) return
  const to = createWriteStream(join(work, ERASURES), { flags: 'a', flush: true })
  // A line that a crash cut short must not swallow the first one of the other list.
  to.write('\n')
  await pipeline(createReadStream(newest), to)
}
