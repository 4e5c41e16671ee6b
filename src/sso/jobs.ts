import type { Handlers } from '#foundation/jobs/attempt.ts'
import { releaseAllLeases } from '#foundation/jobs/jobs.ts'
import { startRunner } from '#foundation/jobs/runner.ts'
import { startClosing } from './billing/close.ts'
import { startBulk } from './bulk/import.ts'
import { erasureJobs } from './erasure/afterwards.ts'
import { measureErasures } from './erasure/metrics.ts'
import { notifyOfFailedDeletions } from './erasure/untold.ts'
import { openDelivery, releaseWaitingMail } from './messages/deliver.ts'
import { openBackChannel } from './openid/back-channel.ts'
import type { SsoParts } from './parts.ts'
import { startSweeps } from './retention/retention.ts'
import { startWebhooks } from './webhooks/engine.ts'
import { createLogoutTokens } from './webhooks/logout-token.ts'

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
  // What a killed process held is due at once where nobody else can hold anything.
  if (parts.isSoleWriter()) await releaseAllLeases(db)
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
