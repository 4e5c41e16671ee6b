/**
 * A person who called with a Bearer token (or, on learning, the cookie), as account and session are at this moment. Or the
 * back end of a site (`isClient` in powers.ts), whose `user_id` is that of the site and whose `email` is empty.
 */
export type Caller = {
  user_id: string
  session_id: string
  session_version: number
  email: string
  site_id: string
  site_code: string
  tenant_id: string
  environment: 'sandbox' | 'production'
  /** The token was issued for a site of the network itself, not for a partner's. */
  is_first_party: boolean
  role: string
  permissions: string[]
}

/** A partner server that called with its site key. */
export type Site = {
  site_id: string
  site_code: string
  tenant_id: string
  environment: 'sandbox' | 'production'
  is_first_party: boolean
  /** The site may name its end user's address in X-SSO-Client-IP. */
  trust_client_ip: boolean
}

export type SessionState = {
  active: boolean
  session_version: number
  user_id: string
  tenant_id: string
  /** The role at the site the session was opened at. */
  role: string
}

/**
 * Who a token belongs to, asked on every request and never cached by time. In one process these are functions of the
 * sso; apart, an HTTP client that introspects with a site key (unreachable is 503, never a pass).
 */
export type SessionGate = {
  /** The caller of a live access token; 401 `token_invalid`, `token_expired` or `token_revoked` otherwise. */
  verifyAccessToken(token: string): Promise<Caller>
  /** The state of one session, for tokens that are bound to it (collections). Unknown is inactive. */
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

/** What the sibling services may ask the sso to do for a person. */
export type Identity = {
  /** One hash, the sso's own limits by `client_ip`; 401 `invalid_credentials`, 429, 503. */
  login(
    site_code: string,
    login: { email: string; password: string },
    from: { client_ip: string; user_agent: string },
  ): Promise<SignedIn | SecondFactorAsked>
  /** Completes a login that asked for a second factor; 401 `mfa_token_invalid`, `mfa_code_invalid`, 429. */
  verifyMfa(
    site_code: string,
    proof: { mfa_token: string; code: string },
    from: { client_ip: string; user_agent: string },
  ): Promise<SignedIn>
  /** Sends the code of a login whose methods include this one; 401 `mfa_token_invalid`, 409, 429. */
  sendMfaCode(
    site_code: string,
    asked: { mfa_token: string; method: 'email' | 'sms' },
    from: { client_ip: string; user_agent: string },
  ): Promise<{ sent_to: string; resend_after: number }>
  revokeSession(session_id: string): Promise<void>
  /** The people of one tenant, by id; unknown ones are left out. */
  profiles(tenant_id: string, user_ids: string[]): Promise<Profile[]>
}

/**
 * What a sibling service does when the sso has erased somebody: nothing it keeps tells who they were any more. It may be
 * called again for the same person; it rejects when it has to be.
 */
export type ForgetUser = (user_id: string) => Promise<void>
