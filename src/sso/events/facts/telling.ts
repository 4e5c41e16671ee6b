import { type Profile, profileIn } from '../../core/profile.ts'
import type { Fact } from './facts.ts'

/** The site an event belongs to. */
type AtSite = { site_id: string; site_code: string; environment: 'sandbox' | 'production' }

/**
 * One function per event (API document, part 6), each of which gives the facts that `recordFacts` writes. `data` has exactly
 * these fields; times are ISO 8601 as the database gives them.
 */

/** Every site hears that there is somebody new; only the site where they registered hears who. */
export function userCreated(
  { site_id, site_code, environment }: AtSite,
  user: {
    user_id: string
    email: string
    email_verified: boolean
    display_name: string | null
    registration_source: string
    created_at: string
  },
): Fact {
  const { user_id, email, email_verified, display_name, registration_source, created_at } = user
  const origin = { origin_site_code: site_code, created_at }
  return {
    event_type: 'user.created',
    environment,
    subject_user_id: user_id,
    site_ids: null,
    origin_site_id: site_id,
    data: {
      user_id,
      sso_subject_id: user_id,
      email,
      email_verified,
      display_name,
      registration_source,
      ...origin,
    },
    data_public: { sso_subject_id: user_id, ...origin },
  }
}

export type ToldProfile = Profile & {
  user_id: string
  email: string
  email_verified: boolean
  version: number
}

/** `site_ids` are the sites the person is a member of. */
export function userUpdated(
  environment: Fact['environment'],
  site_ids: readonly string[],
  profile: ToldProfile,
  changed_fields: readonly string[],
): Fact {
  const { user_id, version, email, email_verified } = profile
  return {
    event_type: 'user.updated',
    environment,
    subject_user_id: user_id,
    site_ids,
    data: {
      user_id,
      sso_subject_id: user_id,
      changed_fields,
      user: { email, email_verified, ...profileIn(profile) },
      version,
    },
  }
}

/** `site_ids` are the sites the person was a member of before. */
export function userAccountDeleted(
  environment: Fact['environment'],
  site_ids: readonly string[],
  erasure: {
    user_id: string
    reason_code: string
    ccpa_drop_request: boolean
    gdpr_erasure_request: boolean
  },
): Fact {
  const { user_id, reason_code, ccpa_drop_request, gdpr_erasure_request } = erasure
  return {
    event_type: 'user.account.deleted',
    environment,
    subject_user_id: user_id,
    site_ids,
    data: {
      sso_subject_id: user_id,
      reason_code,
      compliance_flags: { ccpa_drop_request, gdpr_erasure_request },
    },
  }
}

export function sessionCreated(
  { site_id, site_code, environment }: AtSite,
  session: {
    session_id: string
    user_id: string
    auth_methods: readonly string[]
    ip_address: string | null
    user_agent: string | null
    created_at: string
  },
): Fact {
  const { session_id, user_id, auth_methods, ip_address, user_agent, created_at } = session
  return {
    event_type: 'session.created',
    environment,
    subject_user_id: user_id,
    site_ids: [site_id],
    data: {
      session_id,
      user_id,
      sso_subject_id: user_id,
      site_code,
      auth_methods,
      ip_address,
      user_agent,
      created_at,
    },
  }
}

/** An event stays far below 256 kB however many sessions somebody had. */
const SESSIONS_PER_EVENT = 1_000

/**
 * session.revoked for each session, and back_channel_logout for each site that held one. Tokens made before `not_before`
 * are dead. The logout token is signed when the event is made.
 */
export function sessionsRevoked(revocation: {
  environment: Fact['environment']
  user_id: string
  sessions: readonly { session_id: string; site_id: string; site_code: string }[]
  reason: string
  session_version: number
  /** ISO 8601, the time of the revocation. */
  not_before: string
  /** The person has no session left anywhere. */
  all_sessions: boolean
  /** Null where no site asked for it. */
  initiating_site_code: string | null
}): Fact[] {
  const { environment, user_id, sessions, reason, session_version, not_before } = revocation
  const { all_sessions, initiating_site_code } = revocation
  const common = { environment, user_id, reason, session_version, not_before }
  const revoked = sessions.map((session) => sessionRevoked({ ...common, ...session }))
  const logouts = [...Map.groupBy(sessions, ({ site_id }) => site_id)].flatMap(([site_id, ofSite]) =>
    chunksOf(
      ofSite.map(({ session_id }) => session_id),
      SESSIONS_PER_EVENT,
    ).map((session_ids): Fact => ({
      event_type: 'back_channel_logout',
      environment,
      subject_user_id: user_id,
      site_ids: [site_id],
      data: { sso_subject_id: user_id, session_ids, all_sessions, session_version, initiating_site_code },
    })),
  )
  return [...revoked, ...logouts]
}

/** session.revoked alone. */
export function sessionRevoked(revocation: {
  environment: Fact['environment']
  user_id: string
  session_id: string
  site_id: string
  site_code: string
  reason: string
  session_version: number
  not_before: string
}): Fact {
  const { environment, user_id, session_id, site_id, site_code } = revocation
  const { reason, session_version, not_before } = revocation
  return {
    event_type: 'session.revoked',
    environment,
    subject_user_id: user_id,
    site_ids: [site_id],
    data: {
      session_id,
      user_id,
      sso_subject_id: user_id,
      site_code,
      reason,
      session_version,
      not_before,
    },
  }
}

const chunksOf = <T>(items: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, n) => items.slice(n * size, (n + 1) * size))

export function roleAssigned(
  { site_id, site_code, environment }: AtSite,
  assignment: {
    user_id: string
    role: string
    permissions: readonly string[]
    assigned_by: string | null
    assigned_at: string
  },
): Fact {
  const { user_id, role, permissions, assigned_by, assigned_at } = assignment
  return {
    event_type: 'role.assigned',
    environment,
    subject_user_id: user_id,
    site_ids: [site_id],
    data: {
      user_id,
      sso_subject_id: user_id,
      site_code,
      role,
      permissions,
      assigned_by,
      assigned_at,
    },
  }
}

/** `amount` in integer cents. */
export function paymentCompleted(
  { site_id, site_code, environment }: AtSite,
  order: { order_id: string; plan: string | null; amount: number; currency: string; fulfilled_at: string },
): Fact {
  const { order_id, plan, amount, currency, fulfilled_at } = order
  return {
    event_type: 'payment.completed',
    environment,
    subject_user_id: null,
    site_ids: [site_id],
    data: { order_id, site_code, plan, amount, currency, fulfilled_at },
  }
}
