import type postgres from 'postgres'
import { type Database, type Lane, one, type Tx } from '#foundation/database/database.ts'

/** Retention periods (docs/operating.md). */
export const KEPT = {
  answer_seconds: 60,
  bump_minutes: 31,
  refresh_token_days: 7,
  session_days: 90, // or the retention_days of its site
  audit_days: 365, // or the retention_days of its site
  message_days: 30,
  sandbox_days: 30,
  one_time_token_days: 1,
  enrolment_days: 1,
  payment_event_days: 90,
  sms_count_days: 1,
  bulk_days: 30, // after the end of the import
  billed_address_days: 30, // after the month was closed
} as const

/** Rows per batch: keeps locks short, and an interrupted sweep keeps the batches it finished. */
export const BATCH = 1_000

type Sweep = {
  /** Selects the keys of all expired rows, for a dry run and as the source of a batch. */
  old: (sql: Lane) => postgres.Fragment
  /**
   * Takes one batch of at most BATCH rows; returns the deleted people. Safe to run concurrently: locked rows are left
   * for the next round.
   */
  take: (tx: Tx) => postgres.PendingQuery<{ user_id?: string }[]>
}

/**
 * A sweep that deletes or blanks the rows whose keys `old` selects, in index order. 'any order' is for indexes that
 * begin with a set of values: ordering would sort all expired rows for each batch.
 */
const sweepOf = (
  old: Sweep['old'],
  order: ((sql: Tx) => postgres.Fragment) | 'any order',
  take: (tx: Tx, batch: postgres.Fragment) => ReturnType<Sweep['take']>,
): Sweep => ({
  old,
  take: (tx) => {
    const ordered = order === 'any order' ? tx`` : tx`order by ${order(tx)}`
    return take(tx, tx`${old(tx)} ${ordered} limit ${BATCH} for update skip locked`)
  },
})

/** Deletes the rows of a table whose time is so many days ago. Its index is on the time and the key. */
const aged = (table: string, key: string, time: string, days = 0): Sweep =>
  sweepOf(
    (sql) => sql`
      select ${sql(key)} from ${sql(table)}
       where ${sql(time)} <= statement_timestamp() - make_interval(days => ${days})`,
    (sql) => sql`${sql(time)}, ${sql(key)}`,
    (tx, batch) => tx`delete from ${tx(table)} where ${tx(key)} = any(array(${batch}))`,
  )

export const SWEEPS = {
  answers: sweepOf(
    (sql) => sql`
      select token_hash from sso.refresh_tokens
       where response_enc is not null
         and consumed_at <= statement_timestamp() - make_interval(secs => ${KEPT.answer_seconds})`,
    (sql) => sql`token_hash`,
    (tx, batch) => tx`
      update sso.refresh_tokens set response_enc = null where token_hash = any(array(${batch}))`,
  ),

  session_bumps: sweepOf(
    (sql) => sql`
      select xid, user_id from sso.session_bumps
       where revoked_at <= statement_timestamp() - make_interval(mins => ${KEPT.bump_minutes})`,
    (sql) => sql`revoked_at, xid, user_id`,
    (tx, batch) => tx`delete from sso.session_bumps where (xid, user_id) in (${batch})`,
  ),

  mfa_challenges: aged('sso.mfa_challenges', 'token_hash', 'expires_at'),
  spent_challenges: aged('sso.spent_challenges', 'challenge_hash', 'expires_at'),

  unfinished_factors: sweepOf(
    (sql) => sql`
      select factor_id from sso.mfa_factors
       where activated_at is null
         and created_at <= statement_timestamp() - make_interval(days => ${KEPT.enrolment_days})`,
    (sql) => sql`created_at, factor_id`,
    (tx, batch) => tx`
      delete from sso.mfa_factors where activated_at is null and factor_id = any(array(${batch}))`,
  ),

  one_time_tokens: aged('sso.one_time_tokens', 'token_hash', 'expires_at', KEPT.one_time_token_days),

  email_changes: sweepOf(
    (sql) => sql`
      select change_id from sso.email_changes
       where coalesce(undo_until, expires_at) <= statement_timestamp() - make_interval(days => ${KEPT.one_time_token_days})`,
    (sql) => sql`coalesce(undo_until, expires_at), change_id`,
    (tx, batch) => tx`delete from sso.email_changes where change_id = any(array(${batch}))`,
  ),

  sms_counts: sweepOf(
    (sql) => sql`
      select counted_hmac from sso.sms_sent
       where sent_at[1] <= statement_timestamp() - make_interval(days => ${KEPT.sms_count_days})`,
    (sql) => sql`sent_at[1], counted_hmac`,
    (tx, batch) => tx`delete from sso.sms_sent where counted_hmac = any(array(${batch}))`,
  ),

  // Private keys that must no longer decrypt anything.
  connection_keys: aged('sso.connection_keys', 'key_id', 'ends_at'),
  connection_claims: aged('sso.connection_claims', 'connection_id', 'expires_at'),

  refresh_tokens: aged('sso.refresh_tokens', 'token_hash', 'expires_at', KEPT.refresh_token_days),

  messages: sweepOf(
    (sql) => sql`
      select message_id from sso.messages
       where environment = any('{sandbox,production}') and status <> 'queued'
         and created_at <= statement_timestamp() - make_interval(days => ${KEPT.message_days})`,
    'any order',
    (tx, batch) =>
      tx`delete from sso.messages where status <> 'queued' and message_id = any(array(${batch}))`,
  ),

  audit_log: sweepOf(
    (sql) => sql`
      select a.audit_id from sso.audit_log a
       where a.environment = any('{sandbox,production}')
         and a.occurred_at <= statement_timestamp() - make_interval(days => ${KEPT.audit_days})
         and not exists (select from sso.sites i where i.site_id = a.site_id and i.retention_days is not null)`,
    'any order',
    // The time leaves out the months that hold nothing so old.
    (tx, batch) => tx`
      delete from sso.audit_log
       where audit_id = any(array(${batch}))
         and occurred_at <= statement_timestamp() - make_interval(days => ${KEPT.audit_days})`,
  ),

  audit_log_of_sites: {
    old: (sql) => sql`
      select a.audit_id from sso.sites i join sso.audit_log a using (site_id)
       where i.retention_days is not null
         and a.occurred_at <= statement_timestamp() - make_interval(days => i.retention_days)`,
    // One site at a time; otherwise no index could be used.
    take: (tx) => tx`
      delete from sso.audit_log where audit_id = any(array(
        select old.audit_id from sso.sites i cross join lateral (
          select audit_id from sso.audit_log
           where site_id = i.site_id and occurred_at <= statement_timestamp() - make_interval(days => i.retention_days)
           order by occurred_at, audit_id limit ${BATCH} for update skip locked) as old
         where i.retention_days is not null limit ${BATCH}))`,
  },

  // Sessions, tokens, factors, memberships and messages are deleted with their person. ADMINs of a site are kept.
  sandbox_users: sweepOf(
    (sql) => sql`
      select u.user_id from sso.users u
       where u.environment = 'sandbox'
         and u.created_at <= statement_timestamp() - make_interval(days => ${KEPT.sandbox_days})
         and ${isNoAdmin(sql)}`,
    (sql) => sql`u.created_at, u.user_id`,
    (tx, batch) => tx`
      delete from sso.users where environment = 'sandbox' and user_id = any(array(${batch})) returning user_id`,
  ),

  // A billed address is needed only within its month (core/ledger.ts).
  billed_addresses: sweepOf(
    (sql) => sql`
      select user_id from sso.billing_ledger
       where email_hmac is not null
         and month < date_trunc('month', statement_timestamp()
                       - make_interval(days => ${KEPT.billed_address_days}, hours => 1), 'UTC')`,
    (sql) => sql`month, user_id`,
    (tx, batch) => tx`update sso.billing_ledger set email_hmac = null where user_id = any(array(${batch}))`,
  ),

  payment_events: aged('sso.payment_events', 'event_id', 'received_at', KEPT.payment_event_days),

  // Runs before bulk_jobs, so that deleting an import never cascades to a hundred thousand rows.
  bulk_errors: {
    old: (sql) => sql`
      select e.job_id, e.row, e.place from sso.bulk_jobs j join sso.bulk_errors e using (job_id)
       where ${isOldImport(sql)}`,
    // One import at a time; otherwise each batch would read all errors.
    take: (tx) => tx`
      delete from sso.bulk_errors where (job_id, row, place) in (
        select old.job_id, old.row, old.place from sso.bulk_jobs j cross join lateral (
          select job_id, row, place from sso.bulk_errors
           where job_id = j.job_id order by row, place limit ${BATCH} for update skip locked) as old
         where ${isOldImport(tx)} limit ${BATCH})`,
  },

  bulk_jobs: {
    old: (sql) => sql`select j.job_id from sso.bulk_jobs j where ${isOldImport(sql)}`,
    take: (tx) => tx`
      delete from sso.bulk_jobs where job_id = any(array(
        select j.job_id from sso.bulk_jobs j
         where ${isOldImport(tx)} and not exists (select from sso.bulk_errors e where e.job_id = j.job_id)
         order by j.finished_at, j.job_id limit ${BATCH} for update of j skip locked))`,
  },

  bulk_erased: sweepOf(
    (sql) => sql`
      select e.job_id, e.email_digest from sso.bulk_erased e join sso.bulk_jobs j using (job_id)
       where j.finished_at is not null`,
    'any order',
    (tx, batch) => tx`delete from sso.bulk_erased where (job_id, email_digest) in (${batch})`,
  ),
} satisfies Record<string, Sweep>

/** Makes the months of the audit log that are ahead and drops those that are too old. Returns the number of rows. */
export async function turnAuditMonths({ pool }: Database): Promise<number> {
  const rows = await pool<{ gone: number }[]>`
    select sso.turn_audit_months(statement_timestamp(), ${KEPT.audit_days}) as gone`
  return one(rows).gone
}

/** Condition on an import `j`. */
function isOldImport(sql: Lane) {
  return sql`j.finished_at <= statement_timestamp() - make_interval(days => ${KEPT.bulk_days})`
}

/** Condition on a person `u`. */
export function isNoAdmin(sql: Lane) {
  return sql`not exists (
    select from sso.memberships m join sso.roles r using (site_id, role) join sso.sites i using (site_id)
     where m.user_id = u.user_id and r.is_admin and i.deleted_at is null)`
}

export const FIRST_ID = '00000000-0000-0000-0000-000000000000'

/** Condition on a session `s` of site `i`. */
export const isOldSession = (sql: Lane) => sql`
  case when i.environment = 'sandbox'
       then s.created_at <= statement_timestamp() - make_interval(days => ${KEPT.sandbox_days})
       else least(s.revoked_at, s.expires_at) <= statement_timestamp()
              - make_interval(days => coalesce(i.retention_days, ${KEPT.session_days})) end`

/**
 * Sweeps sessions: in the sandbox by age, elsewhere by the time since they ended. An index on that end would be written
 * by every refresh, so each batch searches the BATCH sessions after `after`. `next` is undefined after the last one.
 */
export async function sweepSessions(
  tx: Tx,
  after: string,
): Promise<{ count: number; next: string | undefined }> {
  const rows = await tx<{ session_id: string; is_gone: boolean }[]>`
    with batch as (
      select session_id from sso.sessions where session_id > ${after} order by session_id limit ${BATCH}),
    old as (
      select s.session_id
        from batch join sso.sessions s using (session_id) join sso.sites i using (site_id)
       where ${isOldSession(tx)}
       order by s.session_id for update of s skip locked),
    gone as (
      delete from sso.sessions using old where sessions.session_id = old.session_id
      returning sessions.session_id)
    select session_id, gone.session_id is not null as is_gone
      from batch left join gone using (session_id) order by session_id`
  return {
    count: rows.filter(({ is_gone }) => is_gone).length,
    next: rows.length < BATCH ? undefined : rows.at(-1)?.session_id,
  }
}
