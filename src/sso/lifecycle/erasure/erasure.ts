import { Type, type Static } from 'typebox'
import type { Tx } from '#foundation/database/database.ts'
import { recordAct } from '../../core/audit/audit.ts'
import { noteErased } from '../bulk/erased.ts'
import type { Origin } from '../../core/parts.ts'
import { PROFILE_FIELDS } from '../../core/profile.ts'
import { endSessions } from '../../people/sessions/sessions.ts'
import { eraseEventsOf, recordFacts } from '../../events/facts/facts.ts'
import { userAccountDeleted } from '../../events/facts/telling.ts'
import { queueAfterwards } from './afterwards.ts'

/** The reason of a deletion. reason_code is a single word: what is kept of an erased person must not identify them. */
export type ErasureBody = Static<typeof ErasureBody>
export const ErasureBody = Type.Object({
  reason_code: Type.Optional(Type.String({ pattern: '^[a-z0-9_]{1,64}$' })),
  /** The person's address, from a caller who wants to be sure whom it erases. */
  confirmation: Type.Optional(Type.String({ maxLength: 254 })),
  compliance_flags: Type.Optional(
    Type.Object({
      ccpa_drop_request: Type.Boolean({ default: false }),
      gdpr_erasure_request: Type.Boolean({ default: true }),
    }),
  ),
})

type Erasure = {
  user_id: string
  environment: 'sandbox' | 'production'
  /** Who requested it; null when the erasure list is applied again. */
  caller: { user_id: string | null; site_id?: string }
  body: ErasureBody
  from?: Origin
  /** ISO 8601; by default now. */
  erased_at?: string
}

/**
 * Erases a person; the transaction must hold the lock of the users row. Only the bare id remains, in orders, audit log
 * and erasure list. The e-mail address becomes free.
 */
export async function erasePerson(
  tx: Tx,
  { user_id, environment, caller, body, from, erased_at }: Erasure,
): Promise<void> {
  const is_self = caller.user_id === user_id
  const reason_code = body.reason_code ?? (is_self ? 'user_initiated_erasure' : 'admin_erasure')
  const { ccpa_drop_request = false, gdpr_erasure_request = true } = body.compliance_flags ?? {}
  // Before the erasure's own events, which hold only ids and are kept.
  await eraseEventsOf(tx, user_id)
  await endSessions(tx, {
    user_id,
    scope: 'everywhere',
    reason: 'user_deleted',
    always_bump: true,
    caller,
    from,
  })
  const known_at = await tx<{ site_id: string; environment: Erasure['environment'] }[]>`
    with erased as (
      insert into sso.erasures (user_id, environment, reason_code, ccpa_drop_request, gdpr_erasure_request, erased_at)
      values (${user_id}, ${environment}, ${reason_code}, ${ccpa_drop_request}, ${gdpr_erasure_request},
              coalesce(${erased_at ?? null}::timestamptz, clock_timestamp()))
      returning user_id, erased_at),
    told as (
      insert into sso.erasure_sites (site_id, erased_at, user_id)
      select m.site_id, erased.erased_at, erased.user_id from erased join sso.memberships m using (user_id)
      returning site_id)
    select site_id, i.environment from told join sso.sites i using (site_id) order by site_id`
  const told = { user_id, reason_code, ccpa_drop_request, gdpr_erasure_request }
  // A production person may also have administered sandbox sites, which know the id.
  const environments = Map.groupBy(known_at, (site) => site.environment)
  await recordFacts(
    tx,
    [...environments].map(([where, sites]) =>
      userAccountDeleted(
        where,
        sites.map(({ site_id }) => site_id),
        told,
      ),
    ),
  )
  await noteErased(tx, user_id)
  await blankPerson(tx, user_id)
  await blankSessions(tx, user_id)
  // One entry for each site that knew the person, whatever the caller's site: its ADMINs can read only their own log.
  const act = {
    action: 'user.erased',
    actor_user_id: caller.user_id,
    subject_user_id: user_id,
    details: { reason_code },
  } as const
  if (known_at.length === 0) await recordAct(tx, { ...act, environment, site_id: null }, from)
  for (const site of known_at) await recordAct(tx, { ...act, ...site }, from)
  await blankAudit(tx, user_id)
  await queueAfterwards(tx, user_id)
}

/** The users row before the memberships: all code locks the dependent counters in that order. */
async function blankPerson(tx: Tx, user_id: string) {
  await tx`
    update sso.users
       set status = 'deleted', email = null, email_fold = null, email_verified = false, email_proven_at = null,
           ${PROFILE_FIELDS.map((name) => tx`${tx(name)} = null,`)} username_fold = null, password_hash = null,
           phone_verified = false, metadata = '{}', last_login_at = null, version = version + 1,
           updated_at = clock_timestamp()
     where user_id = ${user_id} and status <> 'deleted'`
  await tx`delete from sso.memberships where user_id = ${user_id}`
  await tx`delete from sso.mfa_challenges where user_id = ${user_id}`
  await tx`delete from sso.mfa_factors where user_id = ${user_id}`
  await tx`delete from sso.recovery_codes where user_id = ${user_id}`
  // What a provider said last may be about this person, so none of theirs keeps it.
  await tx`
    with gone as (delete from sso.identities where user_id = ${user_id} returning connection_id)
    delete from sso.connection_claims c using gone where c.connection_id = gone.connection_id`
  await tx`delete from sso.scim_users where user_id = ${user_id}`
  await tx`delete from sso.email_claims where user_id = ${user_id}`
  await tx`delete from sso.consents where user_id = ${user_id}`
  await tx`delete from sso.proven_sign_ins where user_id = ${user_id}`
  await tx`delete from sso.one_time_tokens where user_id = ${user_id}`
  await tx`delete from sso.email_changes where user_id = ${user_id}`
  // Messages, with their jobs.
  await tx`
    with gone as (delete from sso.messages where user_id = ${user_id} returning job_id)
    delete from foundation.jobs j using gone where j.job_id = gone.job_id`
}

/** Keeps that there were sign-ins, but not from where. */
async function blankSessions(tx: Tx, user_id: string) {
  await tx`
    update sso.sessions set ip_address = null, user_agent = null, device_name = null where user_id = ${user_id}`
  await tx`
    update sso.refresh_tokens t
       set consumed_ip = null, consumed_ua_hash = null, idempotency_hash = null, response_enc = null
      from sso.sessions s where s.user_id = ${user_id} and t.session_id = s.session_id`
  await tx`
    delete from sso.sign_in_codes c using sso.sessions s where s.user_id = ${user_id} and c.session_id = s.session_id`
}

/**
 * Their own acts, and failed sign-ins under their name. The IP address of an ADMIN who acted on them belongs to the
 * ADMIN.
 */
async function blankAudit(tx: Tx, user_id: string) {
  await tx`
    update sso.audit_log set ip_address = null, user_agent = null
     where actor_user_id = ${user_id} or (subject_user_id = ${user_id} and actor_user_id is null)`
}
