import type { Database } from '#foundation/database/database.ts'
import type { Caller } from '#foundation/security/session-gate.ts'
import words from './activity-words.json' with { type: 'json' }

export type Happening = {
  /** What happened, by its name in the audit log. */
  action: keyof typeof words
  occurred_at: string
  site_name: string | null
  /** Shown only where the person acted themselves. */
  ip_address: string | null
  is_own: boolean
  /** Another person did it; nobody is known to have asked for a password link, for instance. */
  is_by_other: boolean
}

/** The actions of the audit log that concern a person's own account. */
const ACTIONS = Object.keys(words)
const MOST = 50

/** What happened with the caller's account, newest first. */
export async function listActivity(db: Database, { user_id }: Caller): Promise<Happening[]> {
  return db.lists(
    user_id,
    db.pool<Happening[]>`
      select a.action, a.occurred_at, i.name as site_name, a.ip_address,
             a.actor_user_id is not distinct from a.subject_user_id as is_own,
             coalesce(a.actor_user_id <> a.subject_user_id, false) as is_by_other
        from sso.audit_log a left join sso.sites i using (site_id)
       where a.subject_user_id = ${user_id} and a.action = any(${ACTIONS})
       order by a.occurred_at desc, a.audit_id desc limit ${MOST}`,
  )
}
