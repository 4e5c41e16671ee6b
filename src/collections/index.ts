import { join } from 'node:path'
import { createApp } from '#foundation/http.ts'
import type { MigrationSource } from '#foundation/migrations.ts'
import { createLimiter } from '#foundation/rate-limit/limiter.ts'
import type { Service, ServiceParts } from '#foundation/service.ts'
import type { Identity, SessionGate } from '#foundation/session-gate.ts'
import { isCleanText } from '#foundation/text.ts'
import { registerFeatures } from './features.ts'
import { createIdentify } from './identify.ts'
import { createBuckets } from './limits.ts'

export const migrations: MigrationSource = {
  name: 'collections',
  folder: join(import.meta.dirname, 'migrations'),
}

type Siblings = { gate: SessionGate; identity: Identity }

export async function createCollections(parts: ServiceParts, { gate, identity }: Siblings): Promise<Service> {
  const { config, version, database, log, metrics, isStopping } = parts
  const limiter = createLimiter({ service: 'collections', redisUrl: config.REDIS_URL, log })
  const app = await createApp({
    service: 'collections',
    version,
    log,
    database,
    limiter,
    metrics: metrics.http('collections'),
    trustedProxies: config.TRUSTED_PROXIES,
    isStopping,
    identify: createIdentify(database, gate),
    bucketsOf: createBuckets(config),
    // Everything here is somebody's own: no shared cache may keep it (docs/choices.md).
    cacheControl: 'private, no-store',
    isText: isCleanText,
  })
  app.decorateRequest('visitor', undefined)
  registerFeatures(app, parts, identity)
  app.refuseOtherMethods()
  return {
    app,
    close: async () => {
      await app.close()
      await limiter.close()
    },
  }
}
