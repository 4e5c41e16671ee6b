import { type Lane, one, type Tx } from '#foundation/database/database.ts'
import { notFound } from '#foundation/errors.ts'
import type { Caller } from '#foundation/security/session-gate.ts'
import { recordAct } from '../../core/audit/audit.ts'
import type { Origin, SsoParts } from '../../core/parts.ts'
import { isOperatorNow, sitesOfAdmin } from '../../core/access/access.ts'
import { tellClients } from '../../events/webhooks/back-channel.ts'
import { bumpSessionVersion, lockUser } from '../person/users.ts'
import { recordRevoked } from '../../events/facts/revoked.ts'

/**
 * Ends the caller's own session, or that of a member of a site the caller is ADMIN of, with all sessions of the same
 * sign-in. A partner's token ends only those at its site. Undefined: no such live session.
 */
export async function deleteSession(parts: SsoParts, caller: Caller, session_id: string, from: Origin) {
  const { fast } = parts.database
  const { user_id: self, site_id } = caller
  const [session] = await fast<{ user_id: string; login_id: string }[]>`
    select s.user_id, s.login_id from sso.sessions s join sso.users u using (user_id)
     where s.session_id = ${session_id} and s.revoked_at is null
       and (s.user_id = ${self} and ${isOwnToSee(fast, caller)} or s.site_id in (${sitesOfAdmin(fast, caller)}))
       and (u.environment = ${caller.environment} or ${caller.environment} = 'production')`
  if (!session) return undefined
  const { user_id, login_id } = session
  const isSelf = user_id === self
  const reason = isSelf ? 'user_revoked' : 'admin_revoked'
  const scope = caller.is_first_party ? { login_id } : { site_id, login_id }
  const ended = await revokeSessions(parts, { user_id, scope, reason, caller, from })
  return ended.session_ids.length > 0 ? ended : undefined
}

/**
 * Ends all sessions of the caller, optionally except the current one, which must refresh once. A partner's token ends
 * only those of its site.
 */
export async function deleteOwnSessions(
  parts: SsoParts,
  caller: Caller,
  except_current: boolean,
  from: Origin,
) {
  const { user_id, session_id, site_id, is_first_party } = caller
  const others = except_current ? { except_session_id: session_id } : {}
  if (!is_first_party)
    return revokeSessions(parts, {
      user_id,
      scope: { site_id, ...others },
      reason: 'user_revoked',
      caller,
      from,
    })
  return except_current
    ? revokeSessions(parts, {
        user_id,
        scope: { except_session_id: session_id },
        reason: 'user_revoked',
        caller,
        from,
      })
    : revokeSessions(parts, { user_id, scope: 'everywhere', reason: 'logout_everywhere', caller, from })
}

/**
 * Whether a token may see and end session `s` of its own person: at any site, or for a partner's token only at its
 * site.
 */
export const isOwnToSee = (sql: Lane, { is_first_party, site_id }: Caller) =>
  is_first_party ? sql`true` : sql`s.site_id = ${site_id}`

/**
 * Signs a person out of every site the caller is ADMIN of; an operator signs them out everywhere. 404 for a person who
 * is a member of none of these sites.
 */
export async function deleteSessionsOf(parts: SsoParts, caller: Caller, user_id: string, from: Origin) {
  const { fast } = parts.database
  const [person] = await fast<{ is_operator: boolean; site_ids: string[] }[]>`
    select ${isOperatorNow(fast, caller)} as is_operator,
           array(select site_id from sso.sessions
                  where user_id = u.user_id and revoked_at is null and site_id in (${sitesOfAdmin(fast, caller)})
                 union
                 select site_id from sso.memberships
                  where user_id = u.user_id and site_id in (${sitesOfAdmin(fast, caller)})) as site_ids
      from sso.users u
     where u.user_id = ${user_id} and u.status <> 'deleted'
       and (u.environment = ${caller.environment} or ${caller.environment} = 'production')`
  if (!person) throw notFound()
  const { is_operator, site_ids } = person
  if (!is_operator && site_ids.length === 0) throw notFound()
  const scope = is_operator ? 'everywhere' : { site_ids }
  return revokeSessions(parts, { user_id, scope, reason: 'admin_revoked', caller, from })
}

export type Revocation = {
  user_id: string
  /**
   * Which sessions to end: one session, those of one sign-in, of some sites, all but one, of one site, all, or none.
   */
  scope:
    | { session_id: string }
    | { login_id: string }
    | { site_ids: string[] }
    | { except_session_id: string }
    | AtOneSite
    | 'everywhere'
    | 'none'
  reason: RevokeReason
  /** Revokes every access token even if no session ended, because the cause is not a session. */
  always_bump?: boolean
  /** Who caused it, and at which site, where known. */
  caller: { user_id: string | null; site_id?: string | null }
  from?: Origin | undefined
}

/** The sessions of one site: all, those of one sign-in, or all but one. */
type AtOneSite = { site_id: string; login_id?: string; except_session_id?: string }

type RevokeReason =
  | 'logout'
  | 'user_revoked'
  | 'admin_revoked'
  | 'logout_everywhere'
  | 'password_changed'
  | 'email_changed'
  | 'email_change_undone'
  | 'factor_added'
  | 'factor_removed'
  | 'refresh_token_reuse'
  | 'user_suspended'
  | 'user_deleted'
  | 'member_removed'
  | 'role_changed'
  | 'max_age'
  | 'factor_required'
  | 'site_deleted'
  | 'code_misused'
  | 'consent_revoked'

/** Calls endSessions in its own transaction. */
export async function revokeSessions({ database }: SsoParts, revocation: Revocation) {
  return await database.transaction(async (tx) => {
    await lockUser(tx, revocation.user_id)
    return endSessions(tx, revocation)
  })
}

/**
 * Ends sessions; the transaction must hold `lockUser`. Also raises session_version, which revokes every access token of
 * the person; other sessions continue after a refresh. A repeat changes nothing unless `always_bump`.
 */
export async function endSessions(tx: Tx, { user_id, scope, reason, always_bump, caller, from }: Revocation) {
  const ended = scope === 'none' ? [] : await endLive(tx, user_id, scope, reason)
  const session_ids = ended.map(({ session_id }) => session_id)
  if (session_ids.length === 0 && !always_bump) {
    const [user] = await tx<{ session_version: number }[]>`
      select session_version from sso.users where user_id = ${user_id}`
    return { session_ids, session_version: user?.session_version ?? 0 }
  }
  const session_version = await bumpSessionVersion(tx, user_id)
  const initiating_site_id = caller.site_id ?? null
  await tellClients(tx, user_id, ended)
  await recordRevoked(tx, { user_id, session_ids, reason, session_version, initiating_site_id })
  // Each site's audit log shows only its own sessions. Sorted by site id: each entry updates a counter row of its site,
  // and two concurrent revocations in different order would deadlock.
  const by_site = Map.groupBy(ended, (session) => session.site_id)
  for (const [site_id, of_site] of [...by_site].sort(([a], [b]) => (a < b ? -1 : 1))) {
    await recordAct(
      tx,
      {
        action: reason === 'refresh_token_reuse' ? 'refresh_token.reused' : 'session.revoked',
        environment: one(of_site).environment,
        site_id,
        actor_user_id: caller.user_id,
        subject_user_id: user_id,
        details: { reason, session_ids: of_site.map(({ session_id }) => session_id), session_version },
      },
      from,
    )
  }
  return { session_ids, session_version }
}

type Ended = {
  session_id: string
  site_id: string
  environment: 'sandbox' | 'production'
  /** Back-channel logout URI of the site's OpenID client. */
  logout_uri: string | null
}

/** Locks the rows in ascending order first, so that concurrent revocations and refreshes cannot deadlock. */
async function endLive(
  tx: Tx,
  user_id: string,
  scope: Exclude<Revocation['scope'], 'none'>,
  reason: RevokeReason,
): Promise<Ended[]> {
  return tx<Ended[]>`
    with live as (
      select s.session_id from sso.sessions s
       where s.user_id = ${user_id} and s.revoked_at is null and ${isInScope(tx, scope)}
       order by s.session_id for update)
    update sso.sessions s set revoked_at = clock_timestamp(), revoke_reason = ${reason}
      from live, sso.sites i
     where s.session_id = live.session_id and s.revoked_at is null and i.site_id = s.site_id
    returning s.session_id, s.site_id, i.environment,
              (select c.backchannel_logout_uri from sso.openid_clients c where c.site_id = s.site_id) as logout_uri`
}

function isInScope(tx: Tx, scope: Exclude<Revocation['scope'], 'none'>) {
  if (scope === 'everywhere') return tx`true`
  if ('site_id' in scope) {
    const { site_id, login_id, except_session_id } = scope
    return tx`s.site_id = ${site_id}
      and ${login_id === undefined ? tx`true` : tx`s.login_id = ${login_id}`}
      and ${except_session_id === undefined ? tx`true` : tx`s.session_id <> ${except_session_id}`}`
  }
  if ('session_id' in scope) return tx`s.session_id = ${scope.session_id}`
  if ('login_id' in scope) return tx`s.login_id = ${scope.login_id}`
  if ('site_ids' in scope) return tx`s.site_id = any(${scope.site_ids}::uuid[])`
  return tx`s.session_id <> ${scope.except_session_id}`
}
