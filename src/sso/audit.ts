import type { Lane } from '#foundation/database.ts'
import { newId } from '#foundation/ids.ts'
import type { Origin } from './parts.ts'

export type Act = {
  action:
    | 'user.registered'
    | 'login.succeeded'
    | 'login.failed'
    | 'session.revoked'
    | 'refresh_token.reused'
    | 'site.created'
    | 'network.bootstrapped'
  environment: 'sandbox' | 'production'
  site_id: string | null
  actor_user_id: string | null
  subject_user_id: string | null
  details?: Record<string, string | number | boolean | string[]>
}

/** One line of the audit log, in the transaction of the change it speaks of. Never a secret. */
export async function recordAct(tx: Lane, act: Act, from: Origin | undefined): Promise<void> {
  await tx`
    insert into sso.audit_log (audit_id, action, environment, site_id, actor_user_id, subject_user_id,
                               ip_address, user_agent, details)
    values (${newId()}, ${act.action}, ${act.environment}, ${act.site_id}, ${act.actor_user_id},
            ${act.subject_user_id}, ${from?.ip_address ?? null}, ${from?.user_agent ?? null},
            ${tx.json(act.details ?? {})})`
}
