import { existsSync } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { loadDatabase } from '#foundation/backup/load.ts'
import { textOf } from '#foundation/backup/parts.ts'
import { readBackup } from '#foundation/backup/read.ts'
import { openBackup } from '#foundation/backup/sealed-file.ts'
import { startEmbeddedPostgres } from '#foundation/embedded-postgres/server.ts'
import { createLog } from '#foundation/log.ts'
import { parseKeyRing } from '#foundation/security/secrets.ts'
import { type Config, takeConfig } from '#foundation/settings/config.ts'
import { StartError } from '#foundation/start-error.ts'
import { fileOf, FILES, passphraseOf } from './backup-file.ts'
import { MIGRATIONS, refuseDatabasesApart } from './database.ts'
import {
  clearWorkFolder,
  makeWorkFolder,
  moveIntoPlace,
  refuseFolderInUse,
  saveFile,
} from './restore-folder.ts'

export const usage = `npm start -- restore FILE
Restores a backup into an empty DATA_DIR, or into an empty database where DATABASE_URL is set. The file is read to its end
before anything is changed. The newest erasures.jsonl may lie in DATA_DIR already: both lists count at the next start.`

export async function run(args: string[], env: NodeJS.ProcessEnv): Promise<void> {
  const path = fileOf(args, usage)
  const config = takeConfig(env)
  refuseDatabasesApart(config, 'restore')
  const given = { path, passphrase: passphraseOf(config), sources: MIGRATIONS, files: FILES }
  if (config.DATABASE_URL === undefined) refuseFolderInUse(config.DATA_DIR)
  const file = await openBackup(path)
  try {
    const meta = await readBackup(file, given, {
      file: async (name, bytes) => {
        const text = await (name === 'master.key' ? textOf(bytes, path) : readOver(bytes))
        if (name === 'master.key') judgeRing(text, config)
      },
    })
    await restore(config, { file, given, meta })
    console.log(
      `Restored the state of ${meta.created_at}. npm start applies erasures.jsonl before its first request`,
    )
  } finally {
    await file.close()
  }
}

async function readOver(bytes: AsyncIterable<Buffer>): Promise<string> {
  for await (const _ of bytes);
  return ''
}

/** Where MASTER_KEY is set it must open what the backup holds, and derive what partners hold. */
function judgeRing(text: string, { MASTER_KEY }: Config) {
  const theirs = parseKeyRing(text) ?? []
  const ours = MASTER_KEY === undefined ? theirs : (parseKeyRing(MASTER_KEY) ?? [])
  const same = (a: (typeof ours)[number] | undefined, b: (typeof ours)[number] | undefined) =>
    a !== undefined && b !== undefined && a.id === b.id && a.secret.equals(b.secret)
  const isRight =
    same(theirs.at(-1), ours.at(-1)) && theirs.every((key) => ours.some((own) => same(key, own)))
  if (!isRight)
    throw new StartError(
      'MASTER_KEY lacks keys of this backup: set the ring with which it was made, newer keys may stand in front',
    )
}

type Backup = {
  file: FileHandle
  given: Parameters<typeof readBackup>[1]
  meta: Awaited<ReturnType<typeof readBackup>>
}

async function restore(config: Config, { file, given, meta }: Backup) {
  const { DATA_DIR, DATABASE_URL, MASTER_KEY } = config
  const log = createLog(config.LOG_LEVEL)
  await clearWorkFolder(DATA_DIR, log)
  const work = makeWorkFolder(DATA_DIR)
  try {
    const server =
      DATABASE_URL === undefined ? await startEmbeddedPostgres({ dataDir: work, log }) : undefined
    try {
      await loadDatabase({
        url: DATABASE_URL ?? server?.url() ?? '',
        sources: MIGRATIONS,
        meta,
        read: async ({ fill, setSequences }) => {
          await readBackup(file, given, {
            table: fill,
            sequences: setSequences,
            file: (name, bytes) => saveFile(work, name, bytes),
          })
          // A database of its own commits next; the lists must not come after it.
          if (!server) await moveIntoPlace(work, DATA_DIR, { withKeys: false })
        },
      })
    } finally {
      await server?.stop()
    }
    if (server) await moveIntoPlace(work, DATA_DIR, { withKeys: MASTER_KEY === undefined })
  } finally {
    if (existsSync(work)) await clearWorkFolder(DATA_DIR, log)
  }
}
