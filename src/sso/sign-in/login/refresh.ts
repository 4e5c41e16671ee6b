import { type Static, Type } from 'typebox'
import type { Tx } from '#foundation/database.ts'
import { randomToken, sha256 } from '#foundation/secrets.ts'
import type { Site } from '#foundation/session-gate.ts'
import { lacksFactor } from '../../people/sessions/required.ts'
import type { Origin, SsoParts } from '../../core/parts.ts'
import { type Revocation, revokeSessions } from '../../people/sessions/sessions.ts'
import { userColumns, type UserRow } from '../../people/person/users.ts'
import {
  answerWith,
  type Membership,
  refused,
  SESSION_MAX_DAYS,
  type TokensAnswer,
} from '../../people/sessions/answer.ts'
import { REFRESH_SECONDS } from '../../core/tokens/lifetimes.ts'
import { openAnswer, sealAnswer } from '../completing/stored-answer.ts'

export const RefreshBody = Type.Object({ refresh_token: Type.String() })
export const RefreshHeaders = Type.Object({
  /** 1 to 200 printable characters of ASCII: the same key brings a lost answer again. */
  'idempotency-key': Type.Optional(Type.String({ pattern: '^[ -~]{1,200}$' })),
})

type Presented = Static<typeof RefreshBody> & { idempotency_key?: string | undefined }
export type Refreshed = { answer: TokensAnswer; is_replay: boolean }
/** The session must end before anything is answered; `code` is what the caller then hears. */
type Broken = Pick<Revocation, 'user_id' | 'reason'> & { session_id: string }
type DoubleSubmit = 'double submit'

/**
 * Spends a refresh token and answers with new tokens: one presentation each, races included. A token that was spent
 * already is 401 whatever happens; unless it looks like the same request sent twice, its whole family dies.
 */
export async function refresh(
  parts: SsoParts,
  site: Site,
  presented: Presented,
  from: Origin,
  countDoubleSubmit: () => void,
): Promise<Refreshed> {
  const outcome = await parts.database.transaction((tx) => rotate(tx, parts, site, presented, from))
  if (outcome === 'double submit') countDoubleSubmit()
  else if ('answer' in outcome) return outcome
  else {
    // A transaction of its own: revocation locks the users row first, the one above held only the session.
    const { user_id, reason, session_id } = outcome
    const caller = { user_id: null, site_id: site.site_id }
    await revokeSessions(parts, { user_id, scope: { session_id }, reason, caller, from })
    if (reason === 'max_age')
      throw refused('refresh_token_expired', 'The session has reached its greatest age')
    if (reason === 'factor_required')
      throw refused('mfa_required', 'The site requires a second factor now; sign in again')
  }
  throw refused('refresh_token_reused', 'The refresh token was already used')
}

type Family = {
  session_id: string
  user_id: string
  auth_methods: string[]
  auth_time: string
  is_spent: boolean
  is_too_old: boolean
  lacks_factor: boolean
}

async function rotate(
  tx: Tx,
  parts: SsoParts,
  site: Site,
  presented: Presented,
  from: Origin,
): Promise<Refreshed | Broken | DoubleSubmit> {
  const token_hash = sha256(presented.refresh_token)
  const family = await lockFamily(tx, site, token_hash)
  if (!family) throw refused('refresh_token_invalid', 'The refresh token is not valid')
  const { session_id, user_id } = family
  if (family.is_too_old) return { user_id, session_id, reason: 'max_age' }
  if (family.lacks_factor) return { user_id, session_id, reason: 'factor_required' }
  if (!family.is_spent) {
    const successor = randomToken('rt_')
    const spent = await spend(tx, site, family, { token_hash, successor_hash: sha256(successor), from })
    if (!spent) throw refused('refresh_token_invalid', 'The refresh token is not valid')
    if (spent.generation !== null) {
      const answer = await answerWith(parts, site, spent, spent, family, successor)
      if (presented.idempotency_key !== undefined) await keepAnswer(tx, token_hash, presented, answer)
      return { answer, is_replay: false }
    }
  }
  return lookAgain(tx, presented, token_hash, family, from)
}

/**
 * The session row is the family, and its lock lets one presentation in at a time. What is read of the token
 * itself may be stale by then; only `spend` decides.
 */
async function lockFamily(tx: Tx, { site_id }: Site, token_hash: Buffer): Promise<Family | undefined> {
  const [family] = await tx<Family[]>`
    select s.session_id, s.user_id, s.auth_methods, s.auth_time, t.consumed_at is not null as is_spent,
           ${bornAt(tx)} + make_interval(days => ${maxDays(tx)}) <= clock_timestamp() as is_too_old,
           exists (select from sso.memberships m join sso.roles r using (site_id, role)
                    where m.user_id = s.user_id and m.site_id = s.site_id
                      and ${lacksFactor(tx, tx`s.auth_methods`)}) as lacks_factor
      from sso.refresh_tokens t join sso.sessions s using (session_id) join sso.sites i using (site_id)
     where t.token_hash = ${token_hash} and s.site_id = ${site_id} and s.revoked_at is null
       for no key update of s`
  return family
}

/** The greatest age of a session counts from the sign-in, also where a cookie carried it over from another site. */
const bornAt = (tx: Tx) => tx`least(s.created_at, s.auth_time)`
const maxDays = (tx: Tx) => tx`coalesce(i.session_max_days, ${SESSION_MAX_DAYS}::int)`

type Spent = UserRow & Membership & { generation: number | null }

/**
 * In one statement, with a snapshot taken after the lock: the person as they are now, the only place where a
 * token is spent, its successor, and the session's new end. Undefined: account, membership or site are not alive;
 * generation null: the token was not to be spent. The stored answer of the generation before is of no use any more.
 */
async function spend(
  tx: Tx,
  { site_id, tenant_id }: Site,
  { session_id, user_id }: Family,
  { token_hash, successor_hash, from }: { token_hash: Buffer; successor_hash: Buffer; from: Origin },
): Promise<Spent | undefined> {
  const [spent] = await tx<Spent[]>`
    with account as (
      select ${userColumns(tx, tenant_id)}, m.role, r.permissions, m.external_id, i.token_signing, i.hs_generation,
             least(${REFRESH_SECONDS}::int, ${maxDays(tx)} * 86400
                   - ceil(extract(epoch from clock_timestamp() - ${bornAt(tx)}))::int) as refresh_seconds
        from sso.users u join sso.memberships m using (user_id) join sso.sites i using (site_id)
        join sso.roles r using (site_id, role)
        join sso.sessions s on s.session_id = ${session_id} and s.user_id = u.user_id
       where u.user_id = ${user_id} and u.status = 'active' and m.site_id = ${site_id} and m.suspended_at is null
         and i.deleted_at is null),
    spent as (
      update sso.refresh_tokens
         set consumed_at = clock_timestamp(), successor_hash = ${successor_hash}, consumed_ip = ${from.ip_address},
             consumed_ua_hash = ${sha256(from.user_agent)}
       where token_hash = ${token_hash} and consumed_at is null and expires_at > clock_timestamp()
         and exists (select from account)
      returning generation),
    successor as (
      insert into sso.refresh_tokens (token_hash, session_id, generation, issued_at, expires_at)
      select ${successor_hash}, ${session_id}, generation + 1, clock_timestamp(),
             clock_timestamp() + make_interval(secs => refresh_seconds) from spent, account),
    family as (
      update sso.sessions
         set last_seen_at = clock_timestamp(), expires_at = clock_timestamp() + make_interval(secs => refresh_seconds)
        from spent, account where session_id = ${session_id}),
    forgotten as (
      update sso.refresh_tokens t set response_enc = null
        from spent
       where t.session_id = ${session_id} and t.generation = spent.generation - 1 and t.response_enc is not null)
    select account.*, spent.generation from account left join spent on true`
  return spent
}

async function keepAnswer(tx: Tx, token_hash: Buffer, presented: Presented, answer: TokensAnswer) {
  const { refresh_token, idempotency_key = '' } = presented
  await tx`
    update sso.refresh_tokens
       set idempotency_hash = ${sha256(idempotency_key)},
           response_enc = ${sealAnswer(refresh_token, idempotency_key, JSON.stringify(answer))}
     where token_hash = ${token_hash}`
}

type Second = {
  is_spent: boolean
  is_double_submit: boolean | null
  may_replay: boolean | null
  response_enc: Buffer | null
}

/**
 * Under the family's lock: why was the token not to be spent? The facts that make a double submit only ever fade
 * (ten seconds pass, the successor is spent), so the revocation that may follow need not look at them once more.
 */
async function lookAgain(
  tx: Tx,
  { refresh_token, idempotency_key }: Presented,
  token_hash: Buffer,
  { session_id, user_id }: Family,
  from: Origin,
): Promise<Refreshed | Broken | DoubleSubmit> {
  const idempotency_hash = idempotency_key === undefined ? null : sha256(idempotency_key)
  const [second] = await tx<Second[]>`
    select t.consumed_at is not null as is_spent, t.response_enc,
           t.idempotency_hash = ${idempotency_hash} and t.consumed_at > clock_timestamp() - interval '60 s'
             and n.consumed_at is null as may_replay,
           i.refresh_reuse_policy = 'tolerant' and t.consumed_at > clock_timestamp() - interval '10 s'
             and t.consumed_ip = ${from.ip_address} and t.consumed_ua_hash = ${sha256(from.user_agent)}
             and n.consumed_at is null as is_double_submit
      from sso.refresh_tokens t join sso.sessions s using (session_id) join sso.sites i using (site_id)
      join sso.refresh_tokens n on n.token_hash = coalesce(t.successor_hash, t.token_hash)
     where t.token_hash = ${token_hash}`
  if (!second?.is_spent) throw refused('refresh_token_expired', 'The refresh token has expired')
  if (second.may_replay && second.response_enc && idempotency_key !== undefined) {
    const answer = JSON.parse(openAnswer(refresh_token, idempotency_key, second.response_enc)) as TokensAnswer
    return { answer, is_replay: true }
  }
  return second.is_double_submit ? 'double submit' : { user_id, session_id, reason: 'refresh_token_reuse' }
}
