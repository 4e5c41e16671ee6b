import { type Static, Type } from 'typebox'
import type { Database } from '#foundation/database/database.ts'
import { Nullable, Time } from '#foundation/http/schemas.ts'
import type { MasterKeys } from '#foundation/security/secrets.ts'
import type { Caller } from '#foundation/security/session-gate.ts'
import { isCleanText } from '#foundation/text.ts'
import type { SsoParts } from '../../core/parts.ts'
import { type Ids, readConnection } from './connections.ts'
import type { Proof } from './proof.ts'

/** Bounds of what is kept: names, values of each, and characters of a value. */
const [MAX_NAMES, MAX_VALUES, MAX_LENGTH] = [50, 10, 200]

export type Claims = Static<typeof Claims>
export const Claims = Type.Object({
  /** When somebody last came from the provider; null if nobody did within a day. */
  told_at: Nullable(Time),
  attributes: Type.Array(Type.Object({ name: Type.String(), values: Type.Array(Type.String()) })),
})

/**
 * Keeps for a day what the provider said about who came last, also where the sign-in is refused for it. The values are
 * those of a person, so they are sealed and one sign-in replaces another.
 */
export async function keepClaims(
  { database, keys }: SsoParts,
  connection_id: string,
  { attributes }: Pick<Proof, 'attributes'>,
): Promise<void> {
  const kept = Object.entries(attributes)
    .filter(([name]) => name.length <= MAX_LENGTH && isCleanText(name))
    .slice(0, MAX_NAMES)
    .map(([name, values]) => ({
      name,
      values: values
        .filter(isCleanText)
        .slice(0, MAX_VALUES)
        .map((value) => Array.from(value).slice(0, MAX_LENGTH).join('')),
    }))
  const sealed = keys.seal(Buffer.from(JSON.stringify(kept)), aadOf(connection_id))
  await database.pool`
    insert into sso.connection_claims as c (connection_id, claims_enc, expires_at)
    select connection_id, ${sealed}, clock_timestamp() + interval '1 day'
      from sso.connections where connection_id = ${connection_id} for key share
        on conflict (connection_id) do update
       set claims_enc = excluded.claims_enc, told_at = clock_timestamp(), expires_at = excluded.expires_at`
}

/** What the provider said about who came last. 403, 404, 403 plan_required. */
export async function readClaims(
  { fast }: Database,
  keys: MasterKeys,
  caller: Caller,
  ids: Ids,
): Promise<Claims> {
  const { connection_id } = await readConnection(fast, caller, ids)
  const [found] = await fast<{ claims_enc: Buffer; told_at: string }[]>`
    select claims_enc, told_at from sso.connection_claims
     where connection_id = ${connection_id} and expires_at > statement_timestamp()`
  if (!found) return { told_at: null, attributes: [] }
  const text = keys.open(found.claims_enc, aadOf(connection_id)).toString('utf8')
  return { told_at: found.told_at, attributes: JSON.parse(text) as Claims['attributes'] }
}

const aadOf = (connection_id: string) => `claims ${connection_id}`
