import type { Announcements, TenantEvent } from '#foundation/security/session-gate.ts'
import type { SsoParts } from '../../core/parts.ts'
import { EVENT_TYPES, type EventType, ON_REQUEST, subscriptionsTo } from './events.ts'
import { type Fact, recordFacts } from './facts.ts'

type Endpoint = { site_id: string; environment: Fact['environment']; events: string[] }

/** What the sibling services tell: it goes to the sites of the tenant whose endpoints name it. */
export const openAnnouncements = ({ database }: Pick<SsoParts, 'database'>): Announcements => ({
  async tenantsAsking() {
    return database.pool<{ tenant_id: string; since: string }[]>`
      select i.tenant_id, foundation.iso(min(e.updated_at)) as since
        from sso.webhook_endpoints e join sso.sites i using (site_id)
       where e.deleted_at is null and i.deleted_at is null and e.events && ${ON_REQUEST}
       group by i.tenant_id order by i.tenant_id`
  },

  announce: (tenant_id, events) =>
    database.transaction(async (tx) => {
      const endpoints = await tx<Endpoint[]>`
        select e.site_id, i.environment, e.events from sso.webhook_endpoints e join sso.sites i using (site_id)
         where i.tenant_id = ${tenant_id} and e.deleted_at is null and i.deleted_at is null`
      await recordFacts(
        tx,
        events.flatMap((event) => factsOf(event, endpoints)),
      )
    }),
})

/** One for each environment; a tenant has sites of one, so there is one. */
function factsOf({ event_type, ...event }: TenantEvent, endpoints: readonly Endpoint[]): Fact[] {
  if (!isEventType(event_type)) throw new Error(`there is no event ${event_type}`)
  const subscriptions = subscriptionsTo(event_type)
  const asking = endpoints.filter(({ events }) => events.some((one) => subscriptions.includes(one)))
  return [...Map.groupBy(asking, ({ environment }) => environment)].map(([environment, those]) => ({
    ...event,
    event_type,
    environment,
    site_ids: [...new Set(those.map(({ site_id }) => site_id))],
  }))
}

const isEventType = (name: string): name is EventType => EVENT_TYPES.some((type) => type === name)
