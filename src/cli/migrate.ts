import { parseArgs } from 'node:util'
import { createLog } from '#foundation/log.ts'
import { takeConfig } from '#foundation/settings/config.ts'
import { StartError } from '#foundation/start-error.ts'
import { migrateAll, openServer, urlsOf } from './database.ts'

export const usage = `npm start -- migrate [--check]
Brings every database to the newest schema and ends. npm start does the same before it begins.
--check changes nothing: it prints what would run, which locks each statement takes, whether they are on large tables, and
how far backfills are. It exits with 0 if nothing would run and all are done, and with 2 otherwise.`

/** Exit code of a check that finds something pending or under way. */
const PENDING = 2

export async function run(args: string[], env: NodeJS.ProcessEnv): Promise<void> {
  const isCheck = readCheck(args)
  const config = takeConfig(env)
  const log = createLog(config.LOG_LEVEL)
  if (isCheck) {
    const { checkMigrations } = await import('./migrate-check.ts')
    const lines = await checkMigrations(config, log)
    if (lines.length > 0) process.exitCode = PENDING
    console.log(lines.length === 0 ? NOTHING : lines.join('\n'))
    return
  }
  const server = await openServer(config, log, () => {})
  try {
    const ran = await migrateAll(urlsOf(config, server.url), config)
    console.log(ran.length === 0 ? NOTHING : ran.join('\n'))
  } finally {
    await server.stop()
  }
}

const NOTHING = 'Nothing to do: the schema is the newest'

function readCheck(args: string[]): boolean {
  try {
    return parseArgs({ args, options: { check: { type: 'boolean', default: false } } }).values.check
  } catch (error) {
    throw new StartError(`${(error as Error).message}\n${usage}`)
  }
}
