import { ApiError } from '#foundation/errors.ts'
import { recordAct } from '../../core/audit/audit.ts'
import type { Origin, SsoParts } from '../../core/parts.ts'
import type { Provider } from './provider.ts'

/** In the audit log of the site, with what was wrong in a few words; the whole of it is for our own log. */
export async function noteFailure(
  { database, log }: SsoParts,
  provider: Provider,
  error: unknown,
  from: Origin,
): Promise<void> {
  if (!(error instanceof ApiError) || error.status >= 500) return
  const { connection_id, site_id, environment } = provider
  log.info(
    { connection_id, code: error.code, reason: reasonOf(error.cause) },
    'an enterprise sign-in was refused',
  )
  await recordAct(
    database.pool,
    {
      action: 'login.failed',
      environment,
      site_id,
      actor_user_id: null,
      subject_user_id: null,
      details: { connection_id, reason: error.code },
    },
    from,
  )
}

const reasonOf = (cause: unknown) => (cause instanceof Error ? cause.message.slice(0, 300) : undefined)
