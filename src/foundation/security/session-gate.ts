/**
 * The current account and session behind a Bearer token (or, on learning, the cookie). For a machine client (`isClient`
 * in powers.ts), `user_id` is the id of the site and `email` is empty. What the scope hides is empty too.
 */
export type Caller = {
  user_id: string
  session_id: string
  session_version: number
  email: string
  /** The language of the profile (BCP 47). */
  locale: string | null
  site_id: string
  site_code: string
  tenant_id: string
  environment: 'sandbox' | 'production'
  /** The token was issued for a first-party site. */
  is_first_party: boolean
  role: string
  permissions: string[]
  /** The scope granted to a partner's OpenID client, which decides what the session shows of its person; null at our own sites. */
  scope: string | null
}

/** A partner server that called with its site key. */
export type Site = {
  site_id: string
  site_code: string
  tenant_id: string
  environment: 'sandbox' | 'production'
  is_first_party: boolean
  /** Whether the site may pass its end user's address in X-SSO-Client-IP. */
  trust_client_ip: boolean
}

export type SessionState = {
  active: boolean
  session_version: number
  user_id: string
  tenant_id: string
  /** The role at the session's site. */
  role: string
}

/**
 * Checks tokens and sessions on every request, without a timed cache. In one process it calls functions of the sso; in
 * a separate process an HTTP client introspects with a site key (unreachable is 503, never a pass).
 */
export type SessionGate = {
  /** The caller of a valid access token; else 401 `token_invalid`, `token_expired` or `token_revoked`. */
  verifyAccessToken(token: string): Promise<Caller>
  /** The state of one session, for tokens that are bound to it (collections). An unknown session is inactive. */
  sessionState(session_id: string): Promise<SessionState>
}

export type Profile = {
  user_id: string
  display_name: string | null
  email: string | null
  email_verified: boolean
  mfa_enabled: boolean
  status: string
  role: string | null
  created_at: string
  last_login_at: string | null
}

export type SignedIn = {
  mfa_required: false
  user_id: string
  tenant_id: string
  session_id: string
  session_version: number
}
export type SecondFactorAsked = { mfa_required: true; mfa_token: string; mfa_methods: string[] }

/** A letter that a sibling service has the sso mail to one person of a tenant. */
export type Letter = {
  /** The id of the message too: the same letter handed over again is sent once. */
  letter_id: string
  tenant_id: string
  user_id: string
  /** Plain text; the language of the addressee's profile decides. A blank line ends a paragraph. */
  bodies: Record<'en' | 'de' | 'es', { subject: string; text: string }>
  /** Takes a POST without a session (RFC 8058), for letters that one can do without. */
  unsubscribe_url?: string | undefined
}

/** What learning and collections may ask the sso to do for a person. */
export type Identity = {
  /** Costs one hash and counts against the sso's limits by `client_ip`; 401 `invalid_credentials`, 429, 503. */
  login(
    site_code: string,
    login: { email: string; password: string },
    from: { client_ip: string; user_agent: string },
  ): Promise<SignedIn | SecondFactorAsked>
  /** Completes a sign-in that needs a second factor; 401 `mfa_token_invalid`, `mfa_code_invalid`, 429. */
  verifyMfa(
    site_code: string,
    proof: { mfa_token: string; code: string },
    from: { client_ip: string; user_agent: string },
  ): Promise<SignedIn>
  /** Sends the code for a sign-in that offers this method; 401 `mfa_token_invalid`, 409, 429. */
  sendMfaCode(
    site_code: string,
    asked: { mfa_token: string; method: 'email' | 'sms' },
    from: { client_ip: string; user_agent: string },
  ): Promise<{ sent_to: string; resend_after: number }>
  revokeSession(session_id: string): Promise<void>
  /** Profiles of people of one tenant, by id; unknown ids are left out. */
  profiles(tenant_id: string, user_ids: string[]): Promise<Profile[]>
  /**
   * Whoever of the tenant has this e-mail address or user name, in full; undefined for nobody. Counted for whoever asks:
   * 429 `rate_limited`.
   */
  personNamed(tenant_id: string, name: string, asked_by: { user_id: string }): Promise<Profile | undefined>
  /** Under whose name certificates of a tenant are issued. */
  issuerOf(tenant_id: string): Promise<string>
  /** Queues the mail. False for whoever is not an active person of the tenant with a verified address. */
  sendLetter(letter: Letter): Promise<boolean>
}

/** Something that happened in a service beside the sso, for the webhooks of sites of its tenant. */
export type TenantEvent = {
  /** Announced again under the same id, it is told once. */
  fact_id: string
  event_type: string
  /** The person it is about. */
  subject_user_id: string | null
  occurred_at: string
  data: Record<string, unknown>
}

/** What the other services tell sites through the webhook engine of the sso. */
export type Announcements = {
  /** The tenants of sites that ask for such events, and since when. */
  tenantsAsking(): Promise<readonly { tenant_id: string; since: string }[]>
  /** Queues them for the sites that ask; the same call again changes nothing. */
  announce(tenant_id: string, events: readonly TenantEvent[]): Promise<void>
}

/**
 * Called after the sso has erased a person: the service blanks everything that identifies them. Must be idempotent;
 * rejects if it has to be called again.
 */
export type ForgetUser = (user_id: string) => Promise<void>
