import type { Database, Tx } from '#foundation/database/database.ts'
import type { Handler } from '#foundation/jobs/attempt.ts'
import { envelopeOf, eventIdOf } from './envelope.ts'
import { type EventType, kindOf, subscriptionsTo } from '../facts/events.ts'
import type { Fact } from '../facts/facts.ts'
import { findShut } from './held.ts'
import { insertDeliveries } from './insert-deliveries.ts'
import type { Logout, SignLogout } from './logout-token.ts'

/** Logout tokens, by fact_id. */
type Tokens = ReadonlyMap<string, string>

/**
 * Turns facts into one event per site, with the exact bytes to send, and one delivery per endpoint. Everything commits
 * in one transaction with the end of the job. Failures are retried until they succeed.
 */
export const fanOutHandler =
  (signLogout: SignLogout): Handler =>
  async ({ job, db }) => {
    const fact_ids = job.payload['fact_ids'] as string[]
    const logouts = await findLogouts(db, fact_ids)
    const tokens = logouts.map(async ({ fact_id, ...logout }) => [fact_id, await signLogout(logout)] as const)
    const signed = new Map(await Promise.all(tokens))
    return { record: (tx) => fanOut(tx, fact_ids, signed) }
  }

async function findLogouts(
  { pool }: Database,
  fact_ids: string[],
): Promise<readonly (Logout & { fact_id: string })[]> {
  return pool<(Logout & { fact_id: string })[]>`
    select f.fact_id, f.environment, i.site_code, f.data->>'sso_subject_id' as sso_subject_id,
           array(select json_array_elements_text(f.data->'session_ids')) as session_ids
      from sso.webhook_facts f join sso.sites i on i.site_id = f.site_ids[1]
     where f.fact_id = any(${fact_ids}::uuid[]) and f.event_type = 'back_channel_logout' and f.data is not null`
}

type FactRow = Pick<Fact, 'event_type' | 'data' | 'environment' | 'subject_user_id'> & {
  fact_id: string
  data_public: Fact['data'] | null
  site_ids: string[] | null
  origin_site_id: string | null
  occurred_at: string
  is_erased: boolean
}
type Recipient = {
  fact_id: string
  site_id: string
  domain: string
  webhook_ids: string[]
}

async function fanOut(tx: Tx, fact_ids: string[], tokens: Tokens) {
  const facts = await tx<FactRow[]>`
    select fact_id, event_type, environment, subject_user_id, site_ids, origin_site_id, data, data_public, occurred_at,
           erased_at is not null as is_erased
      from sso.webhook_facts
     where fact_id = any(${fact_ids}::uuid[]) and data is not null
     order by fact_id for update`
  if (facts.length === 0) return
  const byId = new Map(facts.map((fact) => [fact.fact_id, fact]))
  const recipients = await findRecipients(tx, facts)
  const events = recipients.map((recipient) => {
    const fact = byId.get(recipient.fact_id)
    if (!fact) throw new Error('a recipient of no fact')
    return eventFor(recipient, fact, tokens.get(recipient.fact_id))
  })
  await insertEvents(tx, events)
  await tx`
    update sso.webhook_facts set data = null, data_public = null where fact_id = any(${[...byId.keys()]}::uuid[])`
}

/**
 * The sites concerned that have matching endpoints, as of the time of the change. Network-wide facts go to approved
 * production sites and the site of origin. Anybody can create a sandbox site, so those receive only their own tenant's
 * facts.
 */
function findRecipients(tx: Tx, facts: readonly FactRow[]): Promise<Recipient[]> {
  const types = [...new Set(facts.map(({ event_type }) => event_type))].map((event_type) => ({
    event_type,
    subscriptions: subscriptionsTo(event_type),
    is_for_tenant: kindOf(event_type).isForTenant ?? false,
  }))
  return tx<Recipient[]>`
    with types as (
      select * from jsonb_to_recordset(${tx.json(types)}) as t (
        event_type text, subscriptions text[], is_for_tenant boolean)),
    facts as (
      select fact_id, environment, site_ids, origin_site_id, occurred_at, t.subscriptions, t.is_for_tenant
        from sso.webhook_facts join types t using (event_type)
       where fact_id = any(${facts.map(({ fact_id }) => fact_id)}::uuid[])),
    concerned as (
      select f.fact_id, i.site_id, i.domain, false as is_by_tenant
        from facts f join sso.sites i on i.site_id = any(f.site_ids) and i.environment = f.environment
       where f.site_ids is not null and i.deleted_at is null
      union all
      select f.fact_id, i.site_id, i.domain, false
        from facts f join sso.sites i on i.environment = f.environment
       where f.site_ids is null and i.deleted_at is null
         and (i.site_id = f.origin_site_id
              or i.environment = 'production' and i.status = 'active'
              or i.environment = 'sandbox'
                 and i.tenant_id = (select tenant_id from sso.sites where site_id = f.origin_site_id))
         and exists (select from sso.webhook_endpoints e where e.site_id = i.site_id and e.deleted_at is null)
      union all
      select distinct f.fact_id, i.site_id, i.domain, true
        from facts f
        join sso.sites o on o.site_id = any(f.site_ids)
        join sso.sites i on i.tenant_id = o.tenant_id and i.site_id <> all(f.site_ids)
       where f.is_for_tenant and i.deleted_at is null)
    select c.fact_id, c.site_id, c.domain,
           array_agg(e.webhook_id order by e.created_at, e.webhook_id) as webhook_ids
      from concerned c
      join facts f using (fact_id)
      join sso.webhook_endpoints e
        on e.site_id = c.site_id and e.deleted_at is null and e.created_at <= f.occurred_at
           and e.events && f.subscriptions and (e.all_sites or not c.is_by_tenant)
     group by c.fact_id, c.site_id, c.domain
     order by c.fact_id, c.site_id`
}

type NewEvent = {
  event: {
    event_id: string
    fact_id: string
    site_id: string
    subject_user_id: string | null
    event_type: EventType
    is_erased: boolean
    body: string
  }
  webhook_ids: string[]
}

function eventFor(
  { fact_id, site_id, domain, webhook_ids }: Recipient,
  fact: FactRow,
  token?: string,
): NewEvent {
  const { event_type, subject_user_id, is_erased, occurred_at, origin_site_id, data_public } = fact
  const told = data_public !== null && site_id !== origin_site_id ? data_public : fact.data
  const data = token === undefined ? told : { ...told, logout_token: token }
  const event_id = eventIdOf(fact_id, site_id)
  const body = envelopeOf({ event_id, event_type, timestamp: occurred_at, data, domain })
  return { event: { event_id, fact_id, site_id, subject_user_id, event_type, is_erased, body }, webhook_ids }
}

async function insertEvents(tx: Tx, events: readonly NewEvent[]) {
  if (events.length === 0) return
  // Second safeguard: the locked fact has been fanned out only once anyway.
  await tx`
    insert into sso.webhook_events (event_id, fact_id, site_id, subject_user_id, event_type, body, erased_at)
    select event_id, fact_id, site_id, subject_user_id, event_type, convert_to(body, 'UTF8'),
           case when is_erased then clock_timestamp() end
      from jsonb_to_recordset(${tx.json(events.map(({ event }) => event))}) as e (
           event_id uuid, fact_id uuid, site_id uuid, subject_user_id uuid, event_type text, is_erased boolean, body text)
    on conflict (fact_id, site_id) do nothing`
  const shut = await findShut(
    tx,
    events.flatMap(({ webhook_ids }) => webhook_ids),
  )
  const deliveries = events.flatMap(({ event: { event_id, site_id, event_type }, webhook_ids }) =>
    webhook_ids.map((webhook_id) => ({
      event_id,
      site_id,
      event_type,
      webhook_id,
      run: 1,
      state: shut.has(webhook_id) ? ('held' as const) : ('pending' as const),
    })),
  )
  await insertDeliveries(tx, deliveries)
}
