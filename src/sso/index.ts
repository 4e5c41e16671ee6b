import { hostRule } from '#foundation/web/hosts.ts'
import { type App, createApp } from '#foundation/http/http.ts'
import type { Passwords } from '#foundation/security/passwords.ts'
import type { Service, ServiceParts } from '#foundation/http/service.ts'
import type { Announcements, ForgetUser, Identity, SessionGate } from '#foundation/security/session-gate.ts'
import { isCleanText } from '#foundation/text.ts'
import { bootstrap } from './operations/bootstrap.ts'
import { announceDeprecations } from './partners/deprecations/announce.ts'
import { eraseAgain } from './lifecycle/erasure/again.ts'
import { openAnnouncements } from './events/facts/announce.ts'
import { registerFeatures } from './features.ts'
import { identifyWith } from './core/access/identify.ts'
import { startRotation } from './operations/key-rotation/rotation.ts'
import { startJobs } from './jobs.ts'
import { bucketsWith } from './core/limits/limits.ts'
import { createTold } from './core/told/told.ts'
import { tellPageLimits } from './core/limits/page-limits.ts'
import type { SsoParts } from './core/parts.ts'
import { createIdentity } from './sign-in/login/identity.ts'
import { createThrottle } from './core/throttle/throttle.ts'
import { createGate } from './core/tokens/gate.ts'
import { openKeyRing } from './core/tokens/key-ring.ts'
import { createTokens } from './core/tokens/tokens.ts'

/** Exports for code that runs the webhook engine without the service: crash tests and the benchmark. */
export { startWebhooks, type Webhooks } from './events/webhooks/engine.ts'
export { type Fact, recordFacts } from './events/facts/facts.ts'
export { createLogoutTokens } from './events/webhooks/logout-token.ts'
export { paymentCompleted, userAccountDeleted } from './events/facts/telling.ts'

export type Sso = Service & {
  gate: SessionGate
  identity: Identity
  announcements: Announcements
  /** Starts the background jobs; `close` stops them. Call it once, in the process that listens. */
  startJobs: () => Promise<void>
}

/**
 * Creates the service on a migrated database; the first start inserts the initial rows. Each erasure is passed on to
 * `siblings`. Throws StartError for invalid keys or settings.
 */
export async function createSso(
  given: ServiceParts,
  { passwords, siblings = () => [] }: { passwords: Passwords; siblings?: () => readonly ForgetUser[] },
): Promise<Sso> {
  const { config, version, database, log, metrics, isStopping } = given
  await bootstrap(given, passwords)
  const ring = await openKeyRing(given)
  const rotation = await startRotation(given, ring)
  const tokens = createTokens(given, ring)
  const gate = createGate(given, tokens)
  const throttle = createThrottle(given)
  const limiter = given.limits.limiter('sso')
  const told = createTold(given, limiter)
  const parts: SsoParts = { ...given, passwords, ring, tokens, gate, throttle, told, siblings }
  await eraseAgain(parts)
  const app = await createApp({
    service: 'sso',
    version,
    log,
    database,
    limiter,
    metrics: metrics.http('sso'),
    shedding: given.shedding?.('sso'),
    isOwnHost: hostRule(config.HOST, [config.SSO_URL]),
    trustedProxies: config.TRUSTED_PROXIES,
    isStopping,
    identify: identifyWith(database, gate),
    bucketsOf: bucketsWith(config),
    noteLimited: tellPageLimits(given),
    accountAddress: given.ssoUrl,
    isHttps: config.SSO_URL?.startsWith('https:') ?? false,
    isText: isCleanText,
    patience: config.PATIENCE,
  })
  answerAlsoUnderAlias(app)
  await registerFeatures(app, parts, limiter)
  app.refuseOtherMethods()
  let jobs: Awaited<ReturnType<typeof startJobs>> | undefined
  return {
    app,
    gate,
    identity: createIdentity(parts, limiter),
    announcements: openAnnouncements(parts),
    startJobs: async () => {
      await announceDeprecations(parts, app.declaredRoutes)
      jobs ??= await startJobs(parts)
    },
    close: async () => {
      await app.close()
      await jobs?.stop()
      await limiter.close()
      throttle.close()
      await rotation.close()
      ring.close()
    },
  }
}

/** `/v1/x` is the same route as `/api/v1/x`, from one definition (API document, part 9). */
function answerAlsoUnderAlias(app: App) {
  app.addHook('onRoute', (route) => {
    // Fastify adds HEAD for the alias itself. The routes that answer 405 are already registered for every path.
    if (!route.url.startsWith('/api/v1/') || route.method === 'HEAD' || route.config?.allow !== undefined)
      return
    app.route({ ...route, url: route.url.replace('/api', ''), schema: { ...route.schema, hide: true } })
  })
}
