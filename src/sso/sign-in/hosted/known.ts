import type { Database } from '#foundation/database/database.ts'
import type { MasterKeys } from '#foundation/security/secrets.ts'
import type { Site } from '#foundation/security/session-gate.ts'

/** Who is signed in in this browser, for visits on which the browser withholds the refresh cookie. It proves nothing. */
export type Known = { user_id: string; session_id: string }

const AAD = 'hosted known'

export const sealKnown = (keys: MasterKeys, known: Known): string =>
  keys.seal(Buffer.from(JSON.stringify(known)), AAD).toString('base64url')

/** Undefined for a cookie that is not ours, and if the first-party session has ended. */
export async function findKnown(
  { database, keys }: { database: Database; keys: MasterKeys },
  { environment }: Pick<Site, 'environment'>,
  cookie: string | undefined,
): Promise<Known | undefined> {
  const known = cookie === undefined ? undefined : openKnown(keys, cookie)
  if (!known) return undefined
  const { user_id, session_id } = known
  const [live] = await database.fast`
    select from sso.sessions s join sso.users u using (user_id) join sso.sites i using (site_id)
     where s.session_id = ${session_id} and s.user_id = ${user_id} and s.revoked_at is null
       and s.expires_at > statement_timestamp() and u.status = 'active' and i.is_first_party
       and i.environment = ${environment} and i.deleted_at is null`
  return live && known
}

function openKnown(keys: MasterKeys, cookie: string): Known | undefined {
  try {
    return JSON.parse(keys.open(Buffer.from(cookie, 'base64url'), AAD).toString('utf8')) as Known
  } catch {
    return undefined
  }
}
