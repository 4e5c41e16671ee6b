import { type Lane, one, type Tx } from '#foundation/database/database.ts'
import { newId } from '#foundation/ids.ts'
import type { Site } from '#foundation/security/session-gate.ts'
import { insertAct } from '../../core/audit/audit.ts'
import { lacksFactor } from './required.ts'
import type { Origin } from '../../core/parts.ts'
import { type Membership, refused, SESSION_MAX_DAYS } from './answer.ts'
import { REFRESH_SECONDS } from '../../core/tokens/lifetimes.ts'

export type Opening = {
  /** SHA-256 of the first refresh token. */
  token_hash: Buffer
  device_name: string | null
  /** What the person proved, in the values of `amr`. */
  auth_methods: string[]
  /** The methods given to this very session; none when a code, a cookie or a provider opens it. */
  proven_methods?: string[]
  from: Origin
  /** Shared by the sessions of one hosted sign-in; by default a new sign-in. */
  login_id?: string
  /** The identity provider's, for the audit log. */
  connection_id?: string
  /** The scope granted to an OpenID client. */
  openid_scope?: string | undefined
  /** Opens no session if the person has an active second factor. */
  unless_factor?: boolean
}

export type Opened = Membership & {
  session_id: string
  auth_time: string
  /** The person has signed in before, but not with this program in the last three months. */
  is_new_device: boolean
}

/**
 * Opens a session; the transaction must hold the lock of the users row. Writes the membership if missing, session,
 * refresh token, last_login_at and audit entry. Undefined, with nothing written: a second factor is needed. 401
 * account_suspended.
 */
export async function openSession(
  tx: Tx,
  { site_id, environment }: Site,
  user_id: string,
  opening: Opening,
): Promise<Opened | undefined> {
  const { token_hash, device_name, auth_methods, from, login_id = newId() } = opening
  const { proven_methods = [], openid_scope = null, unless_factor = false, connection_id } = opening
  const session_id = newId()
  const act = {
    action: 'login.succeeded',
    environment,
    site_id,
    actor_user_id: user_id,
    subject_user_id: user_id,
    details: { session_id, auth_methods, ...(connection_id !== undefined && { connection_id }) },
  } as const
  const rows = await tx<(Opened & { is_suspended: boolean })[]>`
    with known as (
      select role, external_id, suspended_at is not null as is_suspended from sso.memberships
       where user_id = ${user_id} and site_id = ${site_id}),
    allowed as (
      select from sso.sites i join sso.roles r using (site_id)
       where i.site_id = ${site_id}
         and case when exists (select from known) then r.role = (select role from known) else r.is_default end
         and not ${lacksFactor(tx, tx`${auth_methods}::text[]`)}
         and (not ${unless_factor}::boolean or not exists (
           select from sso.mfa_factors where user_id = ${user_id} and activated_at is not null))),
    joined as (
      insert into sso.memberships (user_id, site_id, role)
      select ${user_id}, site_id, role from sso.roles, allowed
       where site_id = ${site_id} and is_default and not exists (select from known)
      returning role, external_id, false as is_suspended),
    member as (
      select role, external_id, is_suspended from known union all select role, external_id, is_suspended from joined),
    here as (
      select token_signing, hs_generation, least(${REFRESH_SECONDS}::int, coalesce(session_max_days, ${SESSION_MAX_DAYS}) * 86400) as refresh_seconds
        from sso.sites where site_id = ${site_id}),
    earlier as (
      select ${programOf(tx, tx`user_agent`)} = ${programOf(tx, tx`${from.user_agent}::text`)} as is_same from sso.sessions
       where user_id = ${user_id} and created_at > statement_timestamp() - make_interval(days => ${DEVICE_DAYS})
       order by created_at desc, session_id desc limit ${DEVICE_SESSIONS}),
    session as (
      insert into sso.sessions (session_id, login_id, user_id, site_id, auth_methods, proven_methods, proven_at,
                                ip_address, user_agent, device_name, openid_scope, expires_at)
      select ${session_id}, ${login_id}, ${user_id}, ${site_id}, ${auth_methods}, ${proven_methods},
             case when ${proven_methods.length > 0}::boolean then clock_timestamp() end, ${from.ip_address},
             ${from.user_agent}, ${device_name}, ${openid_scope},
             clock_timestamp() + make_interval(secs => refresh_seconds)
        from member, here, allowed where not is_suspended
      returning session_id, auth_time, expires_at),
    token as (
      insert into sso.refresh_tokens (token_hash, session_id, generation, expires_at)
      select ${token_hash}, session_id, 1, expires_at from session),
    arrived as (
      update sso.users set last_login_at = session.auth_time from session where user_id = ${user_id}),
    told as (${insertAct(tx, act, from, tx`from session`)})
    select member.role, r.permissions, member.external_id, member.is_suspended, here.token_signing, here.hs_generation,
           here.refresh_seconds, session.session_id, session.auth_time,
           coalesce((select not bool_or(coalesce(is_same, false)) from earlier), false) as is_new_device
      from member cross join here
      join sso.roles r on r.site_id = ${site_id} and r.role = member.role
      left join session on true`
  if (rows[0]?.is_suspended) throw suspended()
  if (!rows[0]?.session_id) return undefined
  const { is_suspended: _, ...opened } = one(rows)
  return opened
}

/** A device is known if it appears among this many of the newest sessions of this many days. */
const [DEVICE_DAYS, DEVICE_SESSIONS] = [90, 50]

/** Strips the version, because a browser changes its user agent with each update. */
const programOf = (sql: Lane, user_agent: ReturnType<Lane>) =>
  sql`regexp_replace(${user_agent}, '[0-9._]+', '', 'g')`

export const suspended = () => refused('account_suspended', 'This account is suspended')
