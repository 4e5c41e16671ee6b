import { type Tx } from '#foundation/database.ts'
import { conflict } from '#foundation/errors.ts'
import type { Caller } from '#foundation/session-gate.ts'
import { recordAct } from '../audit.ts'
import type { Origin, SsoParts } from '../parts.ts'
import { lockSite } from './access.ts'

/**
 * Closes a site for good: its keys and all its sessions end at once, its code stays taken, its people keep their accounts.
 * 404, 403, 409 first_party_site.
 */
export async function deleteSite(
  { database, gate }: SsoParts,
  caller: Caller,
  site_id: string,
  from: Origin,
) {
  try {
    await database.transaction(async (tx) => {
      const { environment, site_code, is_first_party } = await lockSite(tx, caller, site_id)
      if (is_first_party) throw conflict('first_party_site', 'A site of the network itself cannot be deleted')
      await tx`
        update sso.sites set deleted_at = clock_timestamp(), version = version + 1, updated_at = clock_timestamp()
         where site_id = ${site_id}`
      await tx`
        update sso.site_keys set revoked_at = clock_timestamp() where site_id = ${site_id} and revoked_at is null`
      const { sessions, people } = await endSessionsOf(tx, site_id)
      await recordAct(
        tx,
        {
          action: 'site.deleted',
          environment,
          site_id,
          actor_user_id: caller.user_id,
          subject_user_id: null,
          details: { site_code, sessions, people },
        },
        from,
      )
    })
  } finally {
    gate.forgetSite(site_id)
  }
}

/**
 * The revocation of everybody's sessions here at once, locks in the same order as for one person. Who signs in meanwhile
 * finds the site deleted with the first token.
 */
async function endSessionsOf(tx: Tx, site_id: string) {
  const held = await tx<{ user_id: string }[]>`
    select u.user_id from sso.users u
     where u.user_id in (select s.user_id from sso.sessions s where s.site_id = ${site_id} and s.revoked_at is null)
     order by u.user_id for no key update of u`
  const user_ids = held.map(({ user_id }) => user_id)
  const ended = await tx<{ user_id: string }[]>`
    with live as (
      select s.session_id from sso.sessions s
       where s.site_id = ${site_id} and s.revoked_at is null and s.user_id = any(${user_ids}::uuid[])
       order by s.session_id for update)
    update sso.sessions s set revoked_at = clock_timestamp(), revoke_reason = 'site_deleted'
      from live where s.session_id = live.session_id and s.revoked_at is null
    returning s.user_id`
  const bumped = await tx`
    update sso.users set session_version = session_version + 1
     where user_id = any(${[...new Set(ended.map(({ user_id }) => user_id))]}::uuid[])`
  return { sessions: ended.length, people: bumped.count }
}
