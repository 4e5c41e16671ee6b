import type { Tx } from '#foundation/database/database.ts'
import { type Fact, recordFacts } from './facts.ts'
import { sessionRevoked, sessionsRevoked } from './telling.ts'

type Revoked = {
  environment: Fact['environment']
  not_before: string
  all_sessions: boolean
  site_code: string | null
}

/**
 * Records facts about sessions that this transaction has ended, for the sites that held them. No-op for no sessions.
 */
export async function recordRevoked(
  tx: Tx,
  revocation: {
    user_id: string
    session_ids: readonly string[]
    reason: string
    session_version: number
    /** The site where the revocation was requested, if any. */
    initiating_site_id: string | null
  },
): Promise<void> {
  const { user_id, session_ids, reason, session_version, initiating_site_id } = revocation
  if (session_ids.length === 0) return
  const sessions = await tx<{ session_id: string; site_id: string; site_code: string }[]>`
    select s.session_id, s.site_id, i.site_code from sso.sessions s join sso.sites i using (site_id)
     where s.user_id = ${user_id} and s.session_id = any(${session_ids as string[]}::uuid[]) order by s.session_id`
  const [revoked] = await tx<Revoked[]>`
    select u.environment, clock_timestamp()::timestamptz(3) as not_before,
           (select site_code from sso.sites where site_id = ${initiating_site_id}) as site_code,
           not exists (select from sso.sessions where user_id = ${user_id} and revoked_at is null
                          and expires_at > statement_timestamp()) as all_sessions
      from sso.users u where u.user_id = ${user_id}`
  if (!revoked) return
  const { site_code, ...facts } = revoked
  await recordFacts(
    tx,
    sessionsRevoked({
      ...facts,
      user_id,
      sessions,
      reason,
      session_version,
      initiating_site_code: site_code,
    }),
  )
}

type Ended = { session_id: string; user_id: string; session_version: number }
type Closed = { environment: Fact['environment']; site_code: string; not_before: string }

/**
 * The same for sessions that ended because their site was deleted. That site no longer receives events, so there is no
 * logout; endpoints of its tenant with `all_sites` knew these sessions and are told of their end.
 */
export async function recordRevokedWithSite(tx: Tx, site_id: string, sessions: readonly Ended[]) {
  const [site] = await tx<Closed[]>`
    select environment, site_code, clock_timestamp()::timestamptz(3) as not_before
      from sso.sites where site_id = ${site_id}`
  if (!site) return
  const { environment, site_code, not_before } = site
  const facts = sessions.map((session) =>
    sessionRevoked({ environment, not_before, reason: 'site_deleted', ...session, site_id, site_code }),
  )
  await recordFacts(tx, facts)
}
