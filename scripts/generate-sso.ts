import type { Tx } from '#foundation/database/database.ts'
import { type Filling, phrase } from './generate-words.ts'

/** Seals a secret for a site, as the program keeps it. */
export type Seal = (site_id: string) => Buffer

/** People, members of the site, other sites that some of them use, and what the lists of a site and a person show. */
export async function fillSso(tx: Tx, filling: Filling, seal: Seal): Promise<void> {
  await fillPeople(tx, filling)
  await fillSites(tx, filling, seal)
  await fillOwn(tx, filling)
  await fillSite(tx, filling)
}

async function fillPeople(tx: Tx, { rows, seed, site_id }: Filling) {
  await tx`
    insert into sso.users (user_id, environment, email, email_fold, username, username_fold, display_name, given_name,
                           family_name, status, registration_site_id, registration_source, last_login_at, created_at, updated_at)
    select pg_temp.id('person', n), i.environment, address, address, 'u' || ${seed}::int || '-' || n, 'u' || ${seed}::int || '-' || n,
           initcap(given || ' ' || family), initcap(given), initcap(family),
           case when pg_temp.pick(n, 3, 50) = 0 then 'suspended' else 'active' end, i.site_id, 'bulk_import',
           case when pg_temp.pick(n, 4, 3) > 0 then timestamptz '2026-01-01Z' - pg_temp.skewed(n, 5, 9000000) * interval '1 s' end,
           at, at
      from sso.sites i, generate_series(1, ${rows}::int) as n, lateral (select timestamptz '2025-12-31Z' - n * interval '31 s' as at) as made,
           lateral (select pg_temp.word(pg_temp.skewed(n, 1, 2000)) as given, pg_temp.word(pg_temp.skewed(n, 2, 20000)) as family) as name,
           lateral (select given || '.' || family || '.' || ${seed}::int || '-' || n || '@example.org' as address) as mail
     where i.site_id = ${site_id}`
  await tx`
    insert into sso.memberships (user_id, site_id, role, external_id)
    select pg_temp.id('person', n), ${site_id}, case when pg_temp.pick(n, 6, 100) = 0 then 'ADMIN' else 'USER' end,
           ${seed}::int || '-' || n
      from generate_series(1, ${rows}::int) as n`
}

/** A site for each thousand people; one person in ten uses one of them. */
async function fillSites(tx: Tx, { rows, seed, user_id }: Filling, seal: Seal) {
  const sites = Math.ceil(rows / 1000)
  const ids = await tx<{ site_id: string }[]>`
    select pg_temp.id('site', n) as site_id from generate_series(1, ${sites}::int) as n order by n`
  const secrets = ids.map(({ site_id }) => seal(site_id).toString('hex'))
  await tx`
    insert into sso.tenants (tenant_id, name, environment)
    select pg_temp.id('tenant', n), initcap(${phrase(tx, tx`n`, 7, 2)}), 'production' from generate_series(1, ${sites}::int) as n`
  await tx`
    insert into sso.sites (site_id, tenant_id, site_code, name, domain, environment, webhook_secret_enc, created_at)
    select pg_temp.id('site', n), pg_temp.id('tenant', n), 'g' || ${seed}::int || '-' || n, initcap(${phrase(tx, tx`n`, 8, 2)}),
           'g' || n || '.example.org', 'production', decode(secret, 'hex'), timestamptz '2024-01-01Z' + n * interval '1 h'
      from unnest(${secrets}::text[]) with ordinality as s (secret, n)`
  await tx`
    insert into sso.roles (site_id, role, name, description, permissions, is_admin, is_default)
    select pg_temp.id('site', n), role, initcap(role), '', '{}', role = 'ADMIN', role = 'USER'
      from generate_series(1, ${sites}::int) as n, unnest(array['ADMIN', 'USER']) as role`
  await tx`
    insert into sso.memberships (user_id, site_id, role)
    select pg_temp.id('person', n), pg_temp.id('site', 1 + pg_temp.skewed(n, 9, ${sites}::int)), 'USER'
      from generate_series(10, ${rows}::int, 10) as n
    union all select ${user_id}::uuid, pg_temp.id('site', n), 'USER' from generate_series(1, least(${sites}::int, 20)) as n`
  await tx`
    insert into sso.consents (user_id, site_id, scopes, given_by, granted_at)
    select ${user_id}, pg_temp.id('site', n), '{openid,email}', 'page', timestamptz '2025-01-01Z' + n * interval '1 min'
      from generate_series(1, least(${sites}::int, 20)) as n`
}

/** Sessions: one of everybody, and many of the one person, most of them over. */
async function fillOwn(tx: Tx, { rows, site_id, user_id }: Filling) {
  await tx`
    insert into sso.sessions (session_id, login_id, user_id, site_id, auth_methods, device_name, created_at, expires_at,
                              revoked_at, revoke_reason)
    select pg_temp.id(kind, n), pg_temp.id('login', n), person, ${site_id}, '{pwd}', initcap(pg_temp.word(n % 50)),
           timestamptz '2025-12-31Z' - n * interval '1 min', timestamptz '2099-01-01Z', ended, case when ended is not null then 'logout' end
      from (select 'session' as kind, n, pg_temp.id('person', n) as person from generate_series(1, ${rows}::int) as n
            union all select 'own session', n, ${user_id}::uuid from generate_series(1, least(${rows}::int / 10, 100)) as n) as every,
           lateral (select case when pg_temp.pick(n, 10, 10) > 0 then timestamptz '2026-01-01Z' end as ended) as ends`
}

async function fillSite(tx: Tx, { rows, events = rows, site_id, user_id }: Filling) {
  await tx`
    insert into sso.audit_log (audit_id, occurred_at, action, environment, site_id, actor_user_id, subject_user_id, ip_address)
    select pg_temp.id('audit', n), timestamptz '2026-01-01Z' - n * interval '17 s',
           (array['login.succeeded', 'login.failed', 'user.registered', 'user.changed', 'role.assigned'])[1 + pg_temp.skewed(n, 11, 5)],
           i.environment, i.site_id, pg_temp.id('person', 1 + pg_temp.pick(n, 12, ${rows}::int)),
           pg_temp.id('person', 1 + pg_temp.pick(n, 13, ${rows}::int)), '192.0.2.' || n % 250
      from sso.sites i, generate_series(1, ${rows}::int) as n where i.site_id = ${site_id}`
  await tx`
    insert into sso.orders (order_id, site_id, kind, plan, status, amount, created_at, ended_at)
    select pg_temp.id('order', n), ${site_id}, 'plan', 'business', case when ended is null then 'pending' else 'canceled' end, 9900,
           timestamptz '2025-12-01Z' - n * interval '1 min', ended
      from generate_series(1, ${rows}::int / 10) as n,
           lateral (select case when pg_temp.pick(n, 14, 10) > 0 then timestamptz '2026-01-01Z' end as ended) as ends`
  await tx`
    insert into sso.erasures (user_id, environment, reason_code, ccpa_drop_request, gdpr_erasure_request, erased_at)
    select pg_temp.id('erased', n), 'production', 'user_request', false, true, timestamptz '2025-01-01Z' + n * interval '1 min'
      from generate_series(1, ${rows}::int / 10) as n`
  await tx`
    insert into sso.erasure_sites (site_id, erased_at, user_id)
    select ${site_id}, timestamptz '2025-01-01Z' + n * interval '1 min', pg_temp.id('erased', n)
      from generate_series(1, ${rows}::int / 10) as n`
  await tx`
    insert into sso.bulk_jobs (job_id, site_id, created_by, status, on_conflict, dry_run, emit_events, delimiter, columns,
                               total_rows, processed_rows, success_count, created_at, finished_at)
    select pg_temp.id('import', n), ${site_id}, ${user_id}, 'completed', 'skip', false, false, ',', '{email}', 10, 10, 10,
           timestamptz '2025-12-01Z' - n * interval '1 h', timestamptz '2025-12-01Z' - n * interval '1 h'
      from generate_series(1, ${rows}::int / 100) as n`
  await fillDeliveries(tx, { rows, events, site_id })
}

type Events = { rows: number; events: number; site_id: string }

async function fillDeliveries(tx: Tx, { rows, events, site_id }: Events) {
  const types = tx`(array['user.login', 'user.created', 'user.updated'])[1 + pg_temp.skewed(n, 15, 3)]`
  await tx`
    insert into sso.webhook_endpoints (webhook_id, site_id, url, events, status)
    select pg_temp.id('webhook', 1), ${site_id}, 'https://generated.example.org/' || pg_temp.id('webhook', 1), '{*}', 'disabled'`
  await tx`
    insert into sso.webhook_events (event_id, site_id, subject_user_id, event_type, body, erased_at, created_at)
    select pg_temp.id('event', n), ${site_id}, pg_temp.id('person', 1 + pg_temp.pick(n, 16, ${rows}::int)), ${types}, '{}', null,
           timestamptz '2025-12-31Z' - n * interval '7 s'
      from generate_series(1, ${events}::int) as n`
  await tx`
    insert into sso.webhook_deliveries (delivery_id, event_id, webhook_id, site_id, event_type, state, attempts, max_attempts,
                                        created_at, delivered_at)
    select pg_temp.id('delivery', n), pg_temp.id('event', n), pg_temp.id('webhook', 1), ${site_id}, ${types},
           case when at is null then 'failed' else 'delivered' end, 1, 8, timestamptz '2025-12-31Z' - n * interval '7 s', at
      from generate_series(1, ${events}::int) as n,
           lateral (select case when pg_temp.pick(n, 17, 50) > 0 then timestamptz '2026-01-01Z' end as at) as done`
}
