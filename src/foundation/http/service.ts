import type { Config } from '../settings/config.ts'
import type { Database } from '../database/database.ts'
import type { App } from './http.ts'
import type { createShedding } from './shedding.ts'
import type { Logger } from '../log.ts'
import type { Metrics } from '../metrics.ts'
import type { Limits } from '../rate-limit/limits.ts'
import type { MasterKeys } from '../security/secrets.ts'

/** What main.ts (or a test) hands to each service. */
export type ServiceParts = {
  config: Config
  version: string
  /** The service's own. */
  database: Database
  /** The sso's, where sessions are read; often the same. */
  gateDatabase: Database
  keys: MasterKeys
  log: Logger
  metrics: Metrics
  limits: Limits
  isStopping: () => boolean
  /** Refuses requests of a service while this process is overloaded. */
  shedding?: ReturnType<typeof createShedding>
  /** True from the first request to stop, DRAIN_SECONDS before `isStopping`, and until everything has started. */
  isUnready: () => boolean
  /** Public address of the sso. If SSO_URL is unset, it is known once the sso listens. */
  ssoUrl: () => string
  /** Ports of our own services, which outbound calls must not reach. */
  ownPorts: () => readonly number[]
}

export type Service = { app: App; close: () => Promise<void> }
