import type { Lane } from '#foundation/database/database.ts'
import { newId } from '#foundation/ids.ts'
import type { Origin } from '../parts.ts'

export type Act = {
  action:
    | 'user.registered'
    | 'user.registration_repeated'
    | 'user.created'
    | 'user.updated'
    | 'user.erased'
    | 'member.removed'
    | 'role.assigned'
    | 'email.verification_requested'
    | 'email.verified'
    | 'email.released'
    | 'password.reset_requested'
    | 'password.reset'
    | 'password.changed'
    | 'login.succeeded'
    | 'login.failed'
    | 'login.second_factor_asked'
    | 'login.second_factor_failed'
    | 'mfa.factor_added'
    | 'mfa.factor_removed'
    | 'mfa.recovery_codes_renewed'
    | 'mfa.reset'
    | 'session.revoked'
    | 'session.proven'
    | 'email.change_asked'
    | 'email.changed'
    | 'email.change_undone'
    | 'refresh_token.reused'
    | 'site.created'
    | 'site.changed'
    | 'site.deleted'
    | 'site.approved'
    | 'site.domain_verified'
    | 'site_key.created'
    | 'site_key.deleted'
    | 'jwt_secret.rotated'
    | 'webhook.created'
    | 'webhook.changed'
    | 'webhook.deleted'
    | 'webhook_event.replayed'
    | 'webhook_secret.rotated'
    | 'bulk.uploaded'
    | 'bulk.cancel_requested'
    | 'bulk.ended'
    | 'import_quota.set'
    | 'branding.changed'
    | 'openid_client.created'
    | 'openid_client.changed'
    | 'openid_client.secret_renewed'
    | 'openid_client.deleted'
    | 'openid_client.token_issued'
    | 'connection.created'
    | 'connection.changed'
    | 'connection.deleted'
    | 'connection.key_renewed'
    | 'connection.domain_added'
    | 'connection.domain_verified'
    | 'connection.domain_removed'
    | 'identity.linked'
    | 'consent.granted'
    | 'consent.revoked'
    | 'message.resent'
    | 'network.bootstrapped'
    | 'order.created'
    | 'order.changed'
    | 'sandbox.wiped'
    | 'signing_key.rotation_asked'
    | 'signing_key.activated'
    | 'signing_key.revoked'
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
