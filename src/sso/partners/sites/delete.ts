import type { Tx } from '#foundation/database/database.ts'
import { conflict } from '#foundation/errors.ts'
import type { Caller } from '#foundation/security/session-gate.ts'
import { recordAct } from '../../core/audit/audit.ts'
import type { Origin, SsoParts } from '../../core/parts.ts'
import { recordRevokedWithSite } from '../../events/facts/revoked.ts'
import { lockSite } from '../../core/access/managed-site.ts'

/**
 * Deletes a site permanently: its keys and sessions end at once, its code stays reserved, its people keep their
 * accounts. 404, 403, 409 first_party_site.
 */
export async function deleteSite({ database }: SsoParts, caller: Caller, site_id: string, from: Origin) {
  await database.transaction(async (tx) => {
    const { environment, site_code, is_first_party } = await lockSite(tx, caller, site_id)
    if (is_first_party) throw conflict('first_party_site', 'A site of the network itself cannot be deleted')
    await tx`
        update sso.sites set deleted_at = clock_timestamp(), version = version + 1, updated_at = clock_timestamp()
         where site_id = ${site_id}`
    await tx`
        update sso.site_keys set revoked_at = clock_timestamp() where site_id = ${site_id} and revoked_at is null`
    await recordAct(
      tx,
      {
        action: 'site.deleted',
        environment,
        site_id,
        actor_user_id: caller.user_id,
        subject_user_id: null,
        details: { site_code },
      },
      from,
    )
  })
  await endSessionsOf(database, site_id)
}

const BATCH = 1_000
const FIRST_ID = '00000000-0000-0000-0000-000000000000'

/**
 * Tokens of a deleted site are refused at once, whatever the sessions say. The sessions are ended afterwards in
 * batches: one transaction for a large site would exceed the statement timeout and block its people from signing in
 * elsewhere.
 */
async function endSessionsOf(database: SsoParts['database'], site_id: string) {
  for (let after: string | undefined = FIRST_ID; after !== undefined;) {
    const place: string = after
    after = await database.transaction((tx) => endSome(tx, site_id, place))
  }
}

/**
 * Ends one batch of sessions after `after`, locking in the same order as a revocation. Returns the last id; undefined
 * at the end.
 */
async function endSome(tx: Tx, site_id: string, after: string): Promise<string | undefined> {
  const found = await tx<{ session_id: string; user_id: string }[]>`
    select session_id, user_id from sso.sessions
     where site_id = ${site_id} and session_id > ${after} and revoked_at is null order by session_id limit ${BATCH}`
  const user_ids = found.map(({ user_id }) => user_id)
  await tx`
    select from sso.users where user_id = any(${user_ids}::uuid[]) order by user_id for no key update`
  const ended = await tx<{ session_id: string; user_id: string }[]>`
    with live as (
      select session_id from sso.sessions
       where session_id = any(${found.map(({ session_id }) => session_id)}::uuid[]) and revoked_at is null
       order by session_id for update)
    update sso.sessions s set revoked_at = clock_timestamp(), revoke_reason = 'site_deleted'
      from live where s.session_id = live.session_id and s.revoked_at is null
    returning s.session_id, s.user_id`
  const versions = await tx<{ user_id: string; session_version: number }[]>`
    update sso.users set session_version = session_version + 1
     where user_id = any(${ended.map(({ user_id }) => user_id)}::uuid[])
    returning user_id, session_version`
  const versionOf = new Map(versions.map(({ user_id, session_version }) => [user_id, session_version]))
  await recordRevokedWithSite(
    tx,
    site_id,
    ended.map((session) => ({ ...session, session_version: versionOf.get(session.user_id) ?? 0 })),
  )
  return found.length < BATCH ? undefined : found.at(-1)?.session_id
}
