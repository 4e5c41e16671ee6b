import { ApiError } from '#foundation/errors.ts'
import { isUuid } from '#foundation/ids.ts'
import { sha256 } from '#foundation/security/secrets.ts'
import type { Origin, SsoParts } from '../../core/parts.ts'
import { revokeSessions } from '../../people/sessions/sessions.ts'

type Held = { access_token: string | undefined; refresh_token: string | undefined }
type Session = { user_id: string; login_id: string }

/**
 * Ends every session of the sign-ins that the browser's cookies belong to, even if the cookies are spent or expired.
 * Cookies without a session change nothing, so repeating a sign-out is harmless.
 */
export async function signOut(parts: SsoParts, held: Held, from: Origin): Promise<void> {
  const found = [await findByRefreshToken(parts, held), await findByAccessToken(parts, held.access_token)]
  const sessions = new Map(found.filter((one) => one !== undefined).map((one) => [one.login_id, one]))
  for (const { user_id, login_id } of sessions.values())
    await revokeSessions(parts, { user_id, scope: { login_id }, reason: 'logout', caller: { user_id }, from })
}

async function findByRefreshToken({ database }: SsoParts, { refresh_token }: Held) {
  if (refresh_token === undefined) return undefined
  const [session] = await database.fast<Session[]>`
    select s.user_id, s.login_id
      from sso.refresh_tokens t join sso.sessions s using (session_id) join sso.sites i using (site_id)
     where t.token_hash = ${sha256(refresh_token)} and i.is_first_party`
  return session
}

/** The sign-in that a first-party access cookie belongs to, however old the cookie is. */
export async function findByAccessToken(
  { database, tokens }: SsoParts,
  access_token: string | undefined,
): Promise<Session | undefined> {
  if (access_token === undefined) return undefined
  const claims = await claimsOf(tokens, access_token)
  // A holder of a partner's jwt_secret can sign any claim except the site, which verification binds to the key.
  if (!claims || !isUuid(claims.sid) || !isUuid(claims.sub)) return undefined
  const [session] = await database.fast<Session[]>`
    select s.user_id, s.login_id from sso.sessions s join sso.sites i using (site_id)
     where s.session_id = ${claims.sid} and s.user_id = ${claims.sub} and i.site_code = ${claims.site_code}
       and i.is_first_party`
  return session
}

async function claimsOf(tokens: SsoParts['tokens'], access_token: string) {
  try {
    return (await tokens.verifyOld(access_token)).claims
  } catch (error) {
    if (error instanceof ApiError) return undefined
    throw error
  }
}
