import type { Lane } from '#foundation/database/database.ts'
import { newId } from '#foundation/ids.ts'
import type { Origin } from '../parts.ts'

/** What happened, by what it happened to. */
type Action =
  | `user.${'registered' | 'registration_repeated' | 'created' | 'updated' | 'erased'}`
  | 'member.removed'
  | 'role.assigned'
  | `email.${'verification_requested' | 'verified' | 'released' | 'change_asked' | 'changed' | 'change_undone'}`
  | `password.${'reset_requested' | 'reset' | 'changed'}`
  | `login.${'succeeded' | 'failed' | 'second_factor_asked' | 'second_factor_failed'}`
  | `mfa.${'factor_added' | 'factor_removed' | 'recovery_codes_renewed' | 'reset'}`
  | `session.${'revoked' | 'proven'}`
  | 'refresh_token.reused'
  | `site.${'created' | 'changed' | 'deleted' | 'approved' | 'domain_verified'}`
  | `site_key.${'created' | 'deleted'}`
  | 'jwt_secret.rotated'
  | `webhook.${'created' | 'changed' | 'deleted'}`
  | 'webhook_event.replayed'
  | 'webhook_secret.rotated'
  | `bulk.${'uploaded' | 'cancel_requested' | 'ended'}`
  | 'import_quota.set'
  | 'branding.changed'
  | `openid_client.${'created' | 'changed' | 'secret_renewed' | 'deleted' | 'token_issued'}`
  | `connection.${'created' | 'changed' | 'deleted' | 'key_renewed' | 'scim_token_created' | 'scim_token_revoked' | 'domain_added' | 'domain_verified' | 'domain_removed'}`
  | 'identity.linked'
  | `scim.${'person_linked' | 'person_detached' | 'group_created' | 'group_changed' | 'group_deleted'}`
  | `consent.${'granted' | 'revoked'}`
  | `message.${'resent' | 'hurried'}`
  | 'network.bootstrapped'
  | `order.${'created' | 'changed'}`
  | 'sandbox.wiped'
  | `signing_key.${'rotation_asked' | 'activated' | 'revoked'}`

export type Act = {
  action: Action
  environment: 'sandbox' | 'production'
  site_id: string | null
  actor_user_id: string | null
  subject_user_id: string | null
  details?: Record<string, string | number | boolean | string[]>
}

type Place = Pick<Act, 'environment' | 'site_id'>

/** Actor and subject are the same person, at one site. */
export const byOneself = ({ environment, site_id }: Place, user_id: string) => ({
  environment,
  site_id,
  actor_user_id: user_id,
  subject_user_id: user_id,
})

/** Only the subject is known; there is no authenticated actor. */
export const byNobody = ({ environment, site_id }: Place, user_id: string | null) => ({
  environment,
  site_id,
  actor_user_id: null,
  subject_user_id: user_id,
})

/**
 * Appends one entry to the audit log, in the transaction of the change it records. Details must not contain secrets.
 */
export async function recordAct(tx: Lane, act: Act, from: Origin | undefined): Promise<void> {
  await tx`${insertAct(tx, act, from)}`
}

/** The insert of recordAct as part of a larger statement: one entry for each row that `rows` (`from …`) yields. */
export const insertAct = (tx: Lane, act: Act, from: Origin | undefined, rows = tx``) => tx`
    insert into sso.audit_log (audit_id, action, environment, site_id, actor_user_id, subject_user_id,
                               ip_address, user_agent, details)
    select ${newId()}, ${act.action}, ${act.environment}, ${act.site_id}, ${act.actor_user_id},
           ${act.subject_user_id}, ${from?.ip_address ?? null}, ${from?.user_agent ?? null},
           ${tx.json(act.details ?? {})} ${rows}`
