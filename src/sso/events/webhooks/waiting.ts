import type { Pool } from '#foundation/database/database.ts'
import { JOB_KINDS } from '../facts/events.ts'
import { isStuck } from './claim.ts'

/** All unfinished webhook work from both tables: facts to fan out, and deliveries. */
export const waitingWork = (sql: Pool) => sql`(
  select priority, run_at as due_at, lease_until, state = 'held' as is_stuck
    from foundation.jobs
   where state = any('{pending,held}') and kind = any(${[JOB_KINDS.fan_out, JOB_KINDS.release]})
   union all
  select priority, next_attempt_at, lease_until, ${isStuck(sql)}
    from sso.webhook_deliveries where state = 'pending')`
