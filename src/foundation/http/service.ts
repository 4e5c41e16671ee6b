import type { Config } from '../settings/config.ts'
import type { Database } from '../database/database.ts'
import type { App } from './http.ts'
import type { Logger } from '../log.ts'
import type { Metrics } from '../metrics.ts'
import type { MasterKeys } from '../security/secrets.ts'

/** What main.ts (or a test) hands to each service. */
export type ServiceParts = {
  config: Config
  version: string
  database: Database
  keys: MasterKeys
  log: Logger
  metrics: Metrics
  isStopping: () => boolean
  /** Public address of the sso, known once it listens when SSO_URL is unset. */
  ssoUrl: () => string
  /** Where our services listen: no partner gets us to talk to ourselves. */
  ownPorts: () => readonly number[]
}

export type Service = { app: App; close: () => Promise<void> }
