import { type Static, Type } from 'typebox'
import { type Database, one, type Tx } from '#foundation/database/database.ts'
import { notFound } from '#foundation/errors.ts'
import { isStoredTime, readPosition, writePosition } from '#foundation/http/cursor.ts'
import { CursorQuery, orderOf, refuseOtherPage } from '#foundation/http/cursor-page.ts'
import { offsetOf, page } from '#foundation/http/paging.ts'
import { Nullable, OneOf, Time } from '#foundation/http/schemas.ts'
import type { Caller } from '#foundation/security/session-gate.ts'
import { isCleanText } from '#foundation/text.ts'
import { recordAct } from '../../core/audit/audit.ts'
import type { Origin, SsoParts } from '../../core/parts.ts'
import { insertKey, newKey } from '../../core/tokens/signing-keys.ts'
import { requireOperator, requireOperatorNow } from '../../core/access/operator.ts'
import { activateDue, fillPlaces, lockRing, PUBLISHED } from './rotation.ts'

const Environment = OneOf(['sandbox', 'production'])
const Purpose = OneOf(['access', 'logout'])

export type RingKey = Static<typeof RingKey>
export const RingKey = Type.Object({
  kid: Type.String(),
  environment: Environment,
  purpose: Purpose,
  alg: Type.Literal('RS256'),
  state: OneOf(['standby', 'active', 'retiring', 'revoked']),
  created_at: Time,
  activates_at: Nullable(Time),
  activated_at: Nullable(Time),
  retiring_at: Nullable(Time),
  revoked_at: Nullable(Time),
})

export type RingQuery = Static<typeof RingQuery>
export const RingQuery = Type.Object({ ...CursorQuery.properties, environment: Type.Optional(Environment) })

const ORDER = 'keys:-created_at'

/** Lists all keys that were ever in the ring, newest first. 403 for non-operators. */
export async function listRing({ fast }: Database, caller: Caller, query: RingQuery) {
  requireOperator(caller)
  refuseOtherPage(query)
  const environment = query.environment ?? null
  const order = orderOf(ORDER, caller, query)
  const after =
    query.cursor === undefined ? undefined : readPosition(query.cursor, order, [isStoredTime, isCleanText])
  const [time = '', kid = ''] = after ?? []
  const [found, count] = await Promise.all([
    fast<RingKey[]>`
      select kid, environment, purpose, alg, state, created_at, activates_at, activated_at, retiring_at, revoked_at
        from sso.signing_keys where coalesce(environment = ${environment}, true)
             ${after ? fast`and (created_at < ${time}::timestamptz or (created_at = ${time}::timestamptz and kid > ${kid}))` : fast``}
       order by created_at desc, kid limit ${query.per_page + 1} offset ${offsetOf(query)}`,
    fast<{ total: number }[]>`
      select count(*) as total from sso.signing_keys where coalesce(environment = ${environment}, true)`,
  ])
  const items = found.slice(0, query.per_page)
  const last = found.length > query.per_page ? items.at(-1) : undefined
  const next_cursor = last ? writePosition(order, [last.created_at, last.kid]) : null
  return { ...page(items, one(count).total, query), next_cursor }
}

export type RotateBody = Static<typeof RotateBody>
export const RotateBody = Type.Object({
  environment: Environment,
  purpose: Type.Optional(Purpose),
  emergency: Type.Optional(Type.String({ pattern: '^[A-Za-z0-9_-]{43}$' })),
})

export const Rotated = Type.Object({
  environment: Environment,
  purpose: Purpose,
  active_kid: Type.String(),
  standby_kid: Type.String(),
  /** When the standby starts to sign; null: when the active key reaches its age limit. */
  activates_at: Nullable(Time),
  revoked_kid: Nullable(Type.String()),
})
export type Rotated = Static<typeof Rotated>

/**
 * Lets the standby sign now, or from the returned time if it has not been published for ten minutes. `emergency`
 * revokes that key at once. 403 for non-operators, 404 for an unknown kid.
 */
export async function rotate(
  parts: SsoParts,
  caller: Caller,
  body: RotateBody,
  from: Origin,
): Promise<Rotated> {
  requireOperator(caller)
  const { environment, emergency } = body
  if (emergency === undefined) {
    const purpose = body.purpose ?? 'access'
    await activateNext(parts, caller, { environment, purpose }, from)
    return stateOf(parts, { environment, purpose, revoked_kid: null })
  }
  const purpose = await revokeKey(parts, caller, { environment, kid: emergency }, from)
  // Last, because generating a standby is slow and must not delay the revocation.
  if (await fillPlaces(parts)) await parts.ring.readAgain()
  return stateOf(parts, { environment, purpose, revoked_kid: emergency })
}

type Place = Pick<RingKey, 'environment' | 'purpose'>

async function activateNext(parts: SsoParts, caller: Caller, place: Place, from: Origin) {
  const { environment, purpose } = place
  try {
    await fillPlaces(parts)
    await parts.database.transaction(async (tx) => {
      await lockRing(tx)
      await requireOperatorNow(tx, caller)
      const [asked] = await tx<{ kid: string; activates_at: string }[]>`
        update sso.signing_keys
           set activates_at = greatest(date_trunc('milliseconds', clock_timestamp()),
                                       created_at + make_interval(mins => ${PUBLISHED}))
         where environment = ${environment} and purpose = ${purpose} and state = 'standby' and activates_at is null
        returning kid, activates_at`
      if (asked) await recordAct(tx, act('signing_key.rotation_asked', caller, place, asked), from)
      await activateDue(tx)
    })
    await fillPlaces(parts)
  } finally {
    await parts.ring.readAgain()
  }
}

/** A repeat changes nothing. The new key was never published as a standby; partners find it by its kid. */
async function revokeKey(
  parts: SsoParts,
  caller: Caller,
  { environment, kid }: { environment: RingKey['environment']; kid: string },
  from: Origin,
): Promise<RingKey['purpose']> {
  const fresh = await newKey(parts.keys)
  try {
    return await parts.database.transaction(async (tx) => {
      await lockRing(tx)
      await requireOperatorNow(tx, caller)
      const [key] = await tx<RingKey[]>`
        select purpose, state from sso.signing_keys where kid = ${kid} and environment = ${environment}`
      if (!key) throw notFound()
      if (key.state === 'revoked') return key.purpose
      await tx`
        update sso.signing_keys set state = 'revoked', revoked_at = clock_timestamp(), private_enc = null
         where kid = ${kid} and environment = ${environment}`
      const place = { environment, purpose: key.purpose }
      if (key.state === 'active') await insertKey(tx, fresh, { ...place, state: 'active' })
      if (key.purpose === 'access') await endAllAccessTokens(tx, environment)
      const details = { kid, reason: 'emergency', was: key.state }
      await recordAct(tx, act('signing_key.revoked', caller, place, details), from)
      return key.purpose
    })
  } finally {
    await parts.ring.readAgain()
  }
}

/** Locks in id order, like all other code. With many people it takes longer than the normal statement timeout. */
async function endAllAccessTokens(tx: Tx, environment: RingKey['environment']) {
  await tx`set local statement_timeout = '10min'`
  await tx`
    with everybody as (
      select user_id from sso.users where environment = ${environment} and status <> 'deleted'
       order by user_id for no key update)
    update sso.users u set session_version = session_version + 1 from everybody where u.user_id = everybody.user_id`
}

async function stateOf(
  { database }: SsoParts,
  { environment, purpose, revoked_kid }: Place & { revoked_kid: string | null },
): Promise<Rotated> {
  const rows = await database.pool<Omit<Rotated, 'environment' | 'purpose' | 'revoked_kid'>[]>`
    select a.kid as active_kid, s.kid as standby_kid, s.activates_at
      from sso.signing_keys a join sso.signing_keys s using (environment, purpose)
     where environment = ${environment} and purpose = ${purpose} and a.state = 'active' and s.state = 'standby'`
  return { environment, purpose, ...one(rows), revoked_kid }
}

function act(
  action: 'signing_key.rotation_asked' | 'signing_key.revoked',
  caller: Caller,
  { environment, purpose }: Place,
  details: Record<string, string>,
) {
  return {
    action,
    environment,
    site_id: caller.site_id,
    actor_user_id: caller.user_id,
    subject_user_id: null,
    details: { ...details, purpose },
  }
}
