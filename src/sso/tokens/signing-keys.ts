import { createPrivateKey, createPublicKey, generateKeyPair, type KeyObject } from 'node:crypto'
import { promisify } from 'node:util'
import { calculateJwkThumbprint } from 'jose'
import type { Environment } from '#foundation/access-tokens.ts'
import { clock } from '#foundation/clock.ts'
import type { Tx } from '#foundation/database.ts'
import type { MasterKeys } from '#foundation/secrets.ts'
import type { ServiceParts } from '#foundation/service.ts'
import { StartError } from '#foundation/start-error.ts'

/** A public key as partners read it (RFC 7517). */
export type PublicJwk = { kty: 'RSA'; n: string; e: string; kid: string; use: 'sig'; alg: 'RS256' }

type RingKey = {
  kid: string
  environment: Environment
  state: 'standby' | 'active' | 'retiring'
  public_jwk: PublicJwk
  publicKey: KeyObject
  privateKey: KeyObject
}

export type KeyRing = {
  /** A key that verifies; an unknown kid makes the ring look again, at most every 10 s. */
  find(kid: string): RingKey | undefined | Promise<RingKey | undefined>
  signer(environment: Environment): RingKey
  /** Published are standby, active and retiring keys, the eldest first. */
  publicKeys(environment: Environment): PublicJwk[]
  /** Called with the kid of each key that has left the ring. */
  onGone(tell: (kid: string) => void): void
  close(): void
}

const REREAD_MS = 10_000
const newKeyPair = promisify(generateKeyPair)

/** The first key of each environment, within the bootstrap's transaction. */
export async function createSigningKeys(tx: Tx, keys: MasterKeys): Promise<void> {
  const made = await Promise.all([makeKey('production', keys), makeKey('sandbox', keys)])
  for (const { kid, environment, public_jwk, private_enc } of made) {
    await tx`
      insert into sso.signing_keys (kid, environment, alg, purpose, state, public_jwk, private_enc, activated_at)
      values (${kid}, ${environment}, 'RS256', 'access', 'active', ${tx.json(public_jwk)}, ${private_enc},
              clock_timestamp())`
  }
}

/**
 * The RSA keys of both environments, opened. A ring that this process cannot open is a StartError: it would sign
 * nothing and refuse every token.
 */
export async function openKeyRing({ database, keys, log }: ServiceParts): Promise<KeyRing> {
  let ring = await read()
  let readAt = clock.monotonic()
  let reading: Promise<void> | undefined
  const listeners: ((kid: string) => void)[] = []
  for (const environment of ['production', 'sandbox'] as const) signer(environment)

  // Another process may have revoked or added one.
  const timer = setInterval(() => {
    reread().catch((error: unknown) => log.error({ err: error }, 'the signing keys could not be read again'))
  }, REREAD_MS).unref()

  async function read(): Promise<Map<string, RingKey>> {
    const rows = await database.fast<KeyRow[]>`
      select kid, environment, state, public_jwk, private_enc from sso.signing_keys
       where purpose = 'access' and state <> 'revoked' order by created_at, kid`
    return new Map(rows.map((row) => [row.kid, openKey(row, keys)]))
  }

  const reread = () => (reading ??= replace().finally(() => (reading = undefined)))

  async function replace() {
    readAt = clock.monotonic()
    const before = ring
    ring = await read()
    for (const kid of before.keys()) if (!ring.has(kid)) for (const tell of listeners) tell(kid)
  }

  function signer(environment: Environment): RingKey {
    for (const key of ring.values()) if (key.environment === environment && key.state === 'active') return key
    throw new StartError(`The database holds no active signing key for the environment ${environment}`)
  }

  return {
    find(kid) {
      const known = ring.get(kid)
      if (known || (!reading && clock.monotonic() - readAt < REREAD_MS)) return known
      return reread().then(() => ring.get(kid))
    },
    signer,
    publicKeys: (environment) =>
      [...ring.values()].flatMap((key) => (key.environment === environment ? [key.public_jwk] : [])),
    onGone: (tell) => void listeners.push(tell),
    close: () => clearInterval(timer),
  }
}

type KeyRow = Omit<RingKey, 'publicKey' | 'privateKey'> & { private_enc: Buffer }

async function makeKey(environment: Environment, keys: MasterKeys) {
  const { publicKey, privateKey } = await newKeyPair('rsa', { modulusLength: 2_048 })
  const { n = '', e = '' } = publicKey.export({ format: 'jwk' })
  const kid = await calculateJwkThumbprint({ kty: 'RSA', n, e })
  const public_jwk: PublicJwk = { kty: 'RSA', n, e, kid, use: 'sig', alg: 'RS256' }
  const private_enc = keys.seal(privateKey.export({ format: 'der', type: 'pkcs8' }), kid)
  return { kid, environment, public_jwk, private_enc }
}

function openKey({ private_enc, ...row }: KeyRow, keys: MasterKeys): RingKey {
  try {
    const privateKey = createPrivateKey({
      key: keys.open(private_enc, row.kid),
      format: 'der',
      type: 'pkcs8',
    })
    return { ...row, privateKey, publicKey: createPublicKey(privateKey) }
  } catch (error) {
    throw new StartError(
      `The signing key ${row.kid} cannot be opened: start with the MASTER_KEY (or DATA_DIR/master.key) it was made with`,
      { cause: error },
    )
  }
}
