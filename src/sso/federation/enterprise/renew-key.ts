import { type Static, Type } from 'typebox'
import { one } from '#foundation/database/database.ts'
import { conflict, unprocessable } from '#foundation/errors.ts'
import type { SsoParts } from '../../core/parts.ts'
import { lockPlanned, requirePlanned } from './access.ts'
import { type By, type Ids, lockConnection, note } from './connections.ts'
import { insertEncryptionKey, MAX_KEYS, newEncryptionKey } from './encryption-keys.ts'
import type { EncryptionKey } from './fields.ts'

export type NewKeyBody = Static<typeof NewKeyBody>
/** Days for which the previous key still decrypts; use 0 if it may have leaked. */
export const NewKeyBody = Type.Object({
  overlap_days: Type.Integer({ minimum: 0, maximum: 90, default: 30 }),
})

/**
 * Creates the next key of a SAML connection. Our metadata shows it from now on; the previous key decrypts until its
 * end. 403, 404, 409 encryption_key_limit, 422 for a connection of another type.
 */
export async function renewEncryptionKey(
  { database, keys }: SsoParts,
  by: By,
  ids: Ids,
  { overlap_days }: NewKeyBody,
): Promise<EncryptionKey> {
  const { caller } = by
  await requirePlanned(database.fast, caller, ids.site_id)
  const { connection_id } = ids
  const made = await newEncryptionKey(keys, connection_id)
  return database.transaction(async (tx) => {
    const site = await lockPlanned(tx, caller, ids.site_id)
    const { type } = await lockConnection(tx, ids)
    if (type !== 'saml') throw unprocessable('type', 'not_allowed', 'only connections of type saml have keys')
    // Deleted, not ended: the database rounds times to milliseconds, so an end of now can lie ahead.
    if (overlap_days === 0) await tx`delete from sso.connection_keys where connection_id = ${connection_id}`
    else {
      await tx`
        update sso.connection_keys set ends_at = clock_timestamp() + make_interval(days => ${overlap_days})
         where connection_id = ${connection_id} and ends_at is null`
      await tx`
        delete from sso.connection_keys where connection_id = ${connection_id} and ends_at <= clock_timestamp()`
    }
    const counted = await tx<{ total: number }[]>`
      select count(*) as total from sso.connection_keys where connection_id = ${connection_id}`
    if (one(counted).total >= MAX_KEYS)
      throw conflict('encryption_key_limit', `A connection has at most ${MAX_KEYS} keys that decrypt`)
    const key = one(await insertEncryptionKey(tx, connection_id, made))
    const details = { connection_id, key_id: key.key_id, overlap_days: String(overlap_days) }
    await note(tx, by, site, { action: 'connection.key_renewed', details })
    return key
  })
}
