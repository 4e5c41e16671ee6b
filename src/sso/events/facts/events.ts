/** What partner sites are told (API document, part 6), how urgent it is and what they are asked to do. */
export const EVENTS = {
  'user.created': { class: 'lifecycle', action_required: 'none' },
  'user.updated': { class: 'lifecycle', action_required: 'refresh_profile' },
  'user.account.deleted': {
    class: 'back_channel',
    action_required: 'sever_sso_link_and_apply_retention_policy',
  },
  'session.created': { class: 'lifecycle', action_required: 'none', isForTenant: true },
  'session.revoked': { class: 'lifecycle', action_required: 'terminate_local_session', isForTenant: true },
  back_channel_logout: { class: 'back_channel', action_required: 'terminate_local_session' },
  'role.assigned': { class: 'lifecycle', action_required: 'reload_permissions', isForTenant: true },
  'payment.completed': { class: 'lifecycle', action_required: 'activate_plan', isForTenant: true },
} as const satisfies Record<string, EventKind>

export type EventClass = 'back_channel' | 'lifecycle'
type EventKind = {
  class: EventClass
  action_required: string
  /** Endpoints with `all_sites` hear of it from every site of their tenant. */
  isForTenant?: true
}

export type EventType = keyof typeof EVENTS
export const EVENT_TYPES = Object.keys(EVENTS) as EventType[]

export const kindOf = (event_type: EventType): EventKind => EVENTS[event_type]

/** What an endpoint may subscribe to: everything, a family, or one type. */
export const SUBSCRIPTIONS = [
  '*',
  ...new Set(EVENT_TYPES.filter((type) => type.includes('.')).map((type) => `${type.split('.')[0]}.*`)),
  ...EVENT_TYPES,
]

/** The subscriptions that want this event. */
export const subscriptionsTo = (event_type: EventType): string[] => [
  '*',
  event_type,
  ...(event_type.includes('.') ? [`${event_type.split('.')[0]}.*`] : []),
]

/** In foundation.jobs. */
export const JOB_KINDS = {
  fan_out: 'webhook.fan_out',
  delivery: 'webhook.delivery',
  release: 'webhook.release',
} as const
export const PRIORITIES: Record<EventClass, number> = { back_channel: 0, lifecycle: 1 }
