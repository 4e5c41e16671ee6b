import { type Static, type TObject, type TProperties, Type } from 'typebox'
import { Nullable, Time, Uuid } from '#foundation/http/schemas.ts'
import { ShownTexts } from '../../core/profile.ts'
import { COLLECTION_EVENTS } from './collection-events.ts'

/** Retry delays in seconds after each failed attempt. The back channel is urgent: a person must be signed out. */
export const SCHEDULES = {
  back_channel: [1, 5, 15],
  lifecycle: [30, 120, 600, 3_600, 21_600],
} as const

export type EventKind = {
  /** When the event is sent, in the words of the API document. */
  summary: string
  class: keyof typeof SCHEDULES
  action_required: string
  /** Endpoints with `all_sites` receive it from every site of their tenant. */
  isForTenant?: true
  /** Told only to endpoints that name it or its family: `*` is what sites chose before there was this event. */
  isOnRequest?: true
  /** The payload schema. It must not contain more about a person than sites need. */
  data: TObject
}

const Text = Type.String()
/** Both are the person's id. */
const Person = { user_id: Uuid, sso_subject_id: Uuid }
const Profile = Type.Object({ email: Text, email_verified: Type.Boolean(), ...ShownTexts })

/** `fields` are sent only to the site of registration. */
const onlyAtOrigin = <T extends TProperties>(fields: T) => Type.Partial(Type.Object(fields)).properties

/**
 * All events that partner sites receive (API document, part 6). To add one, add a row here and call `recordFact` where
 * it happens: subscriptions, envelope, retries, log and OpenAPI description are derived from the row.
 */
export const EVENTS = {
  'user.created': {
    summary: 'A new user registers anywhere in the network',
    class: 'lifecycle',
    action_required: 'none',
    data: Type.Object({
      sso_subject_id: Uuid,
      origin_site_code: Text,
      created_at: Time,
      ...onlyAtOrigin({
        user_id: Uuid,
        email: Text,
        email_verified: Type.Boolean(),
        display_name: Nullable(Text),
        registration_source: Text,
      }),
    }),
  },
  'user.updated': {
    summary: 'Profile fields change on any partner site',
    class: 'lifecycle',
    action_required: 'refresh_profile',
    data: Type.Object({
      ...Person,
      changed_fields: Type.Array(Text),
      user: Profile,
      version: Type.Integer(),
    }),
  },
  'user.account.deleted': {
    summary: 'The user invokes account deletion (CCPA / GDPR erasure)',
    class: 'back_channel',
    action_required: 'sever_sso_link_and_apply_retention_policy',
    data: Type.Object({
      sso_subject_id: Uuid,
      reason_code: Text,
      compliance_flags: Type.Object({
        ccpa_drop_request: Type.Boolean(),
        gdpr_erasure_request: Type.Boolean(),
      }),
    }),
  },
  'session.created': {
    summary: "A user logs in to one of the site's sites",
    class: 'lifecycle',
    action_required: 'none',
    isForTenant: true,
    data: Type.Object({
      session_id: Uuid,
      ...Person,
      site_code: Text,
      auth_methods: Type.Array(Text),
      ip_address: Nullable(Text),
      user_agent: Nullable(Text),
      created_at: Time,
    }),
  },
  'session.revoked': {
    summary: 'A session is logged out or revoked by an admin',
    class: 'lifecycle',
    action_required: 'terminate_local_session',
    isForTenant: true,
    data: Type.Object({
      session_id: Uuid,
      ...Person,
      site_code: Text,
      reason: Text,
      session_version: Type.Integer(),
      // Tokens issued before this time are revoked.
      not_before: Time,
    }),
  },
  back_channel_logout: {
    summary: 'Single logout broadcast to every partner site holding the session',
    class: 'back_channel',
    action_required: 'terminate_local_session',
    data: Type.Object({
      sso_subject_id: Uuid,
      session_ids: Type.Array(Uuid),
      all_sessions: Type.Boolean(),
      session_version: Type.Integer(),
      initiating_site_code: Nullable(Text),
      // Signed in the fan-out, not when the fact is recorded.
      logout_token: Type.Optional(Text),
    }),
  },
  'role.assigned': {
    summary: 'A user is granted a role on the site',
    class: 'lifecycle',
    action_required: 'reload_permissions',
    isForTenant: true,
    data: Type.Object({
      ...Person,
      site_code: Text,
      role: Text,
      permissions: Type.Array(Text),
      assigned_by: Nullable(Uuid),
      assigned_at: Time,
    }),
  },
  'payment.completed': {
    summary: 'A paid plan order is fulfilled',
    class: 'lifecycle',
    action_required: 'activate_plan',
    isForTenant: true,
    data: Type.Object({
      order_id: Uuid,
      site_code: Text,
      plan: Nullable(Text),
      // US cents.
      amount: Type.Integer(),
      currency: Text,
      fulfilled_at: Time,
    }),
  },
  ...COLLECTION_EVENTS,
} as const satisfies Record<string, EventKind>

export type EventType = keyof typeof EVENTS
export const EVENT_TYPES = Object.keys(EVENTS) as EventType[]
export type DataOf<T extends EventType> = Static<(typeof EVENTS)[T]['data']>

/**
 * Asks a new endpoint whether it wants events. Nobody subscribes to it, and it has the priority of the back channel.
 */
const PING = { class: 'lifecycle', action_required: 'none' } as const

export const kindOf = (
  event_type: string,
): Pick<EventKind, 'class' | 'action_required' | 'isForTenant' | 'isOnRequest'> =>
  Object.hasOwn(EVENTS, event_type) ? EVENTS[event_type as EventType] : PING

export const scheduleOf = (event_type: string): readonly number[] => SCHEDULES[kindOf(event_type).class]

/** 0 is the highest priority. */
export const priorityOf = (event_type: string): 0 | 1 =>
  event_type === 'ping' || kindOf(event_type).class === 'back_channel' ? 0 : 1

/** `user.*` for `user.created`; none for a type without a dot. */
const familyOf = (event_type: EventType) =>
  event_type.includes('.') ? [`${event_type.split('.')[0]}.*`] : []

/** Valid subscriptions: everything, a family, or one type. */
export const SUBSCRIPTIONS = ['*', ...new Set(EVENT_TYPES.flatMap(familyOf)), ...EVENT_TYPES]

/** The subscriptions that match this event. */
export const subscriptionsTo = (event_type: EventType): string[] => [
  ...(kindOf(event_type).isOnRequest ? [] : ['*']),
  event_type,
  ...familyOf(event_type),
]

/** The subscriptions that ask for an event of another service. */
export const ON_REQUEST = [
  ...new Set(EVENT_TYPES.filter((type) => kindOf(type).isOnRequest).flatMap(subscriptionsTo)),
]

/** Kinds in foundation.jobs. Deliveries are claimed from their own table; their kind only wakes the senders. */
export const JOB_KINDS = {
  fan_out: 'webhook.fan_out',
  release: 'webhook.release',
  delivery: 'webhook.delivery',
} as const
