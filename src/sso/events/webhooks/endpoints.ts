import { type Static, Type } from 'typebox'
import { type Database, type Lane, one, type Tx, violates } from '#foundation/database/database.ts'
import { conflict, notFound, unprocessable } from '#foundation/errors.ts'
import { newId } from '#foundation/ids.ts'
import { openOutbound } from '#foundation/outbound/outbound.ts'
import { offsetOf, page, PageQuery } from '#foundation/http/paging.ts'
import { Nullable, OneOf, Time, Uuid } from '#foundation/http/schemas.ts'
import type { ServiceParts } from '#foundation/http/service.ts'
import type { Caller } from '#foundation/security/session-gate.ts'
import { REFUSALS } from '#foundation/outbound/vetting.ts'
import { recordAct } from '../../core/audit/audit.ts'
import type { Origin, SsoParts } from '../../core/parts.ts'
import { lockManaged, type ManagedSite, requireManaged } from './access.ts'
import { SUBSCRIPTIONS } from '../facts/events.ts'
import { queueRelease } from './held.ts'
import { askToConfirm } from './ping.ts'
import { outboundPolicies } from './policy.ts'
import { openSecret } from './secrets.ts'

const Fields = {
  events: Type.Array(OneOf(SUBSCRIPTIONS), { minItems: 1, maxItems: 50 }),
  description: Nullable(Type.String({ maxLength: 500 })),
  all_sites: Type.Boolean(),
  auto_disable: Type.Boolean(),
}
const Url = Type.String({ minLength: 1, maxLength: 2_048 })
const Status = OneOf(['active', 'disabled'])
/** Pending: no ping to this URL has been answered with 2xx yet, so nothing else is sent there. */
const ShownStatus = OneOf(['pending', 'active', 'disabled'])

export type WebhookBody = Static<typeof WebhookBody>
export const WebhookBody = Type.Object({
  webhook_url: Url,
  events: Type.Optional(Fields.events),
  description: Type.Optional(Fields.description),
  all_sites: Type.Boolean({ default: false }),
  auto_disable: Type.Boolean({ default: false }),
  site_code: Type.Optional(Type.String()),
})

export type WebhookChange = Static<typeof WebhookChange>
/** Absent fields stay unchanged. */
export const WebhookChange = Type.Object({
  webhook_url: Type.Optional(Url),
  status: Type.Optional(Status),
  ...Type.Partial(Type.Object(Fields)).properties,
})

/** An endpoint, without its secret. */
export type Webhook = Static<typeof Webhook>
export const Webhook = Type.Object({
  webhook_id: Uuid,
  site_code: Type.String(),
  webhook_url: Type.String(),
  ...Fields,
  status: ShownStatus,
  confirmed_at: Nullable(Time),
  last_error: Nullable(Type.String()),
  consecutive_failures: Type.Integer(),
  failing_since: Nullable(Time),
  created_at: Time,
  updated_at: Time,
})
/** The secret belongs to the site; its ADMIN sees it only here and in POST /sites. */
export const NewWebhook = Type.Object({ ...Webhook.properties, webhook_secret: Type.String() })

export const WebhookQuery = Type.Object({
  ...PageQuery.properties,
  site_code: Type.Optional(Type.String()),
})

const MAX_ENDPOINTS = 10

export type VetUrl = (url: string, environment: 'sandbox' | 'production', field?: string) => Promise<void>

/** 422 for a URL we must not call: SSRF rules, and only https in production. Each send checks again. */
export function createVetUrl(parts: Pick<ServiceParts, 'config' | 'ownPorts'>): VetUrl {
  const policyFor = outboundPolicies(parts)
  const outbound = openOutbound()
  return async (url, environment, field = 'webhook_url') => {
    const vetted = await outbound.vet(url, policyFor(environment))
    if (!('refused' in vetted)) return
    const isHttps =
      environment === 'production' && (vetted.refused === 'scheme' || vetted.refused === 'address')
    const code = isHttps ? 'https_required' : vetted.refused === 'address' ? 'address_refused' : 'invalid_url'
    throw unprocessable(field, code, REFUSALS[vetted.refused])
  }
}

export const webhookColumns = (sql: Lane) => sql`
  w.webhook_id, w.url as webhook_url, w.events, w.description, w.all_sites, w.auto_disable,
  case when w.status = 'active' and w.confirmed_at is null then 'pending' else w.status end as status,
  w.confirmed_at, w.last_error, w.consecutive_failures, w.failing_since, w.created_at, w.updated_at`

/**
 * Registers an endpoint for the ADMIN of a site. 403, 404; 409 webhook_exists for a URL already registered,
 * webhook_limit for the eleventh endpoint; 422 for a refused URL.
 */
export async function createWebhook(
  { database, keys }: SsoParts,
  vetUrl: VetUrl,
  caller: Caller,
  { site_code = caller.site_code, ...body }: WebhookBody,
  from: Origin,
) {
  const { environment } = await requireManaged(database.fast, caller, { site_code })
  await vetUrl(body.webhook_url, environment)
  return database.transaction(async (tx) => {
    const site = await lockManaged(tx, caller, { site_code })
    const webhook = await insertWebhook(tx, site, body)
    await audit(tx, 'webhook.created', caller, site, webhook.webhook_id, from)
    const { site_id, webhook_secret_enc } = site
    return {
      ...webhook,
      site_code: site.site_code,
      webhook_secret: openSecret(keys, site_id, webhook_secret_enc),
    }
  })
}

type NewEndpoint = Pick<WebhookBody, 'webhook_url' | 'events' | 'description'> & {
  all_sites?: boolean
  auto_disable?: boolean
}

/**
 * The transaction must hold the lock of the site, or have just created it. The URL must be vetted; this queues a ping
 * to it.
 */
export async function insertWebhook(
  tx: Tx,
  { site_id, domain }: { site_id: string; domain: string },
  { webhook_url, events = ['*'], description = null, all_sites = false, auto_disable = false }: NewEndpoint,
): Promise<Omit<Webhook, 'site_code'>> {
  const { total } = one(
    await tx<{ total: number }[]>`
      select count(*) as total from sso.webhook_endpoints where site_id = ${site_id} and deleted_at is null`,
  )
  if (total >= MAX_ENDPOINTS)
    throw conflict('webhook_limit', `A site has at most ${MAX_ENDPOINTS} webhook endpoints`)
  const [webhook] = await tx<Omit<Webhook, 'site_code'>[]>`
    insert into sso.webhook_endpoints as w (webhook_id, site_id, url, events, description, all_sites, auto_disable)
    values (${newId()}, ${site_id}, ${webhook_url}, ${[...new Set(events)]}, ${description}, ${all_sites}, ${auto_disable})
    on conflict (site_id, url) where deleted_at is null do nothing
    returning ${webhookColumns(tx)}`
  if (!webhook) throw exists()
  await askToConfirm(tx, { site_id, domain }, webhook.webhook_id)
  return webhook
}

const exists = () => conflict('webhook_exists', 'This site has an endpoint with this address already')

/** The endpoints of a site, oldest first. 403, 404. */
export async function listWebhooks(db: Database, caller: Caller, query: Static<typeof WebhookQuery>) {
  const { site_code = caller.site_code } = query
  const { site_id } = await requireManaged(db.fast, caller, { site_code })
  const [items, count] = await Promise.all([
    db.fast<Webhook[]>`
      select ${webhookColumns(db.fast)}, ${site_code}::text as site_code
        from sso.webhook_endpoints w where w.site_id = ${site_id} and w.deleted_at is null
       order by w.created_at, w.webhook_id limit ${query.per_page} offset ${offsetOf(query)}`,
    db.fast<{ total: number }[]>`
      select count(*) as total from sso.webhook_endpoints where site_id = ${site_id} and deleted_at is null`,
  ])
  return page([...items], one(count).total, query)
}

/** 403, 404. */
export async function findWebhook({ fast }: Database, caller: Caller, webhook_id: string): Promise<Webhook> {
  const { site_id, site_code } = await requireManaged(fast, caller, { webhook_id })
  const [webhook] = await fast<Omit<Webhook, 'site_code'>[]>`
    select ${webhookColumns(fast)} from sso.webhook_endpoints w
     where w.webhook_id = ${webhook_id} and w.site_id = ${site_id} and w.deleted_at is null`
  if (!webhook) throw notFound()
  return { ...webhook, site_code }
}

/**
 * Changes an endpoint. A new URL must answer a ping, like the first one. A disabled endpoint's new events are held, and
 * sent oldest first once it is active again. 403, 404, 409 webhook_exists, 422.
 */
export async function changeWebhook(
  { database }: SsoParts,
  vetUrl: VetUrl,
  caller: Caller,
  webhook_id: string,
  change: WebhookChange,
  from: Origin,
): Promise<Webhook> {
  const { environment } = await requireManaged(database.fast, caller, { webhook_id })
  if (change.webhook_url !== undefined) await vetUrl(change.webhook_url, environment)
  try {
    return await database.transaction(async (tx) => {
      const site = await lockManaged(tx, caller, { webhook_id })
      const [before] = await tx<{ status: string; url: string; description: string | null }[]>`
        select status, url, description from sso.webhook_endpoints
         where webhook_id = ${webhook_id} and deleted_at is null for no key update`
      if (!before) throw notFound()
      const { webhook_url = null, events, all_sites = null, auto_disable = null, status = null } = change
      const { description = before.description } = change
      const rows = await tx<Omit<Webhook, 'site_code'>[]>`
        update sso.webhook_endpoints w
           set url = coalesce(${webhook_url}, url),
               confirmed_at = case when ${webhook_url} <> url then null else confirmed_at end,
               events = coalesce(${events ? [...new Set(events)] : null}::text[], events),
               description = ${description}, all_sites = coalesce(${all_sites}, all_sites),
               auto_disable = coalesce(${auto_disable}, auto_disable), status = coalesce(${status}, status),
               consecutive_failures = case when ${status} = 'active' then 0 else consecutive_failures end,
               failing_since = case when ${status} = 'active' then null else failing_since end,
               updated_at = clock_timestamp()
         where w.webhook_id = ${webhook_id}
        returning ${webhookColumns(tx)}`
      const changed = one(rows)
      const isReopened = changed.status !== 'disabled' && before.status === 'disabled'
      const isMoved = changed.webhook_url !== before.url
      if (changed.status === 'pending' && (isMoved || isReopened)) await askToConfirm(tx, site, webhook_id)
      if (changed.status === 'active' && isReopened) await queueRelease(tx, webhook_id)
      await audit(tx, 'webhook.changed', caller, site, webhook_id, from)
      return { ...changed, site_code: site.site_code }
    })
  } catch (error) {
    if (violates(error, 'webhook_endpoints_by_url')) throw exists()
    throw error
  }
}

/** Deletes an endpoint. Waiting deliveries fail and can be replayed to another endpoint; the log stays. 403, 404. */
export async function deleteWebhook(
  { database }: SsoParts,
  caller: Caller,
  webhook_id: string,
  from: Origin,
) {
  await database.transaction(async (tx) => {
    const site = await lockManaged(tx, caller, { webhook_id })
    const gone = await tx`
      update sso.webhook_endpoints set deleted_at = clock_timestamp()
       where webhook_id = ${webhook_id} and deleted_at is null`
    if (gone.count === 0) throw notFound()
    await tx`
      update sso.webhook_deliveries set state = 'failed', next_attempt_at = null, lease_token = null, lease_until = null
       where webhook_id = ${webhook_id} and state = any('{pending,held}')`
    await audit(tx, 'webhook.deleted', caller, site, webhook_id, from)
  })
}

type WebhookAct = 'webhook.created' | 'webhook.changed' | 'webhook.deleted'

const audit = (
  tx: Tx,
  action: WebhookAct,
  { user_id }: Caller,
  { site_id, environment }: ManagedSite,
  webhook_id: string,
  from: Origin,
) =>
  recordAct(
    tx,
    { action, environment, site_id, actor_user_id: user_id, subject_user_id: null, details: { webhook_id } },
    from,
  )
