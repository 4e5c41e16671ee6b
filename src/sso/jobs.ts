import type { Handlers } from '#foundation/jobs/attempt.ts'
import { startRunner } from '#foundation/jobs/runner.ts'
import { startClosing } from './partners/billing/close.ts'
import { startBulk } from './lifecycle/bulk/import.ts'
import { erasureJobs } from './lifecycle/erasure/afterwards.ts'
import { measureErasures } from './lifecycle/erasure/metrics.ts'
import { notifyOfFailedDeletions } from './lifecycle/erasure/untold.ts'
import { releaseWaitingMail, openDelivery } from './core/messages/deliver.ts'
import { openBackChannel } from './events/webhooks/back-channel.ts'
import type { SsoParts } from './core/parts.ts'
import { startSweeps } from './operations/retention/retention.ts'
import { startWebhooks } from './events/webhooks/engine.ts'
import { createLogoutTokens } from './events/webhooks/logout-token.ts'

/** Does what this service left for after its answers, until it is stopped. One line per feature that has such work. */
export async function startJobs(parts: SsoParts): Promise<{ stop: () => Promise<void> }> {
  const { database: db, log } = parts
  const delivery = openDelivery(parts)
  const backChannel = openBackChannel(parts)
  const handlers: Handlers = {
    ...delivery.handlers,
    ...erasureJobs(parts),
    ...backChannel.handlers,
  }
  await releaseWaitingMail(parts)
  const runner = startRunner({ db, log, handlers })
  measureErasures(parts.metrics, db)
  const sweeps = startSweeps(parts)
  const closing = startClosing(parts)
  const bulk = startBulk(parts)
  const webhooks = await startWebhooks({
    ...parts,
    signLogout: createLogoutTokens(parts.ring, parts.tokens),
    onDeletionFailed: notifyOfFailedDeletions(parts),
  })
  return {
    stop: async () => {
      await Promise.all([sweeps.stop(), closing.stop(), runner.stop(), bulk.stop(), webhooks.stop()])
      await delivery.close()
      await backChannel.close()
    },
  }
}
