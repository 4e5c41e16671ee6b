import { type DataOf, EVENTS, type EventType } from './events.ts'
import type { Fact } from './facts.ts'

/** The site an event belongs to. */
type AtSite = { site_id: string; site_code: string; environment: 'sandbox' | 'production' }

/** The event's data without `sso_subject_id`, which equals `user_id`. Other fields are not sent. */
type Given<T extends EventType> = Omit<DataOf<T>, 'sso_subject_id' | 'user_id'> &
  ('sso_subject_id' extends keyof DataOf<T> ? { user_id: string } : { user_id?: undefined })

/** Builds a fact with exactly the fields of the event's schema. Times are ISO 8601 as returned by the database. */
export const factOf = <T extends EventType>(event_type: T, to: Recipients, given: Given<T>): Fact =>
  fact(event_type, to, given)

type Recipients = Pick<Fact, 'environment' | 'site_ids'>

function fact(
  event_type: EventType,
  { environment, site_ids }: Recipients,
  given: { user_id?: string | undefined },
): Fact {
  const { user_id } = given
  const data = pick(Object.keys(EVENTS[event_type].data.properties), { ...given, sso_subject_id: user_id })
  return { event_type, environment, subject_user_id: user_id ?? null, site_ids, data }
}

/** The same for an event that belongs to one site and includes its code. */
export const factAt = <T extends EventType>(
  event_type: T,
  { site_id, site_code, environment }: AtSite,
  given: Omit<Given<T>, 'site_code'>,
): Fact => fact(event_type, { environment, site_ids: [site_id] }, { ...given, site_code })

/** Missing fields stay missing. */
const pick = (names: readonly string[], given: { [name: string]: unknown }) =>
  Object.fromEntries(names.flatMap((name) => (name in given ? [[name, given[name]]] : [])))

/** Every site learns that a person registered; only the site of registration learns who. */
export function userCreated(
  { site_id, site_code, environment }: AtSite,
  user: Required<Omit<Given<'user.created'>, 'origin_site_code'>>,
): Fact {
  const fact = factOf(
    'user.created',
    { environment, site_ids: null },
    { ...user, origin_site_code: site_code },
  )
  const data_public = pick(EVENTS['user.created'].data.required, fact.data)
  return { ...fact, origin_site_id: site_id, data_public }
}

export type ToldProfile = DataOf<'user.updated'>['user'] & { user_id: string; version: number }

/** `site_ids`: the sites the person is a member of. */
export function userUpdated(
  environment: Fact['environment'],
  site_ids: readonly string[],
  profile: ToldProfile,
  changed_fields: readonly string[],
): Fact {
  const { user_id, version } = profile
  const user = pick(Object.keys(EVENTS['user.updated'].data.properties.user.properties), profile)
  const given = { user_id, changed_fields: [...changed_fields], user: user as ToldProfile, version }
  return factOf('user.updated', { environment, site_ids }, given)
}

/** `site_ids`: the sites the person was a member of. */
export const userAccountDeleted = (
  environment: Fact['environment'],
  site_ids: readonly string[],
  {
    ccpa_drop_request,
    gdpr_erasure_request,
    ...erasure
  }: DataOf<'user.account.deleted'>['compliance_flags'] & { user_id: string; reason_code: string },
): Fact =>
  factOf(
    'user.account.deleted',
    { environment, site_ids },
    { ...erasure, compliance_flags: { ccpa_drop_request, gdpr_erasure_request } },
  )

export const sessionCreated = (site: AtSite, session: Omit<Given<'session.created'>, 'site_code'>): Fact =>
  factAt('session.created', site, session)

/** Keeps an event far below 256 kB, even for a person with very many sessions. */
const SESSIONS_PER_EVENT = 1_000

type Revocation = Omit<Given<'session.revoked'>, 'session_id' | 'site_code'> & {
  environment: Fact['environment']
}

/** session.revoked for each session, and back_channel_logout for each site that held one. */
export function sessionsRevoked({
  sessions,
  all_sessions,
  initiating_site_code,
  ...revocation
}: Revocation &
  Pick<DataOf<'back_channel_logout'>, 'all_sessions' | 'initiating_site_code'> & {
    sessions: readonly { session_id: string; site_id: string; site_code: string }[]
  }): Fact[] {
  const { environment, user_id, session_version } = revocation
  const revoked = sessions.map((session) => sessionRevoked({ ...revocation, ...session }))
  const logouts = [...Map.groupBy(sessions, ({ site_id }) => site_id)].flatMap(([site_id, ofSite]) =>
    chunksOf(
      ofSite.map(({ session_id }) => session_id),
      SESSIONS_PER_EVENT,
    ).map((session_ids) =>
      factOf(
        'back_channel_logout',
        { environment, site_ids: [site_id] },
        { user_id, session_ids, all_sessions, session_version, initiating_site_code },
      ),
    ),
  )
  return [...revoked, ...logouts]
}

/** session.revoked only. */
export const sessionRevoked = (
  revocation: Revocation & { session_id: string; site_id: string; site_code: string },
): Fact => factAt('session.revoked', revocation, revocation)

const chunksOf = <T>(items: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, n) => items.slice(n * size, (n + 1) * size))

export const roleAssigned = (site: AtSite, assignment: Omit<Given<'role.assigned'>, 'site_code'>): Fact =>
  factAt('role.assigned', site, assignment)

export const paymentCompleted = (
  site: AtSite,
  order: Omit<Given<'payment.completed'>, 'site_code' | 'user_id'>,
): Fact => factAt('payment.completed', site, order)
