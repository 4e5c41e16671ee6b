import { hostRule } from '#foundation/web/hosts.ts'
import { createApp } from '#foundation/http/http.ts'
import type { Service, ServiceParts } from '#foundation/http/service.ts'
import type { Announcements, Identity, SessionGate } from '#foundation/security/session-gate.ts'
import { isCleanText } from '#foundation/text.ts'
import { countImports } from './bulk/metrics.ts'
import { registerFeatures } from './features.ts'
import { forgetUser } from './forget-user.ts'
import { createIdentify } from './identify.ts'
import { startJobs } from './jobs.ts'
import { createBuckets } from './limits.ts'
import type { Parse } from './workbook/reader.ts'

type Siblings = {
  gate: SessionGate
  identity: Identity
  announcements: Announcements
  /** Reads workbooks; in a thread of its own unless told otherwise. */
  parse?: Parse
}

export type CollectionsService = Service & {
  /** Starts the background jobs; `close` stops them. Call it once, in the process that listens. */
  startJobs: () => void
  /** Removes a user's data here after their erasure at the sso. */
  forgetUser: (user_id: string) => Promise<void>
}

export async function createCollections(
  parts: ServiceParts,
  { gate, identity, announcements, parse }: Siblings,
): Promise<CollectionsService> {
  const { config, version, database, log, metrics, isStopping } = parts
  const { HOST, SSO_URL, LEARNING_URL, COLLECTIONS_URL } = config
  const limiter = parts.limits.limiter('collections')
  const app = await createApp({
    service: 'collections',
    version,
    log,
    database,
    limiter,
    metrics: metrics.http('collections'),
    shedding: parts.shedding?.('collections'),
    // Without its own URL, the service listens on another port of the other services' hosts.
    isOwnHost: hostRule(HOST, COLLECTIONS_URL ? [COLLECTIONS_URL] : [SSO_URL, LEARNING_URL]),
    trustedProxies: config.TRUSTED_PROXIES,
    isStopping,
    identify: createIdentify(database, gate, config.COLLECTIONS_ALLOWED_SITES),
    bucketsOf: createBuckets(config),
    // All answers are private, so no shared cache may store them (docs/choices-collections.md).
    cacheControl: 'private, no-store',
    isText: isCleanText,
    patience: config.PATIENCE,
    corsOrigins: config.COLLECTIONS_CORS_ORIGINS,
  })
  app.decorateRequest('visitor', undefined)
  app.decorate('noteAct', (act, facts) => log.info(facts, act))
  registerFeatures(app, parts, { gate, identity })
  countImports(metrics, database)
  app.refuseOtherMethods()
  let jobs: ReturnType<typeof startJobs> | undefined
  return {
    app,
    startJobs: () => {
      jobs ??= startJobs({ ...parts, identity, announcements, parse })
    },
    forgetUser: (user_id) => forgetUser(database, user_id),
    close: async () => {
      await app.close()
      await jobs?.stop()
      await limiter.close()
    },
  }
}
