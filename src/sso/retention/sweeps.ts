import type postgres from 'postgres'
import type { Tx } from '#foundation/database.ts'

/** How long is kept what nobody deletes (docs/operating.md). */
const KEPT = {
  answer_seconds: 60,
  bump_minutes: 31,
  refresh_token_days: 7,
  session_days: 90, // or the retention_days of its site
  audit_days: 365, // or the retention_days of its site
  message_days: 30,
  sandbox_days: 30,
  one_time_token_days: 1,
  enrolment_days: 1,
} as const

/** So many rows at a time: nobody waits long for a lock, and a sweep that is cut short has done some of its work. */
export const BATCH = 1_000

/**
 * One batch of rows that are too old, at most BATCH of them; answers the people the exact maps have to forget. Safe
 * beside any number of others: rows that somebody holds are left for the next time.
 */
type Sweep = (tx: Tx) => postgres.PendingQuery<{ user_id?: string }[]>

export const SWEEPS = {
  answers: (tx) => tx`
    update sso.refresh_tokens set response_enc = null where token_hash = any(array(
      select token_hash from sso.refresh_tokens
       where response_enc is not null
         and consumed_at <= statement_timestamp() - make_interval(secs => ${KEPT.answer_seconds})
       order by token_hash limit ${BATCH} for update skip locked))`,

  session_bumps: (tx) => tx`
    delete from sso.session_bumps where (xid, user_id) in (
      select xid, user_id from sso.session_bumps
       where revoked_at <= statement_timestamp() - make_interval(mins => ${KEPT.bump_minutes})
       order by revoked_at, xid, user_id limit ${BATCH} for update skip locked)`,

  mfa_challenges: (tx) => tx`
    delete from sso.mfa_challenges where token_hash = any(array(
      select token_hash from sso.mfa_challenges where expires_at <= statement_timestamp()
       order by expires_at, token_hash limit ${BATCH} for update skip locked))`,

  unfinished_factors: (tx) => tx`
    delete from sso.mfa_factors where activated_at is null and factor_id = any(array(
      select factor_id from sso.mfa_factors
       where activated_at is null
         and created_at <= statement_timestamp() - make_interval(days => ${KEPT.enrolment_days})
       order by created_at, factor_id limit ${BATCH} for update skip locked))`,

  one_time_tokens: (tx) => tx`
    delete from sso.one_time_tokens where token_hash = any(array(
      select token_hash from sso.one_time_tokens
       where expires_at <= statement_timestamp() - make_interval(days => ${KEPT.one_time_token_days})
       order by expires_at, token_hash limit ${BATCH} for update skip locked))`,

  refresh_tokens: (tx) => tx`
    delete from sso.refresh_tokens where token_hash = any(array(
      select token_hash from sso.refresh_tokens
       where expires_at <= statement_timestamp() - make_interval(days => ${KEPT.refresh_token_days})
       order by expires_at, token_hash limit ${BATCH} for update skip locked))`,

  messages: (tx) => tx`
    delete from sso.messages where status <> 'queued' and message_id = any(array(
      select message_id from sso.messages
       where environment = any('{sandbox,production}') and status <> 'queued'
         and created_at <= statement_timestamp() - make_interval(days => ${KEPT.message_days})
       limit ${BATCH} for update skip locked))`,

  audit_log: (tx) => tx`
    delete from sso.audit_log where audit_id = any(array(
      select a.audit_id from sso.audit_log a
       where a.environment = any('{sandbox,production}')
         and a.occurred_at <= statement_timestamp() - make_interval(days => ${KEPT.audit_days})
         and not exists (select from sso.sites i where i.site_id = a.site_id and i.retention_days is not null)
       limit ${BATCH} for update of a skip locked))`,

  audit_log_of_sites: (tx) => tx`
    delete from sso.audit_log where audit_id = any(array(
      select old.audit_id from sso.sites i cross join lateral (
        select audit_id from sso.audit_log
         where site_id = i.site_id and occurred_at <= statement_timestamp() - make_interval(days => i.retention_days)
         order by occurred_at, audit_id limit ${BATCH} for update skip locked) as old
       where i.retention_days is not null limit ${BATCH}))`,

  // Sessions, tokens, factors, memberships and messages go with their person. The ADMINs of a site stay with it.
  sandbox_users: (tx) => tx`
    delete from sso.users where environment = 'sandbox' and user_id = any(array(
      select u.user_id from sso.users u
       where u.environment = 'sandbox'
         and u.created_at <= statement_timestamp() - make_interval(days => ${KEPT.sandbox_days})
         and not exists (
           select from sso.memberships m join sso.roles r using (site_id, role) join sso.sites i using (site_id)
            where m.user_id = u.user_id and r.is_admin and i.deleted_at is null)
       order by u.created_at, u.user_id limit ${BATCH} for update of u skip locked))
    returning user_id`,
} satisfies Record<string, Sweep>

export const FIRST_ID = '00000000-0000-0000-0000-000000000000'

/**
 * The same for sessions: in the sandbox by age alone, elsewhere by how long ago they ended. An index on their end would
 * have to be written by every refresh, so each batch is looked for among the BATCH sessions that follow `after`; `next`
 * is undefined behind the last one.
 */
export async function sweepSessions(
  tx: Tx,
  after: string,
): Promise<{ user_ids: string[]; next: string | undefined }> {
  const rows = await tx<{ session_id: string; user_id: string | null }[]>`
    with batch as (
      select session_id from sso.sessions where session_id > ${after} order by session_id limit ${BATCH}),
    old as (
      select s.session_id
        from batch join sso.sessions s using (session_id) join sso.sites i using (site_id)
       where case when i.environment = 'sandbox'
             then s.created_at <= statement_timestamp() - make_interval(days => ${KEPT.sandbox_days})
             else least(s.revoked_at, s.expires_at) <= statement_timestamp()
                    - make_interval(days => coalesce(i.retention_days, ${KEPT.session_days})) end
       order by s.session_id for update of s skip locked),
    gone as (
      delete from sso.sessions using old where sessions.session_id = old.session_id
      returning sessions.session_id, sessions.user_id)
    select batch.session_id, gone.user_id from batch left join gone using (session_id) order by batch.session_id`
  return {
    user_ids: rows.flatMap(({ user_id }) => user_id ?? []),
    next: rows.length < BATCH ? undefined : rows.at(-1)?.session_id,
  }
}
