import { type Static, Type } from 'typebox'
import type { Database } from '#foundation/database/database.ts'
import { Nullable, OneOf, Time, Uuid } from '#foundation/http/schemas.ts'
import { withinScope } from '#foundation/security/scope.ts'
import { randomToken, sha256 } from '#foundation/security/secrets.ts'
import type { Identity, SecondFactorAsked, SignedIn } from '#foundation/security/session-gate.ts'
import { TOKEN_PREFIX, tokenRevoked, type Visitor } from '../visitor.ts'

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

/** The lifetime of a row of collections.sessions, in seconds. */
export const TOKEN_SECONDS = 43_200
/** The number of expired tokens, of any user, that one sign-in deletes. */
const CLEARED = 100

type LoggedIn = { access_token: string; user: User }

/**
 * Signs in at the sso and issues an opaque token bound to the new sso session. 401 `invalid_credentials`, 429, 503.
 */
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
    // Each sign-in deletes more tokens than it adds, so no sweep is needed. `skip locked` keeps two sign-ins from
    // waiting for each other.
    await tx`
      delete from collections.sessions where token_hash in (
        select token_hash from collections.sessions where expires_at <= statement_timestamp()
         order by expires_at, token_hash limit ${CLEARED} for update skip locked)`
    await tx`
      insert into collections.sessions (token_hash, user_id, tenant_id, sso_session_id, session_version)
      values (${sha256(access_token)}, ${user_id}, ${tenant_id}, ${session_id}, ${session_version})`
  })
  return { access_token, user: await findProfile(identity, { tenant_id, user_id, scope: null }) }
}

/**
 * Ends the session everywhere: its opaque tokens and access tokens fail at their next use. The sso comes first. If it
 * fails, the caller still has a token to retry with; if our delete fails, the token is dead anyway.
 */
export async function logout(db: Database, identity: Identity, { user_id, session_id }: Visitor) {
  await identity.revokeSession(session_id)
  await db.pool`delete from collections.sessions where sso_session_id = ${session_id} and user_id = ${user_id}`
}

/** The current profile at the sso, as far as the token's scope shows it. 401 if the account ended during the request. */
export async function findProfile(
  identity: Identity,
  { tenant_id, user_id, scope }: Pick<Visitor, 'tenant_id' | 'user_id' | 'scope'>,
): Promise<User> {
  const [profile] = await identity.profiles(tenant_id, [user_id])
  if (!profile) throw tokenRevoked()
  const shown = withinScope(profile, scope)
  const { display_name, email, created_at, last_login_at, email_verified, mfa_enabled } = shown
  return {
    user_id,
    display_name,
    email: email || null,
    role: profile.role === 'ADMIN' ? 'admin' : 'user',
    account_metadata: { created_at, last_login_at, email_verified, mfa_enabled },
  }
}
