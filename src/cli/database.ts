import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '#foundation/settings/config.ts'
import { urlOfMigrations } from '#foundation/database/lanes.ts'
import { migrate, type MigrationSource } from '#foundation/database/migrations.ts'
import { findRunningPostgres, startEmbeddedPostgres } from '#foundation/embedded-postgres/server.ts'
import type { Logger } from '#foundation/log.ts'
import { StartError } from '#foundation/start-error.ts'
import { SERVICES } from './addresses.ts'

/** The migrations of a schema. Named by folder, so that no service is loaded for them. */
const source = (name: string) => ({ name, folder: join(import.meta.dirname, '..', name, 'migrations') })

/** In this order. */
export const MIGRATIONS = ['foundation', ...SERVICES].map(source)

/** The database of the settings, or the embedded one. */
export type Server = { url: string; stop: () => Promise<void> }

/** The database of each service. Several may have the same. */
export type Urls = Record<(typeof SERVICES)[number], string>

/** `url`: the database of the services for which the settings name none. */
export const urlsOf = (config: Config, url: string): Urls => ({
  sso: config.SSO_DATABASE_URL ?? url,
  learning: config.LEARNING_DATABASE_URL ?? url,
  collections: config.COLLECTIONS_DATABASE_URL ?? url,
})

/** Brings every database to the newest schema of its services, and returns the names of the migrations that ran. */
export async function migrateAll(urls: Urls, { DATABASE_PREPARE }: Config): Promise<string[]> {
  const ran: string[] = []
  for (const [url, sources] of sourcesOf(urls))
    ran.push(
      ...(await migrate(urlOfMigrations(url, DATABASE_PREPARE), sources, { isDirect: DATABASE_PREPARE })),
    )
  return ran
}

/** The migrations of each database, in their order. */
export const sourcesOf = (urls: Urls) =>
  Array.from(new Set(Object.values(urls)), (url): [string, MigrationSource[]] => {
    const services = SERVICES.filter((name) => urls[name] === url)
    return [url, ['foundation', ...services].map(source)]
  })

/** A command that reads all data as of one moment needs one database. */
export function refuseDatabasesApart(config: Config, command: string): void {
  if (new Set(Object.values(urlsOf(config, config.DATABASE_URL ?? ''))).size > 1)
    throw new StartError(
      `${command} reads one database, but services have their own: use the means of PostgreSQL for each, and keep DATA_DIR and MASTER_KEY (docs/operating.md)`,
    )
}

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

/** Whether an embedded database was made here. */
export const hasDatabase = ({ DATA_DIR }: Config): boolean =>
  existsSync(join(DATA_DIR, 'postgres/data/PG_VERSION'))

/**
 * The database for a command that reads it beside the running program: an embedded server that runs is shared, one that
 * stands still is started. StartError if there is none.
 */
export async function reachServer(config: Config, log: Logger): Promise<Server> {
  const { DATABASE_URL, DATA_DIR } = config
  if (DATABASE_URL !== undefined) return { url: DATABASE_URL, stop: async () => {} }
  if (!hasDatabase(config))
    throw new StartError(`There is no database in ${DATA_DIR}: set DATA_DIR or DATABASE_URL`)
  const url = await findRunningPostgres(DATA_DIR)
  if (url !== undefined) return { url, stop: async () => {} }
  return await openServer(config, log, () => {})
}
