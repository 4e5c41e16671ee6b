import type { Tx } from '#foundation/database/database.ts'
import { sha256 } from '#foundation/security/secrets.ts'
import type { Caller, Site } from '#foundation/security/session-gate.ts'
import type { Origin } from '../../core/parts.ts'
import { REFRESH_SECONDS } from '../../core/tokens/lifetimes.ts'
import { userColumns, type UserRow } from '../../people/person/users.ts'
import { type Membership, SESSION_MAX_DAYS } from '../../people/sessions/answer.ts'
import { lacksFactor } from '../../people/sessions/required.ts'

/** A session together with its chain of refresh tokens. */
export type Family = {
  session_id: string
  user_id: string
  auth_methods: string[]
  auth_time: string
  is_spent: boolean
  is_too_old: boolean
  lacks_factor: boolean
} & Pick<Caller, 'scope'>

/**
 * Locks the session row, so that one presentation of the family runs at a time. The token's state may be stale by then;
 * only `spend` decides.
 */
export async function lockFamily(tx: Tx, { site_id }: Site, token_hash: Buffer): Promise<Family | undefined> {
  const [family] = await tx<Family[]>`
    select s.session_id, s.user_id, s.auth_methods, s.auth_time, case when not i.is_first_party then s.openid_scope end as scope,
           t.consumed_at is not null as is_spent,
           ${bornAt(tx)} + make_interval(days => ${maxDays(tx)}) <= clock_timestamp() as is_too_old,
           exists (select from sso.memberships m join sso.roles r using (site_id, role)
                    where m.user_id = s.user_id and m.site_id = s.site_id
                      and ${lacksFactor(tx, tx`s.auth_methods`)}) as lacks_factor
      from sso.refresh_tokens t join sso.sessions s using (session_id) join sso.sites i using (site_id)
     where t.token_hash = ${token_hash} and s.site_id = ${site_id} and s.revoked_at is null
       for no key update of s`
  return family
}

/** The maximum age counts from the sign-in, even if a cookie carried the session over from another site. */
const bornAt = (tx: Tx) => tx`least(s.created_at, s.auth_time)`
const maxDays = (tx: Tx) => tx`coalesce(i.session_max_days, ${SESSION_MAX_DAYS}::int)`

export type Spent = UserRow & Membership & { generation: number | null }

/**
 * One statement with a snapshot taken after the lock. It reads the current person, spends the token (the only place),
 * adds its successor, extends the session and deletes the previous generation's stored answer, which is useless now.
 * Undefined if account, membership or site is gone; generation null if the token could not be spent.
 */
export async function spend(
  tx: Tx,
  { site_id, tenant_id }: Site,
  { session_id, user_id }: Family,
  { token_hash, successor_hash, from }: { token_hash: Buffer; successor_hash: Buffer; from: Origin },
): Promise<Spent | undefined> {
  const [spent] = await tx<Spent[]>`
    with account as (
      select ${userColumns(tx, tenant_id)}, m.role, r.permissions, m.external_id, i.token_signing, i.hs_generation,
             least(${REFRESH_SECONDS}::int, ${maxDays(tx)} * 86400
                   - ceil(extract(epoch from clock_timestamp() - ${bornAt(tx)}))::int) as refresh_seconds
        from sso.users u join sso.memberships m using (user_id) join sso.sites i using (site_id)
        join sso.roles r using (site_id, role)
        join sso.sessions s on s.session_id = ${session_id} and s.user_id = u.user_id
       where u.user_id = ${user_id} and u.status = 'active' and m.site_id = ${site_id} and m.suspended_at is null
         and i.deleted_at is null),
    spent as (
      update sso.refresh_tokens
         set consumed_at = clock_timestamp(), successor_hash = ${successor_hash}, consumed_ip = ${from.ip_address},
             consumed_ua_hash = ${sha256(from.user_agent)}
       where token_hash = ${token_hash} and consumed_at is null and expires_at > clock_timestamp()
         and exists (select from account)
      returning generation),
    successor as (
      insert into sso.refresh_tokens (token_hash, session_id, generation, issued_at, expires_at)
      select ${successor_hash}, ${session_id}, generation + 1, clock_timestamp(),
             clock_timestamp() + make_interval(secs => refresh_seconds) from spent, account),
    family as (
      update sso.sessions
         set last_seen_at = clock_timestamp(), expires_at = clock_timestamp() + make_interval(secs => refresh_seconds)
        from spent, account where session_id = ${session_id}),
    forgotten as (
      update sso.refresh_tokens t set response_enc = null
        from spent
       where t.session_id = ${session_id} and t.generation = spent.generation - 1 and t.response_enc is not null)
    select account.*, spent.generation from account left join spent on true`
  return spent
}
