import { createCsrf } from '#foundation/web/csrf.ts'
import { createHealthCheck } from '#foundation/database/health.ts'
import { hostRule } from '#foundation/web/hosts.ts'
import { type App, createApp } from '#foundation/http/http.ts'
import { operationalRoutes } from '#foundation/http/operational-routes.ts'
import { referenceRoutes } from '#foundation/reference/routes.ts'
import { assets } from './pages/assets.ts'
import { isSiteAdmin } from '#foundation/security/powers.ts'
import { publicAddress } from '#foundation/http/public-address.ts'
import type { Service, ServiceParts } from '#foundation/http/service.ts'
import type { ForgetUser, Identity, SessionGate } from '#foundation/security/session-gate.ts'
import { forgetUser } from './erasure/forget.ts'
import { createAnswerKeys } from './exams/keys.ts'
import { registerFeatures } from './features.ts'
import { identifyBy } from './identity.ts'
import { openModel } from './language-model/open-model.ts'
import { startJobs } from './jobs.ts'
import type { ExamParts } from './exams/parts.ts'
import { createUnsubscribe } from './notifications/unsubscribe.ts'
import { bucketsOf } from './limits.ts'
import { API_VERSION } from './system/routes.ts'

export type LearningService = Service & {
  /** Starts the background jobs; `close` stops them. Called once, by the process that listens. */
  startJobs: () => void
  forgetUser: ForgetUser
}

/** For links in mails, which no request asks for. Without LEARNING_URL this is a developer's machine. */
function ownAddress({ LEARNING_URL, LEARNING_PORT }: ServiceParts['config'], { server }: App): string {
  const listening = server.address()
  const port = typeof listening === 'object' ? listening?.port : undefined
  return LEARNING_URL ?? `http://localhost:${port ?? LEARNING_PORT}`
}

/** Creates the learning service; its app does not listen yet. */
export async function createLearning(
  parts: ServiceParts,
  { gate, identity }: { gate: SessionGate; identity: Identity },
): Promise<LearningService> {
  const { config, database: db, log } = parts
  const addressOf = publicAddress(config.LEARNING_URL)
  const csrf = createCsrf({ key: parts.keys.derive('csrf'), addressOf })
  const limiter = parts.limits.limiter('learning')
  const learning: ExamParts = {
    db,
    answerKeys: createAnswerKeys(),
    names: identity,
    shuffleKey: parts.keys.derive('order of options'),
    viewerOf: (caller) => {
      const { tenant_id, user_id, email } = caller
      const is_admin = isSiteAdmin(caller)
      return {
        tenant_id,
        user_id,
        email,
        is_admin,
        edits_all: is_admin || config.LEARNING_AUTHORING === 'any_user',
      }
    },
  }

  const unsubscribe = createUnsubscribe(parts.keys)
  const { LLM_BASE_URL: base_url, LLM_MODEL: asked, LLM_API_KEY: key } = config
  const model = base_url && asked ? openModel({ base_url, model: asked, key }, db, log) : undefined
  const app = await createApp({
    service: 'learning',
    version: API_VERSION,
    log,
    database: db,
    limiter,
    metrics: parts.metrics.http('learning'),
    shedding: parts.shedding?.('learning'),
    isOwnHost: hostRule(config.HOST, [config.LEARNING_URL]),
    trustedProxies: config.TRUSTED_PROXIES,
    isStopping: parts.isStopping,
    identify: identifyBy(gate),
    bucketsOf: bucketsOf(config),
    guardCsrf: csrf.guard,
    isHttps: config.LEARNING_URL?.startsWith('https:') ?? false,
    // Refuses only what PostgreSQL or JSON cannot hold; authors may write anything else (docs/choices.md).
    patience: config.PATIENCE,
    isText: (text) => text.isWellFormed() && !text.includes('\0'),
  })
  registerFeatures(app, learning, {
    addressOf,
    identity,
    keys: parts.keys,
    model,
    quota: config.LEARNING_FILES_QUOTA_MB * 1_000_000,
    unsubscribe,
    sends_mail: config.SMTP_URL !== undefined,
    system: { csrf, askDatabase: createHealthCheck(db), ssoUrl: parts.ssoUrl },
  })
  operationalRoutes(app, parts)
  referenceRoutes(app, { url: '/openapi.json', auth: 'public', assets, addressOf })
  app.refuseOtherMethods()

  let jobs: ReturnType<typeof startJobs> | undefined
  return {
    app,
    startJobs: () => {
      jobs ??= startJobs(parts, { identity, unsubscribe, base: ownAddress(config, app) })
    },
    forgetUser: (user_id) => forgetUser(db, user_id),
    async close() {
      await app.close()
      await jobs?.stop()
      await model?.close()
      await limiter.close()
    },
  }
}
