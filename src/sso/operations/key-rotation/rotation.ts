import type { Environment } from '#foundation/security/access-tokens.ts'
import type { Tx } from '#foundation/database/database.ts'
import type { ServiceParts } from '#foundation/http/service.ts'
import { recordAct } from '../../core/audit/audit.ts'
import type { KeyRing } from '../../core/tokens/key-ring.ts'
import { insertKey, newKey, type Purpose } from '../../core/tokens/signing-keys.ts'

type Place = { environment: Environment; purpose: Purpose }
type Turned = Place & { kid: string }

/**
 * Minutes a standby is published before it may sign: partners cache the key set for five minutes, our processes for ten
 * seconds.
 */
export const PUBLISHED = 10
/** Days a key signs. */
const SIGNS = 90
/**
 * Minutes a retiring key still verifies: 30 for the life of its last token, five for partners' caches, one for clock
 * skew.
 */
const RETIRES = 36
const STEP_MS = 60_000

export type Rotation = { close: () => Promise<void> }

/**
 * Runs a rotation step now and then every minute, in every process. Resolves when the ring has all its keys; if the
 * first step fails, the start fails.
 */
export async function startRotation(parts: ServiceParts, ring: KeyRing): Promise<Rotation> {
  const { log, database } = parts
  const run = async () => {
    if (await takeStep(parts)) await ring.readAgain()
  }
  await run()
  let step = Promise.resolve()
  const timer = setInterval(() => {
    // Skip the step while the database is unavailable.
    if (!database.isAvailable()) return
    step = step.then(run).catch((error: unknown) => {
      log.error({ err: error }, 'the signing keys could not be rotated')
    })
  }, STEP_MS).unref()
  return {
    async close() {
      clearInterval(timer)
      await step
    },
  }
}

/**
 * Does the rotation work that is due; idempotent and safe to run concurrently. Removes keys that retired long enough
 * ago, retires keys that signed long enough, and gives every environment and purpose an active key and a standby. True:
 * the ring changed.
 */
export async function takeStep(parts: Pick<ServiceParts, 'database' | 'keys'>): Promise<boolean> {
  const isTurned = await parts.database.transaction(async (tx) => {
    await lockRing(tx)
    const left = await removeRetired(tx)
    const turned = await activateDue(tx)
    return left.length + turned.length > 0
  })
  return (await fillPlaces(parts)) || isTurned
}

/** Take this lock before any change to existing keys. */
export const lockRing = (tx: Tx) =>
  tx`select kid from sso.signing_keys where state <> 'revoked' order by kid for update`

async function removeRetired(tx: Tx): Promise<Turned[]> {
  const left = await tx<Turned[]>`
    update sso.signing_keys set state = 'revoked', revoked_at = clock_timestamp(), private_enc = null
     where state = 'retiring' and retiring_at <= statement_timestamp() - make_interval(mins => ${RETIRES})
    returning kid, environment, purpose`
  for (const { environment, ...details } of left)
    await recordAct(
      tx,
      {
        ...BY_SCHEDULE,
        action: 'signing_key.revoked',
        environment,
        details: { ...details, reason: 'retired' },
      },
      undefined,
    )
  return left
}

/** Activates the standby where the active key reached its age limit or an operator requested it. */
export async function activateDue(tx: Tx): Promise<Turned[]> {
  const retired = await tx<Turned[]>`
    update sso.signing_keys a set state = 'retiring', retiring_at = clock_timestamp()
      from sso.signing_keys s
     where a.state = 'active' and s.state = 'standby'
       and s.environment = a.environment and s.purpose = a.purpose
       and s.created_at <= statement_timestamp() - make_interval(mins => ${PUBLISHED})
       and (a.activated_at <= statement_timestamp() - make_interval(days => ${SIGNS})
            or s.activates_at <= statement_timestamp())
    returning a.kid, a.environment, a.purpose`
  for (const { kid: retired_kid, environment, purpose } of retired) {
    const [next] = await tx<{ kid: string }[]>`
      update sso.signing_keys set state = 'active', activated_at = clock_timestamp()
       where environment = ${environment} and purpose = ${purpose} and state = 'standby'
      returning kid`
    const details = { kid: next?.kid ?? '', purpose, retired_kid }
    await recordAct(tx, { ...BY_SCHEDULE, action: 'signing_key.activated', environment, details }, undefined)
  }
  return retired
}

/** Creates missing keys. A unique constraint on their place decides between processes. True: one was created. */
export async function fillPlaces({
  database,
  keys,
}: Pick<ServiceParts, 'database' | 'keys'>): Promise<boolean> {
  const missing = await database.pool<(Place & { state: 'active' | 'standby' })[]>`
    select environment, purpose, state
      from unnest(array['production', 'sandbox']) as e (environment)
     cross join unnest(array['access', 'logout']) as p (purpose)
     cross join unnest(array['active', 'standby']) as s (state)
     where not exists (
       select from sso.signing_keys k
        where k.environment = e.environment and k.purpose = p.purpose and k.state = s.state)`
  const made = await Promise.all(missing.map(async (place) => ({ key: await newKey(keys), place })))
  if (made.length === 0) return false
  return database.transaction(async (tx) => {
    let isChanged = false
    for (const { key, place } of made) isChanged = (await insertKey(tx, key, place)) || isChanged
    return isChanged
  })
}

const BY_SCHEDULE = { site_id: null, actor_user_id: null, subject_user_id: null } as const
