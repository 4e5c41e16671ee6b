import { createPrivateKey, createPublicKey, generateKeyPair, type KeyObject } from 'node:crypto'
import { promisify } from 'node:util'
import { calculateJwkThumbprint } from 'jose'
import type { Environment } from '#foundation/security/access-tokens.ts'
import type { Lane, Tx } from '#foundation/database/database.ts'
import type { MasterKeys } from '#foundation/security/secrets.ts'
import { StartError } from '#foundation/start-error.ts'

/** A public key as partners receive it (RFC 7517). */
export type PublicJwk = { kty: 'RSA'; n: string; e: string; kid: string; use: 'sig'; alg: 'RS256' }

/** What a key signs: access tokens or back-channel logout tokens, never both. */
export type Purpose = 'access' | 'logout'

/** An opened key. A standby is published, the active one signs, a retiring one only verifies. */
export type SigningKey = {
  kid: string
  environment: Environment
  purpose: Purpose
  state: 'standby' | 'active' | 'retiring'
  /** ISO 8601; null for a standby. */
  activated_at: string | null
  public_jwk: PublicJwk
  publicKey: KeyObject
  privateKey: KeyObject
}

/** A key as stored, with an encrypted private key. */
export type NewKey = { kid: string; public_jwk: PublicJwk; private_enc: Buffer }
export type KeyRow = Omit<SigningKey, 'public_jwk' | 'publicKey' | 'privateKey'> & { private_enc: Buffer }

const newKeyPair = promisify(generateKeyPair)

/** Creates the first key of each environment in the bootstrap's transaction; the rotation adds the others. */
export async function createSigningKeys(tx: Tx, keys: MasterKeys): Promise<void> {
  for (const environment of ['production', 'sandbox'] as const)
    await insertKey(tx, await newKey(keys), { environment, purpose: 'access', state: 'active' })
}

/** Generates a 2048-bit RSA key pair on the thread pool; the kid is its thumbprint (RFC 7638). */
export async function newKey(keys: MasterKeys): Promise<NewKey> {
  const { publicKey, privateKey } = await newKeyPair('rsa', { modulusLength: 2_048 })
  const { n = '', e = '' } = publicKey.export({ format: 'jwk' })
  const kid = await calculateJwkThumbprint({ kty: 'RSA', n, e })
  const private_enc = keys.seal(privateKey.export({ format: 'der', type: 'pkcs8' }), kid)
  return { kid, public_jwk: jwkOf(kid, publicKey), private_enc }
}

/** Returns false when another process has already inserted the key for this slot. */
export async function insertKey(
  sql: Lane,
  { kid, public_jwk, private_enc }: NewKey,
  { environment, purpose, state }: Pick<SigningKey, 'environment' | 'purpose' | 'state'>,
): Promise<boolean> {
  const { count } = await sql`
    insert into sso.signing_keys (kid, environment, alg, purpose, state, public_jwk, private_enc, activated_at)
    values (${kid}, ${environment}, 'RS256', ${purpose}, ${state}, ${sql.json(public_jwk)}, ${private_enc},
            case when ${state}::text = 'active' then clock_timestamp() end)
    on conflict do nothing`
  return count === 1
}

/**
 * Throws StartError when the key was encrypted with another master key. The published key is derived from the private
 * key.
 */
export function openKey({ private_enc, ...row }: KeyRow, keys: MasterKeys): SigningKey {
  try {
    const der = keys.open(private_enc, row.kid)
    const privateKey = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
    const publicKey = createPublicKey(privateKey)
    return { ...row, public_jwk: jwkOf(row.kid, publicKey), privateKey, publicKey }
  } catch (error) {
    throw new StartError(
      `The signing key ${row.kid} cannot be opened: start with the MASTER_KEY (or DATA_DIR/master.key) it was made with`,
      { cause: error },
    )
  }
}

function jwkOf(kid: string, publicKey: KeyObject): PublicJwk {
  const { n = '', e = '' } = publicKey.export({ format: 'jwk' })
  return { kty: 'RSA', n, e, kid, use: 'sig', alg: 'RS256' }
}
