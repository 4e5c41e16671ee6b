import { type Static, Type } from 'typebox'
import type { Tx } from '#foundation/database/database.ts'
import { randomToken, sha256 } from '#foundation/security/secrets.ts'
import type { Site } from '#foundation/security/session-gate.ts'
import type { Origin, SsoParts } from '../../core/parts.ts'
import { type Revocation, revokeSessions } from '../../people/sessions/sessions.ts'
import { answerWith, refused, type TokensAnswer } from '../../people/sessions/answer.ts'
import { openAnswer, sealAnswer } from '../completing/stored-answer.ts'
import { type Family, lockFamily, spend } from './refresh-family.ts'

export const RefreshBody = Type.Object({ refresh_token: Type.String() })
export const RefreshHeaders = Type.Object({
  /** 1 to 200 printable ASCII characters. The same key returns a lost answer again. */
  'idempotency-key': Type.Optional(Type.String({ pattern: '^[ -~]{1,200}$' })),
})

type Presented = Static<typeof RefreshBody> & {
  idempotency_key?: string | undefined
  from: Origin
  /** Called if this looks like the same request sent twice. */
  onDoubleSubmit?: () => void
}
export type Refreshed = { answer: TokensAnswer; is_replay: boolean }
/** The session must be revoked before the caller gets an answer; `reason` decides which error they get. */
type Broken = Pick<Revocation, 'user_id' | 'reason'> & { session_id: string }
type DoubleSubmit = 'double submit'

/** The code of the loser of a double submit, whose session goes on; `refresh_token_reused` has ended it. */
export const JUST_USED = 'refresh_token_just_used'

/**
 * Rotates a refresh token; exactly one presentation gets new tokens, races included. A spent token always gets 401, and
 * revokes its whole family unless it looks like the same request sent twice.
 */
export async function refresh(parts: SsoParts, site: Site, presented: Presented): Promise<Refreshed> {
  const { from, onDoubleSubmit } = presented
  const outcome = await parts.database.transaction((tx) => rotate(tx, parts, site, presented))
  if (outcome === 'double submit') {
    onDoubleSubmit?.()
    throw refused(
      JUST_USED,
      'The refresh token was already used a moment ago: go on with the tokens of that answer, the session lives',
    )
  }
  if ('answer' in outcome) return outcome
  // A separate transaction: revocation locks the users row first, and the one above locked only the session.
  const { user_id, reason, session_id } = outcome
  const caller = { user_id: null, site_id: site.site_id }
  await revokeSessions(parts, { user_id, scope: { session_id }, reason, caller, from })
  if (reason === 'max_age') throw refused('refresh_token_expired', 'The session has reached its greatest age')
  if (reason === 'factor_required')
    throw refused('mfa_required', 'The site requires a second factor now; sign in again')
  throw refused('refresh_token_reused', 'The refresh token was already used')
}

async function rotate(
  tx: Tx,
  parts: SsoParts,
  site: Site,
  presented: Presented,
): Promise<Refreshed | Broken | DoubleSubmit> {
  const token_hash = sha256(presented.refresh_token)
  const family = await lockFamily(tx, site, token_hash)
  if (!family) throw refused('refresh_token_invalid', 'The refresh token is not valid')
  const { session_id, user_id } = family
  if (family.is_too_old) return { user_id, session_id, reason: 'max_age' }
  if (family.lacks_factor) return { user_id, session_id, reason: 'factor_required' }
  if (!family.is_spent) {
    const successor = randomToken('rt_')
    const spent = await spend(tx, site, family, {
      token_hash,
      successor_hash: sha256(successor),
      from: presented.from,
    })
    if (!spent) throw refused('refresh_token_invalid', 'The refresh token is not valid')
    if (spent.generation !== null) {
      const answer = await answerWith(parts, site, spent, spent, family, successor)
      if (presented.idempotency_key !== undefined) await keepAnswer(tx, token_hash, presented, answer)
      return { answer, is_replay: false }
    }
  }
  return lookAgain(tx, presented, token_hash, family)
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
 * Finds out, under the family's lock, why the token could not be spent. The conditions of a double submit only ever end
 * (ten seconds pass, the successor is spent), so a following revocation need not check them again.
 */
async function lookAgain(
  tx: Tx,
  { refresh_token, idempotency_key, from }: Presented,
  token_hash: Buffer,
  { session_id, user_id }: Family,
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
