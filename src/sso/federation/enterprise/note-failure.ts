import { ApiError } from '#foundation/errors.ts'
import { byNobody, recordAct } from '../../core/audit/audit.ts'
import type { Origin, SsoParts } from '../../core/parts.ts'
import type { Provider } from './provider.ts'

/** Writes a refused sign-in to the site's audit log with its error code. The cause goes only to our own log. */
export async function noteFailure(
  { database, log }: SsoParts,
  provider: Provider,
  error: unknown,
  from: Origin,
): Promise<void> {
  if (!(error instanceof ApiError) || error.status >= 500) return
  const { connection_id } = provider
  const { code, cause } = error
  const reason = cause instanceof Error ? cause.message.slice(0, 300) : undefined
  log.info({ connection_id, code, reason }, 'an enterprise sign-in was refused')
  const details = { connection_id, reason: code }
  await recordAct(database.pool, { action: 'login.failed', ...byNobody(provider, null), details }, from)
}
