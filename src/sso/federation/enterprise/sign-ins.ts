import { Type } from 'typebox'
import type { Database } from '#foundation/database/database.ts'
import type { Caller } from '#foundation/security/session-gate.ts'
import { sitesOfAdmin } from '../../core/access/access.ts'
import { AuditLine, peopleOf } from '../../core/audit/list.ts'
import { type Ids, readConnection } from './connections.ts'

const ACTIONS = ['login.succeeded', 'login.second_factor_asked', 'login.failed']
const SHOWN = 50
/** Entries of the site that are looked through for each action, newest first: a bound on the work, not on the answer. */
const SEARCHED = 20_000

export const SignIns = Type.Object({ items: Type.Array(AuditLine) })

/** The newest sign-ins through a connection, 50 at most, from the audit log of its site. 403, 404, 403 plan_required. */
export async function lastSignIns({ fast, pool, lists }: Database, caller: Caller, ids: Ids) {
  const { site_id, connection_id } = await readConnection(fast, caller, ids)
  const items = await lists(
    caller.user_id,
    pool<AuditLine[]>`
      with picked as (
        select a.* from unnest(${ACTIONS}::text[]) as one (action) cross join lateral (
          select a.* from sso.audit_log a
           where a.site_id = ${site_id} and a.action = one.action
             and exists (select from (${sitesOfAdmin(pool, caller)}) as own where own.site_id = ${site_id})
           order by a.occurred_at desc, a.audit_id desc limit ${SEARCHED}) a
         where a.details ->> 'connection_id' = ${connection_id}
         order by a.occurred_at desc, a.audit_id desc limit ${SHOWN})
      select a.audit_id, a.occurred_at, a.action, i.site_code, a.details, ${peopleOf(pool, caller)}
        from picked a join sso.sites i using (site_id)
       order by a.occurred_at desc, a.audit_id desc`,
  )
  return { items: [...items] }
}
