import type { Lane } from '#foundation/database/database.ts'
import type { AttemptRow } from './standing.ts'

/**
 * All attempts of one learner at these tests, oldest first. `status` is the one at this moment: an open attempt past
 * its time and grace is `expired`. `is_unsent` says whether the stored status is still open.
 */
export const attemptRows = (sql: Lane, tenant_id: string, user_id: string, test_ids: string[]) => sql<
  (AttemptRow & { test_id: string; client_id: string | null; is_unsent: boolean })[]
>`
  select test_id, id, number, client_id, status = 'open' as is_unsent,
         learning.attempt_status(status, expires_at) as status, opened_at, expires_at,
         case when learning.attempt_status(status, expires_at) = 'expired' then coalesce(submitted_at, expires_at)
              else submitted_at end as submitted_at,
         key_version, score::float8, max_score::float8
    from learning.attempts
   where tenant_id = ${tenant_id} and test_id = any(${test_ids}) and user_id = ${user_id}
   order by test_id, number`
