import type { Lane } from '#foundation/database/database.ts'

/** SQL for how many attempts this person has at the test `t`: its own number and what was granted. 0 means any. */
export const allowedAttempts = (sql: Lane, user_id: string | ReturnType<Lane>) => sql`
  case when t.max_attempts > 0 then t.max_attempts + coalesce((
    select x.extra_attempts from learning.extra_attempts x
     where x.tenant_id = t.tenant_id and x.test_id = t.id and x.user_id = ${user_id}), 0) else 0 end`
