import { join } from 'node:path'
import type { Config } from '#foundation/settings/config.ts'
import { startEmbeddedPostgres } from '#foundation/embedded-postgres/server.ts'
import type { Logger } from '#foundation/log.ts'

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
