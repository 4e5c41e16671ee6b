import { type Static, Type } from 'typebox'
import { type Database, one, type Tx } from '#foundation/database/database.ts'
import { conflict } from '#foundation/errors.ts'
import { offsetOf, page, PageOf, type PageQuery } from '#foundation/http/paging.ts'
import { Nullable, OneOf, Time, Uuid } from '#foundation/http/schemas.ts'
import type { Caller } from '#foundation/security/session-gate.ts'
import { byOneself, recordAct } from '../../core/audit/audit.ts'
import { queueNotice } from '../../people/letters/letters.ts'
import type { Origin, SsoParts } from '../../core/parts.ts'
import { endSessions } from '../../people/sessions/sessions.ts'
import { deleteChallenges } from '../../people/sessions/waiting.ts'
import { lockSelf } from '../../people/person/self.ts'
import { deleteRecoveryCodes } from './recovery-codes.ts'

export const FACTOR_TYPES = ['totp', 'webauthn', 'email', 'sms'] as const
export type FactorType = (typeof FACTOR_TYPES)[number]

export type Factor = Static<typeof Factor>
export const Factor = Type.Object({
  factor_id: Uuid,
  type: OneOf([...FACTOR_TYPES]),
  name: Nullable(Type.String()),
  created_at: Time,
  activated_at: Nullable(Time),
  last_used_at: Nullable(Time),
})

export const Factors = Type.Object({
  ...PageOf(Factor).properties,
  recovery_codes_left: Type.Integer(),
})

/** Seconds within which an enrolment must be activated. */
export const ENROLMENT_LIFE = 600

/** The caller's factors, oldest first, with enrolments that can still be activated. Contains no secret. */
export async function listFactors({ fast }: Database, { user_id }: Caller, query: PageQuery) {
  const isKept = fast`
    user_id = ${user_id}
    and (activated_at is not null
         or created_at > statement_timestamp() - make_interval(secs => ${ENROLMENT_LIFE}))`
  const [items, counts] = await Promise.all([
    fast<Factor[]>`
      select factor_id, type, name, created_at, activated_at, last_used_at from sso.mfa_factors
       where ${isKept} order by created_at, factor_id limit ${query.per_page} offset ${offsetOf(query)}`,
    fast<{ total: number; recovery_codes_left: number }[]>`
      select (select count(*) from sso.mfa_factors where ${isKept}) as total,
             (select count(*) from sso.recovery_codes
               where user_id = ${user_id} and used_at is null) as recovery_codes_left`,
  ])
  const { total, recovery_codes_left } = one(counts)
  return { ...page([...items], total, query), recovery_codes_left }
}

/**
 * Deletes a factor. Ends the person's other sessions and waiting sign-ins, and tells the person by mail. Deleting the
 * last factor also deletes the recovery codes. False if the caller has no such factor; 409 last_passkey if the caller
 * could not sign in without it.
 */
export async function deleteFactor(parts: SsoParts, caller: Caller, factor_id: string, from: Origin) {
  const { user_id } = caller
  return await parts.database.transaction(async (tx) => {
    const { email } = await lockSelf(tx, caller)
    const [gone] = await tx<{ type: FactorType; is_active: boolean }[]>`
        delete from sso.mfa_factors where factor_id = ${factor_id} and user_id = ${user_id}
        returning type, activated_at is not null as is_active`
    if (!gone) return false
    if (!gone.is_active) return true
    if (gone.type === 'webauthn' && !(await hasWayIn(tx, user_id))) throw lastPasskey()
    await forgetCodesOfLast(tx, user_id)
    await deleteChallenges(tx, user_id)
    await endSessions(tx, {
      user_id,
      scope: { except_session_id: caller.session_id },
      reason: 'factor_removed',
      always_bump: true,
      caller,
      from,
    })
    const details = { factor_id, type: gone.type }
    await recordAct(tx, { action: 'mfa.factor_removed', ...byOneself(caller, user_id), details }, from)
    await queueNotice(tx, parts, 'factor_removed_notice', { user: { user_id, email }, site: caller })
    return true
  })
}

/** A password, an identity provider, or a passkey that signs in alone. */
async function hasWayIn(tx: Tx, user_id: string): Promise<boolean> {
  const [way] = await tx`
    select from sso.users u
     where u.user_id = ${user_id}
       and (u.password_hash is not null
            or exists (select from sso.identities i where i.user_id = u.user_id)
            or exists (select from sso.mfa_factors f
                        where f.user_id = u.user_id and f.activated_at is not null and f.is_user_verified))`
  return way !== undefined
}

const lastPasskey = () =>
  conflict(
    'last_passkey',
    'Without this passkey nothing would open your account: add another passkey or choose a password first',
  )

async function forgetCodesOfLast(tx: Tx, user_id: string) {
  const [other] = await tx`
    select from sso.mfa_factors where user_id = ${user_id} and activated_at is not null limit 1`
  if (!other) await deleteRecoveryCodes(tx, user_id)
}
