import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '#foundation/settings/config.ts'
import { findRunningPostgres, startEmbeddedPostgres } from '#foundation/embedded-postgres/server.ts'
import type { Logger } from '#foundation/log.ts'
import { StartError } from '#foundation/start-error.ts'

/** In this order. Named by folder, so that no service is loaded for them. */
export const MIGRATIONS = ['foundation', 'sso', 'learning', 'collections'].map((name) => ({
  name,
  folder: join(import.meta.dirname, '..', name, 'migrations'),
}))

/** The database of the settings, or the embedded one. */
export type Server = { url: string; stop: () => Promise<void> }

export async function openServer(
  config: Config,
  log: Logger,
  onLost: (reason: Error) => void,
): Promise<Server> {
  if (config.DATABASE_URL !== undefined) return { url: config.DATABASE_URL, stop: async () => {} }
  log.info({ data_dir: config.DATA_DIR }, 'DATABASE_URL is not set: using the embedded PostgreSQL')
  const embedded = await startEmbeddedPostgres({ dataDir: config.DATA_DIR, log, onLost })
  return { url: embedded.url(), stop: () => embedded.stop() }
}

/**
 * The database for a command that reads it beside the running program: an embedded server that runs is shared, one that
 * stands still is started. StartError if there is none.
 */
export async function reachServer(config: Config, log: Logger): Promise<Server> {
  const { DATABASE_URL, DATA_DIR } = config
  if (DATABASE_URL !== undefined) return { url: DATABASE_URL, stop: async () => {} }
  if (!existsSync(join(DATA_DIR, 'postgres/data/PG_VERSION')))
    throw new StartError(`There is no database in ${DATA_DIR}: set DATA_DIR or DATABASE_URL`)
  const url = await findRunningPostgres(DATA_DIR)
  if (url !== undefined) return { url, stop: async () => {} }
  return await openServer(config, log, () => {})
}
