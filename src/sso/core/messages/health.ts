import type { Config } from '#foundation/settings/config.ts'
import type { Database } from '#foundation/database/database.ts'
import { degraded, healthy, type PartHealth } from '#foundation/database/health.ts'

/** A working mail server accepts a message within seconds, so mail older than this is late. */
const LATE = '10 minutes'

/** Degraded without a mail server, and while production mail is late because the server does not accept it. */
export async function emailHealth(
  { fast }: Database,
  { SMTP_URL }: Partial<Pick<Config, 'SMTP_URL'>>,
): Promise<PartHealth> {
  if (SMTP_URL === undefined) return degraded('SMTP_URL is not set, so production mail waits')
  const late = await fast`
    select from sso.messages
     where status = 'queued' and channel = 'email' and created_at < statement_timestamp() - ${LATE}::interval limit 1`
  return late.length > 0 ? degraded(`Mail has waited for SMTP_URL for more than ${LATE}`) : healthy
}
