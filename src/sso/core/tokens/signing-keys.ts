import { createPrivateKey, createPublicKey, generateKeyPair, type KeyObject } from 'node:crypto'
import { promisify } from 'node:util'
import { calculateJwkThumbprint } from 'jose'
import type { Environment } from '#foundation/security/access-tokens.ts'
import type { Lane, Tx } from '#foundation/database/database.ts'
import type { MasterKeys } from '#foundation/security/secrets.ts'
import { StartError } from '#foundation/start-error.ts'

/** A public key as partners read it (RFC 7517). */
export type PublicJwk = { kty: 'RSA'; n: string; e: string; kid: string; use: 'sig'; alg: 'RS256' }

/** What a key signs: access tokens, or the logout tokens of the back channel. Never both. */
export type Purpose = 'access' | 'logout'

/** An opened key. A standby is published, the active one signs, a retiring one still verifies. */
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

/** A key as it is stored, its private part sealed. */
export type NewKey = { kid: string; public_jwk: PublicJwk; private_enc: Buffer }
export type KeyRow = Omit<SigningKey, 'public_jwk' | 'publicKey' | 'privateKey'> & { private_enc: Buffer }

const newKeyPair = promisify(generateKeyPair)

/** The first key of each environment, within the bootstrap's transaction; the rotation adds the rest. */
export async function createSigningKeys(tx: Tx, keys: MasterKeys): Promise<void> {
  for (const environment of ['production', 'sandbox'] as const)
    await insertKey(tx, await newKey(keys), { environment, purpose: 'access', state: 'active' })
}

/** An RSA pair of 2048 bits, made on the thread pool; the kid is its thumbprint (RFC 7638). */
export async function newKey(keys: MasterKeys): Promise<NewKey> {
  const { publicKey, privateKey } = await newKeyPair('rsa', { modulusLength: 2_048 })
  const { n = '', e = '' } = publicKey.export({ format: 'jwk' })
  const kid = await calculateJwkThumbprint({ kty: 'RSA', n, e })
  const private_enc = keys.seal(privateKey.export({ format: 'der', type: 'pkcs8' }), kid)
  return { kid, public_jwk: jwkOf(kid, publicKey), private_enc }
}

/** False: its place is taken, another process was faster. */
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

/** StartError when the master key is another one than it was sealed with. What is published comes from the sealed part. */
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
