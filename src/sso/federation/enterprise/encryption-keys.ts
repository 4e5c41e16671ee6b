import { createPrivateKey } from 'node:crypto'
import type { Database, Lane, Tx } from '#foundation/database/database.ts'
import { newId } from '#foundation/ids.ts'
import type { MasterKeys } from '#foundation/security/secrets.ts'
import { makeCertificate } from './certificate.ts'
import type { EncryptionKey } from './fields.ts'

/** The key in our metadata, and earlier keys that still decrypt. */
export const MAX_KEYS = 3

/** A key as stored; the private part is sealed for its key_id. */
export type NewKey = { key_id: string; certificate: string; private_enc: Buffer }

/** Call it outside a transaction: generating a key takes CPU time. */
export async function newEncryptionKey(keys: MasterKeys, connection_id: string): Promise<NewKey> {
  const key_id = newId()
  const { key, certificate } = await makeCertificate(`Lyceum ${connection_id}`)
  return { key_id, certificate, private_enc: keys.seal(key, aadOf(key_id)) }
}

export const insertEncryptionKey = (
  tx: Tx,
  connection_id: string,
  { key_id, certificate, private_enc }: NewKey,
) => tx<EncryptionKey[]>`
  insert into sso.connection_keys (key_id, connection_id, certificate, private_enc)
  values (${key_id}, ${connection_id}, ${certificate}, ${private_enc})
  returning key_id, certificate, created_at, ends_at`

/** The private keys (PEM) that decrypt for a connection, newest first. */
export async function decryptionKeysOf(
  { fast }: Database,
  keys: MasterKeys,
  connection_id: string,
): Promise<string[]> {
  const rows = await fast<{ key_id: string; private_enc: Buffer }[]>`
    select key_id, private_enc from sso.connection_keys
     where connection_id = ${connection_id} and coalesce(ends_at > statement_timestamp(), true)
     order by created_at desc, key_id limit ${MAX_KEYS}`
  return rows.map(({ key_id, private_enc }) =>
    createPrivateKey({ key: keys.open(private_enc, aadOf(key_id)), format: 'der', type: 'pkcs8' })
      .export({ format: 'pem', type: 'pkcs8' })
      .toString(),
  )
}

/** The certificate in our metadata; null for a connection without a key. */
export async function currentCertificate(sql: Lane, connection_id: string): Promise<string | null> {
  const [key] = await sql<{ certificate: string }[]>`
    select certificate from sso.connection_keys where connection_id = ${connection_id} and ends_at is null`
  return key?.certificate ?? null
}

const aadOf = (key_id: string) => `connection_key ${key_id}`
