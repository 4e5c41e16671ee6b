import type { Handlers } from '#foundation/jobs/attempt.ts'
import { releaseAllLeases } from '#foundation/jobs/jobs.ts'
import { startRunner } from '#foundation/jobs/runner.ts'
import { hurryWaiting, openDelivery } from './messages/deliver.ts'
import type { SsoParts } from './parts.ts'
import { startSweeps } from './retention/retention.ts'
import { startWebhooks } from './webhooks/engine.ts'
import { createLogoutTokens } from './webhooks/logout-token.ts'

/** Does what this service left for after its answers, until it is stopped. One line per feature that has such work. */
export async function startJobs(parts: SsoParts): Promise<{ stop: () => Promise<void> }> {
  const { database: db, log } = parts
  const delivery = openDelivery(parts)
  const handlers: Handlers = {
    ...delivery.handlers,
  }
  // What a killed process held is due at once where nobody else can hold anything.
  if (parts.isSoleWriter()) await releaseAllLeases(db)
  await hurryWaiting(parts)
  const runner = startRunner({ db, log, handlers })
  const sweeps = startSweeps(parts)
  const webhooks = await startWebhooks({
    ...parts,
    signLogout: createLogoutTokens(parts.ring, parts.tokens),
  })
  return {
    stop: async () => {
      await Promise.all([sweeps.stop(), runner.stop(), webhooks.stop()])
      await delivery.close()
    },
  }
}
