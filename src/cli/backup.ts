import { randomBytes } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { link, open, rm, stat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { dumpDatabase, noteBackup } from '#foundation/backup/dump.ts'
import { type PartWriter, writeParts } from '#foundation/backup/parts.ts'
import { type Sink, toFile } from '#foundation/backup/sealed-file.ts'
import { createLog } from '#foundation/log.ts'
import { type Config, takeConfig } from '#foundation/settings/config.ts'
import { StartError } from '#foundation/start-error.ts'
import { fileOf, FILES, passphraseOf, syncFolder } from './backup-file.ts'
import { MIGRATIONS, reachServer, refuseDatabasesApart } from './database.ts'
import { version } from './version.ts'

export const usage = `npm start -- backup FILE
Writes the whole database as of one moment, the keys and erasures.jsonl into FILE, while the program runs or stands still.
FILE must not exist; - is standard output, for a program that carries it elsewhere. The backup is compressed, and sealed with
BACKUP_PASSPHRASE: without the passphrase nobody can read it.`

export async function run(args: string[], env: NodeJS.ProcessEnv): Promise<void> {
  const path = fileOf(args, usage)
  const config = takeConfig(env)
  refuseDatabasesApart(config, 'backup')
  const passphrase = passphraseOf(config)
  if (path !== '-') return console.log(`${path}: ${await save(config, path, passphrase)}`)
  if (process.stdout.isTTY) throw new StartError('A backup is no text: lead it into a program or a file')
  if (env['npm_lifecycle_event'] === 'start' && env['npm_config_loglevel'] !== 'silent')
    throw new StartError('npm has written lines before the backup: call npm start --silent -- backup -')
  // Told by the callback of the write.
  process.stdout.on('error', () => {})
  console.error(await write(config, toStdout, passphrase))
}

/** Under its own name only when it is whole. */
async function save(config: Config, path: string, passphrase: string): Promise<string> {
  if (await stat(path).catch(() => undefined)) throw new StartError(`${path} exists: choose another name`)
  const aside = `${path}.${randomBytes(4).toString('hex')}.part`
  const file = await open(aside, 'wx', 0o600).catch((error: Error) => {
    throw new StartError(`${path} cannot be written: ${error.message}`)
  })
  try {
    const told = await write(config, toFile(file), passphrase)
    await file.sync()
    await link(aside, path).catch((error: Error) => {
      throw new StartError(`${path} cannot be written: ${error.message}`)
    })
    await syncFolder(dirname(resolve(path)))
    return told
  } catch (error) {
    if ((error as NodeJS.ErrnoException).syscall === 'write')
      throw new StartError(`${path} cannot be written: ${(error as Error).message}`)
    throw error
  } finally {
    await file.close()
    await rm(aside)
  }
}

/** A reader that goes away ends the backup. */
const toStdout: Sink = (bytes) =>
  new Promise((done, fail) => {
    process.stdout.write(bytes, (error) =>
      error ? fail(new StartError(`standard output was closed: ${error.message}`)) : done(),
    )
  })

async function write(config: Config, sink: Sink, passphrase: string): Promise<string> {
  const server = await reachServer(config, createLog(config.LOG_LEVEL))
  try {
    let size = 0
    const counted: Sink = (bytes) => {
      size += bytes.length
      return sink(bytes)
    }
    const to = await writeParts(counted, passphrase)
    const schemas = MIGRATIONS.map(({ name }) => name)
    const { created_at, tables, rows } = await dumpDatabase({ url: server.url, schemas, version, to })
    await addFiles(config, to)
    await to.finish()
    await noteBackup(server.url, created_at)
    return `${rows} rows of ${tables.length} tables as of ${created_at}, ${size} bytes`
  } finally {
    await server.stop()
  }
}

/** After the tables, so that erasures.jsonl names everybody who was erased until now. */
async function addFiles({ DATA_DIR, MASTER_KEY }: Config, to: PartWriter) {
  for (const name of FILES) {
    if (name === 'master.key' && MASTER_KEY !== undefined) {
      await to.add(name, [Buffer.from(`${MASTER_KEY}\n`)])
      continue
    }
    const isMissing = (await stat(join(DATA_DIR, name)).catch(() => undefined)) === undefined
    if (name === 'master.key' && isMissing)
      throw new StartError(`${join(DATA_DIR, name)} is missing: without it a backup could not be used`)
    await to.add(name, isMissing ? [] : (createReadStream(join(DATA_DIR, name)) as AsyncIterable<Buffer>))
  }
}
