import { type Static, Type } from 'typebox'
import type { Database } from '#foundation/database.ts'
import { unauthorized } from '#foundation/errors.ts'
import { WWW_AUTHENTICATE } from '#foundation/identity.ts'
import { isSiteAdmin } from '#foundation/powers.ts'
import { Nullable, OneOf, Time, Uuid } from '#foundation/schemas.ts'
import { randomToken, sha256 } from '#foundation/secrets.ts'
import type { Identity, SecondFactorAsked, SessionGate, SignedIn } from '#foundation/session-gate.ts'

/** The person of this request, whichever of the two tokens came: what rights and rows hang on. */
export type Visitor = {
  user_id: string
  tenant_id: string
  session_id: string
  /** Role ADMIN at the site of the session: may act on every collection of the tenant. */
  is_site_admin: boolean
}

export type User = Static<typeof User>
export const User = Type.Object({
  user_id: Uuid,
  display_name: Nullable(Type.String()),
  email: Nullable(Type.String()),
  role: OneOf(['admin', 'user']),
  account_metadata: Type.Object({
    created_at: Time,
    last_login_at: Nullable(Time),
    email_verified: Type.Boolean(),
    mfa_enabled: Type.Boolean(),
  }),
})

export const TOKEN_PREFIX = 'lyc_'
/** The lifetime that collections.sessions gives a row. */
export const TOKEN_SECONDS = 43_200
/** Tokens that are over which one sign-in clears away, whosever they were. */
const CLEARED = 100

type LoggedIn = { access_token: string; user: User }

/** Signs in at the sso and binds a token of our own to the session it opened. 401 `invalid_credentials`, 429, 503. */
export async function login(
  db: Database,
  identity: Identity,
  credentials: { email: string; password: string },
  from: { client_ip: string; user_agent: string },
): Promise<LoggedIn | SecondFactorAsked> {
  const signedIn = await identity.login('collections', credentials, from)
  return signedIn.mfa_required ? signedIn : openToken(db, identity, signedIn)
}

/** Completes a login with the second factor. 401 `mfa_token_invalid`, `mfa_code_invalid`, 429. */
export async function verifyMfa(
  db: Database,
  identity: Identity,
  proof: { mfa_token: string; code: string },
  from: { client_ip: string; user_agent: string },
): Promise<LoggedIn> {
  return openToken(db, identity, await identity.verifyMfa('collections', proof, from))
}

async function openToken(
  db: Database,
  identity: Identity,
  { user_id, tenant_id, session_id, session_version }: SignedIn,
): Promise<LoggedIn> {
  const access_token = randomToken(TOKEN_PREFIX)
  await db.transaction(async (tx) => {
    // More go than come, so no sweep has to run; what two sign-ins would both take, one of them leaves to the other.
    await tx`
      delete from collections.sessions where token_hash in (
        select token_hash from collections.sessions where expires_at <= statement_timestamp()
         order by expires_at, token_hash limit ${CLEARED} for update skip locked)`
    await tx`
      insert into collections.sessions (token_hash, user_id, tenant_id, sso_session_id, session_version)
      values (${sha256(access_token)}, ${user_id}, ${tenant_id}, ${session_id}, ${session_version})`
  })
  return { access_token, user: await findProfile(identity, tenant_id, user_id) }
}

/**
 * Whose opaque token this is, as the sso sees the session at this moment. A new session_version alone does not end
 * it, as it would not end a refresh token; an ended session does, and its tokens go with it.
 */
export async function visitorOfToken(db: Database, gate: SessionGate, token: string): Promise<Visitor> {
  const token_hash = sha256(token)
  const [session] = await db.fast<TokenRow[]>`
    select user_id, tenant_id, sso_session_id as session_id, session_version, expires_at <= clock_timestamp() as is_expired
      from collections.sessions where token_hash = ${token_hash}`
  if (!session) throw tokenRevoked()
  if (session.is_expired) throw unauthorized('token_expired', 'The token has expired', WWW_AUTHENTICATE)
  const { user_id, tenant_id, session_id, session_version } = session
  const state = await gate.sessionState(session_id)
  if (!state.active || state.user_id !== user_id) {
    await db.pool`delete from collections.sessions where sso_session_id = ${session_id} and user_id = ${user_id}`
    throw tokenRevoked()
  }
  if (state.session_version !== session_version)
    await db.pool`
      update collections.sessions set session_version = ${state.session_version}
       where token_hash = ${token_hash} and user_id = ${user_id} and session_version < ${state.session_version}`
  return { user_id, tenant_id, session_id, is_site_admin: isSiteAdmin(state) }
}

type TokenRow = Omit<Visitor, 'is_site_admin'> & { session_version: number; is_expired: boolean }

/**
 * Ends the session everywhere: its opaque tokens and its access tokens are dead at their next use. The sso comes
 * first: if it fails, the caller still holds a token to try again with; if our delete fails, the token is dead anyway.
 */
export async function logout(db: Database, identity: Identity, { user_id, session_id }: Visitor) {
  await identity.revokeSession(session_id)
  await db.pool`delete from collections.sessions where sso_session_id = ${session_id} and user_id = ${user_id}`
}

/** The profile as the sso knows it now. 401 for an account that ended during the request. */
export async function findProfile(identity: Identity, tenant_id: string, user_id: string): Promise<User> {
  const [profile] = await identity.profiles(tenant_id, [user_id])
  if (!profile) throw tokenRevoked()
  const { display_name, email, created_at, last_login_at, email_verified, mfa_enabled } = profile
  return {
    user_id,
    display_name,
    email,
    role: profile.role === 'ADMIN' ? 'admin' : 'user',
    account_metadata: { created_at, last_login_at, email_verified, mfa_enabled },
  }
}

const tokenRevoked = () => unauthorized('token_revoked', 'The token is no longer accepted', WWW_AUTHENTICATE)
