import type { Environment } from '#foundation/security/access-tokens.ts'
import { clock } from '#foundation/clock.ts'
import { degraded, healthy, type PartHealth } from '#foundation/database/health.ts'
import type { ServiceParts } from '#foundation/http/service.ts'
import { type KeyRow, openKey, type PublicJwk, type Purpose, type SigningKey } from './signing-keys.ts'

/** The RSA keys of both environments, in memory. */
export type KeyRing = {
  /** Finds a key that verifies access tokens. An unknown kid is looked up in the database. */
  find(kid: string): Promise<SigningKey | undefined>
  signer(environment: Environment, purpose?: Purpose): SigningKey
  /** Standby, active and retiring keys of both purposes, oldest first. */
  publicKeys(environment: Environment): PublicJwk[]
  /** Reloads the ring from the database. */
  readAgain(): Promise<void>
  /** Called with the kid of each key that has left the ring. */
  onGone(tell: (kid: string) => void): void
  /** Degraded: not reloaded for a minute, a key that cannot be opened, or one that has been signing for too long. */
  health(): PartHealth
  close(): void
}

const REREAD_MS = 10_000
const STALE_MS = 60_000
/** One day more than rotation.ts lets a key sign. */
const OVERDUE_MS = 91 * 86_400_000
/** Format of our kids: SHA-256 in base64url. */
const THUMBPRINT = /^[\w-]{43}$/

/**
 * Loads and opens the key ring, then reloads it every 10 s because another process may rotate or revoke. Throws
 * StartError for a key that cannot be opened, since this process would refuse valid tokens.
 */
export async function openKeyRing({ database, keys, log }: ServiceParts): Promise<KeyRing> {
  const listeners: ((kid: string) => void)[] = []
  let ring = new Map((await readRows()).map((row) => [row.kid, openKey(row, keys)]))
  let readAt = clock.monotonic()
  let isWhole = true
  let reading: Promise<void> | undefined
  let next: Promise<void> | undefined

  // docs/decisions/key-rotation.md explains why this polls instead of using LISTEN.
  const timer = setInterval(() => {
    readAgain().catch((error: unknown) =>
      log.error({ err: error }, 'the signing keys could not be read again'),
    )
  }, REREAD_MS).unref()

  function readRows() {
    return database.fast<KeyRow[]>`
      select kid, environment, purpose, state, activated_at, private_enc from sso.signing_keys
       where state <> 'revoked' order by created_at, kid`
  }

  /** A call during a reload waits for the next one: the reload under way may be older than the caller's change. */
  function readAgain(): Promise<void> {
    if (!reading) return (reading = replace().finally(() => (reading = undefined)))
    return (next ??= reading.then(readNext, readNext))
  }

  function readNext() {
    next = undefined
    return readAgain()
  }

  async function replace() {
    const rows = await readRows()
    const before = ring
    const opened = rows.flatMap((row) => openIfPossible(row, before.get(row.kid)) ?? [])
    ring = new Map(opened.map((key) => [key.kid, key]))
    isWhole = opened.length === rows.length
    readAt = clock.monotonic()
    for (const kid of before.keys()) if (!ring.has(kid)) for (const tell of listeners) tell(kid)
  }

  /** Skips a key that fails to open, so that it cannot hide the revocation of another. */
  function openIfPossible({ private_enc, ...row }: KeyRow, known: SigningKey | undefined) {
    try {
      return known ? { ...known, ...row } : openKey({ private_enc, ...row }, keys)
    } catch (error) {
      log.error({ err: error }, 'a signing key of another process cannot be used')
      return undefined
    }
  }

  async function lookUp(kid: string): Promise<SigningKey | undefined> {
    const [row] = await database.fast`
      select kid from sso.signing_keys where kid = ${kid} and purpose = 'access' and state <> 'revoked'`
    if (!row) return undefined
    await readAgain()
    return ring.get(kid)
  }

  const active = () => [...ring.values()].filter(({ state }) => state === 'active')

  return {
    async find(kid) {
      const known = ring.get(kid)
      if (known) return known.purpose === 'access' ? known : undefined
      return THUMBPRINT.test(kid) ? lookUp(kid) : undefined
    },
    signer(environment, purpose = 'access') {
      const key = active().find((one) => one.environment === environment && one.purpose === purpose)
      if (!key) throw new Error(`There is no active key for ${purpose} in ${environment}`)
      return key
    },
    publicKeys: (environment) =>
      [...ring.values()].flatMap((key) => (key.environment === environment ? [key.public_jwk] : [])),
    readAgain,
    onGone: (tell) => void listeners.push(tell),
    health() {
      const isOverdue = active().some(
        ({ activated_at }) => clock.now() - Date.parse(activated_at ?? '') > OVERDUE_MS,
      )
      if (clock.monotonic() - readAt > STALE_MS) return degraded('The keys were not read for a minute')
      if (!isWhole) return degraded('A key does not open: MASTER_KEY differs between processes')
      return isOverdue ? degraded('A key signs for longer than 91 days') : healthy
    },
    close: () => clearInterval(timer),
  }
}
