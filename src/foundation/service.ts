import type { Config } from './config.ts'
import type { Database } from './database.ts'
import type { App } from './http.ts'
import type { Logger } from './log.ts'
import type { Metrics } from './metrics.ts'
import type { MasterKeys } from './secrets.ts'

/** What main.ts (or a test) hands to each service. */
export type ServiceParts = {
  config: Config
  version: string
  database: Database
  keys: MasterKeys
  log: Logger
  metrics: Metrics
  /**
   * True while this process is proven to be the only writer of the database (the lock of the embedded server).
   * Only then may exact maps stand in for point reads.
   */
  isSoleWriter: () => boolean
  isStopping: () => boolean
  /** Public address of the sso, known once it listens when SSO_URL is unset. */
  ssoUrl: () => string
  /** Where our services listen: no partner gets us to talk to ourselves. */
  ownPorts: () => readonly number[]
}

export type Service = { app: App; close: () => Promise<void> }
