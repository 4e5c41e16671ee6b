import type { Database } from '#foundation/database/database.ts'
import { unauthorized } from '#foundation/errors.ts'
import { WWW_AUTHENTICATE } from '#foundation/security/identity.ts'
import { isSiteAdmin } from '#foundation/security/powers.ts'
import { sha256 } from '#foundation/security/secrets.ts'
import type { Caller, SessionGate } from '#foundation/security/session-gate.ts'

/** The user of this request, from either kind of token. Rights and rows depend on these ids. */
export type Visitor = {
  user_id: string
  tenant_id: string
  session_id: string
  /** Role ADMIN at the session's site: may act on every collection of the tenant. */
  is_site_admin: boolean
} & Pick<Caller, 'scope'>

export const TOKEN_PREFIX = 'lyc_'

/**
 * Resolves an opaque token against the current sso session. A new session_version alone does not end it, as it would
 * not end a refresh token. An ended session does, and deletes its tokens.
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
  // Made by a sign-in of our own.
  return { user_id, tenant_id, session_id, is_site_admin: isSiteAdmin(state), scope: null }
}

type TokenRow = Omit<Visitor, 'is_site_admin' | 'scope'> & { session_version: number; is_expired: boolean }

export const tokenRevoked = () =>
  unauthorized('token_revoked', 'The token is no longer accepted', WWW_AUTHENTICATE)
