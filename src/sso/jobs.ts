import { startRunner } from '#foundation/jobs/runner.ts'
import { startClosing } from './partners/billing/close.ts'
import { groupRoleJobs } from './federation/scim/group-roles.ts'
import { startBulk } from './lifecycle/bulk/import.ts'
import { erasureJobs } from './lifecycle/erasure/afterwards.ts'
import { measureErasures } from './lifecycle/erasure/metrics.ts'
import { notifyOfFailedDeletions } from './lifecycle/erasure/failed-deletions.ts'
import { releaseWaitingMail, openDelivery } from './core/messages/deliver.ts'
import { openBackChannel } from './events/webhooks/back-channel.ts'
import type { SsoParts } from './core/parts.ts'
import { startSweeps } from './operations/retention/retention.ts'
import { startWebhooks } from './events/webhooks/engine.ts'
import { createLogoutTokens } from './events/webhooks/logout-token.ts'

/** Maximum number of concurrent outbound calls per kind of job. */
const CALLS = 64

/** Starts the background jobs and returns the function that stops them. One line per feature that has any. */
export async function startJobs(parts: SsoParts): Promise<{ stop: () => Promise<void> }> {
  const { database: db, log } = parts
  const delivery = openDelivery(parts)
  const backChannel = openBackChannel(parts)
  await releaseWaitingMail(parts)
  // Each runner has its own slots, so that partners' servers that do not answer cannot delay mail.
  const runners = [
    startRunner({ db, log, handlers: delivery.handlers, maxInFlight: CALLS }),
    startRunner({ db, log, handlers: backChannel.handlers, maxInFlight: CALLS }),
    startRunner({ db, log, handlers: erasureJobs(parts) }),
    startRunner({ db, log, handlers: groupRoleJobs() }),
  ]
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
      const workers = [...runners, sweeps, closing, bulk, webhooks]
      await Promise.all(workers.map((worker) => worker.stop()))
      await delivery.close()
      await backChannel.close()
    },
  }
}
