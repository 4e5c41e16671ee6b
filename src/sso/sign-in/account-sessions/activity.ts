import type { Database } from '#foundation/database/database.ts'
import type { Caller } from '#foundation/security/session-gate.ts'

export type Happening = {
  /** What happened, as a person would say it. */
  words: string
  occurred_at: string
  site_name: string | null
  /** Shown only where the person acted themselves. */
  ip_address: string | null
  is_own: boolean
}

/** The actions of the audit log that concern a person's own account. */
const WORDS: Record<string, string> = {
  'login.succeeded': 'Signed in',
  'login.failed': 'A sign-in failed',
  'user.registered': 'The account was made',
  'user.created': 'The account was made',
  'user.updated': 'The profile was changed',
  'password.changed': 'The password was changed',
  'password.reset_requested': 'A link to reset the password was asked for',
  'password.reset': 'The password was reset',
  'email.change_asked': 'Another e-mail address was asked for',
  'email.verified': 'The e-mail address was confirmed',
  'mfa.factor_added': 'A second step was added',
  'mfa.factor_removed': 'A second step was removed',
  'mfa.reset': 'The second steps were reset',
  'mfa.recovery_codes_renewed': 'New recovery codes were made',
  'session.revoked': 'A session was ended',
  'refresh_token.reused': 'A session was ended, because its token was used twice',
  'consent.granted': 'A site was allowed to know the account',
  'consent.revoked': 'A site was disconnected',
  'identity.linked': 'A sign-in at an organisation was linked',
  'role.assigned': 'A role was assigned',
}
const MOST = 50

/** What happened with the caller's account, newest first. */
export async function listActivity(db: Database, { user_id }: Caller): Promise<Happening[]> {
  const rows = await db.lists(
    user_id,
    db.pool<(Omit<Happening, 'words'> & { action: string })[]>`
      select a.action, a.occurred_at, i.name as site_name, a.ip_address,
             a.actor_user_id is not distinct from a.subject_user_id as is_own
        from sso.audit_log a left join sso.sites i using (site_id)
       where a.subject_user_id = ${user_id} and a.action = any(${Object.keys(WORDS)})
       order by a.occurred_at desc, a.audit_id desc limit ${MOST}`,
  )
  return rows.map(({ action, ...row }) => ({ ...row, words: WORDS[action] ?? action }))
}
