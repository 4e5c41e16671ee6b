import { hash, randomBytes } from 'node:crypto'
import type { Database } from '#foundation/database/database.ts'
import { userColumns } from '../src/sso/people/person/users.ts'

const sha256 = (text: string) => hash('sha256', text, 'buffer')
const LIFE = 30 * 86_400

/**
 * Runs the two statements of a refresh (src/sso/sign-in/login/refresh.ts) in a transaction, in a loop with one token
 * per caller. No HTTP, checks or signatures. Resolves to the number of tokens spent.
 */
export async function rotateBare(
  { pool }: Database,
  { seconds, tokens, site_id }: { seconds: number; tokens: string[]; site_id: string },
): Promise<number> {
  const until = performance.now() + seconds * 1000
  let count = 0
  await Promise.all(
    tokens.map(async (first) => {
      let token = first
      while (performance.now() < until) {
        const successor = `rt_${randomBytes(32).toString('base64url')}`
        const [token_hash, successor_hash, ua_hash] = [sha256(token), sha256(successor), sha256('')]
        await pool.begin(async (tx) => {
          const [family] = await tx<{ session_id: string; user_id: string }[]>`
            select s.session_id, s.user_id, s.auth_methods, s.auth_time, t.consumed_at is not null as is_spent,
                   coalesce(s.created_at + make_interval(days => i.session_max_days) <= clock_timestamp(), false) as is_too_old
              from sso.refresh_tokens t join sso.sessions s using (session_id) join sso.sites i using (site_id)
             where t.token_hash = ${token_hash} and s.site_id = ${site_id} and s.revoked_at is null
               for no key update of s`
          if (!family) throw new Error('the token of the bare loop is not there')
          await tx`
            with account as (
              select ${userColumns(tx, null)}, m.role, r.permissions, m.external_id, i.token_signing, i.hs_generation
                from sso.users u join sso.memberships m using (user_id) join sso.sites i using (site_id)
                join sso.roles r using (site_id, role)
               where u.user_id = ${family.user_id} and u.status = 'active' and m.site_id = ${site_id}
                 and m.suspended_at is null and i.deleted_at is null),
            spent as (
              update sso.refresh_tokens
                 set consumed_at = clock_timestamp(), successor_hash = ${successor_hash}, consumed_ip = '127.0.0.1',
                     consumed_ua_hash = ${ua_hash}
               where token_hash = ${token_hash} and consumed_at is null and expires_at > clock_timestamp()
                 and exists (select from account)
              returning generation),
            successor as (
              insert into sso.refresh_tokens (token_hash, session_id, generation, issued_at, expires_at)
              select ${successor_hash}, ${family.session_id}, generation + 1, clock_timestamp(),
                     clock_timestamp() + make_interval(secs => ${LIFE}) from spent),
            family as (
              update sso.sessions
                 set last_seen_at = clock_timestamp(), expires_at = clock_timestamp() + make_interval(secs => ${LIFE})
                from spent where session_id = ${family.session_id}),
            forgotten as (
              update sso.refresh_tokens t set response_enc = null
                from spent
               where t.session_id = ${family.session_id} and t.generation = spent.generation - 1
                 and t.response_enc is not null)
            select account.*, spent.generation from account left join spent on true`
        })
        token = successor
        count++
      }
    }),
  )
  return count
}
