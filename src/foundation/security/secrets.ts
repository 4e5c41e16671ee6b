import { createCipheriv, createDecipheriv, hash, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto'
import {
  closeSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  unlinkSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { StartError } from '../start-error.ts'

/** `prefix` and `bytes` random bytes in base64url: 43 characters for the default 32. */
export const randomToken = (prefix: string, bytes = 32) => prefix + randomBytes(bytes).toString('base64url')

export const sha256 = (text: string): Buffer => hash('sha256', text, 'buffer')

/** Compares in constant time. Digests are compared, so the lengths do not leak either. */
export const sameSecret = (a: string, b: string) => timingSafeEqual(sha256(a), sha256(b))

/** Keys that encrypt secrets at rest (setting MASTER_KEY). */
export type MasterKeys = {
  /**
   * Encrypts with AES-256-GCM under the first key of the ring. `aad` names the owner; no other `aad` can open the
   * result.
   */
  seal(plain: Buffer, aad: string): Buffer
  /** Throws if the bytes were changed, belong to another `aad`, or were sealed by a key outside the ring. */
  open(sealed: Buffer, aad: string): Buffer
  /**
   * A 32-byte key for one purpose (HKDF-SHA256). It is derived from the last and oldest key of the ring, so that a new
   * key in front does not change anything that partners hold.
   */
  derive(info: string): Buffer
}

/**
 * Reads the key ring from the setting `id:base64,…`; without it from DATA_DIR/master.key, created on the first start.
 */
export function loadMasterKeys(ring: string | undefined, dataDir: string): MasterKeys {
  if (ring !== undefined) return masterKeys(readRing(ring, 'MASTER_KEY'))
  const path = join(dataDir, 'master.key')
  return masterKeys(readRing(readIfThere(path) ?? makeKeyFile(dataDir, path), path))
}

type Key = { id: string; sealing: Buffer; secret: Buffer }

const NONCE = 12
const TAG = 16

function masterKeys(ring: [Key, ...Key[]]): MasterKeys {
  const [first] = ring
  const last = ring.at(-1) ?? first
  return {
    // Format: length of the key id, key id, nonce, ciphertext, tag.
    seal(plain, aad) {
      const nonce = randomBytes(NONCE)
      const cipher = createCipheriv('aes-256-gcm', first.sealing, nonce).setAAD(Buffer.from(aad))
      const id = Buffer.from(first.id)
      return Buffer.concat([
        Buffer.of(id.length),
        id,
        nonce,
        cipher.update(plain),
        cipher.final(),
        cipher.getAuthTag(),
      ])
    },
    open(sealed, aad) {
      const start = 1 + (sealed[0] ?? 0)
      const id = sealed.toString('latin1', 1, start)
      const key = ring.find((one) => one.id === id)
      if (!key || sealed.length < start + NONCE + TAG)
        throw new Error('sealed by a key that is not in MASTER_KEY')
      const nonce = sealed.subarray(start, start + NONCE)
      const decipher = createDecipheriv('aes-256-gcm', key.sealing, nonce, { authTagLength: TAG })
      decipher.setAAD(Buffer.from(aad)).setAuthTag(sealed.subarray(-TAG))
      return Buffer.concat([decipher.update(sealed.subarray(start + NONCE, -TAG)), decipher.final()])
    },
    derive: (info) => hkdf(last.secret, info),
  }
}

const hkdf = (secret: Buffer, info: string) =>
  Buffer.from(hkdfSync('sha256', secret, '', `lyceum/${info}`, 32))

function readRing(text: string, source: string): [Key, ...Key[]] {
  const keys = parseKeyRing(text)?.map((key) => ({ ...key, sealing: hkdf(key.secret, 'seal') }))
  if (!keys)
    throw new StartError(
      `${source} is damaged: it must hold \`id:key\` with a key of 32 bytes in base64; restore it from the backup`,
    )
  if (new Set(keys.map(({ id }) => id)).size < keys.length)
    throw new StartError(`${source} names two keys alike`)
  return keys as [Key, ...Key[]]
}

/** Parses `id:base64` keys of 32 bytes, separated by commas; undefined for any other text. */
export function parseKeyRing(text: string): { id: string; secret: Buffer }[] | undefined {
  const keys = text.split(',').flatMap((part) => {
    const [, id, base64 = ''] = /^([a-z0-9]{1,16}):([A-Za-z0-9+/]+=*)$/.exec(part.trim()) ?? []
    const secret = Buffer.from(base64, 'base64')
    return id !== undefined && secret.length === 32 ? [{ id, secret }] : []
  })
  return keys.length === text.split(',').length ? keys : undefined
}

/** Creates the file atomically and never replaces the key of another process: `link` fails if the path exists. */
function makeKeyFile(dataDir: string, path: string): string {
  const text = `k1:${randomBytes(32).toString('base64')}\n`
  const aside = `${path}.${process.pid}`
  mkdirSync(dataDir, { recursive: true })
  const file = openSync(aside, 'w', 0o600)
  writeSync(file, text)
  fsyncSync(file)
  closeSync(file)
  try {
    linkSync(aside, path)
    syncFolder(dataDir)
    return text
  } catch (error) {
    const theirs = readIfThere(path)
    if (theirs === undefined) throw error
    return theirs
  } finally {
    unlinkSync(aside)
  }
}

function syncFolder(path: string) {
  const folder = openSync(path, 'r')
  fsyncSync(folder)
  closeSync(folder)
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw new StartError(`${path} cannot be read: ${(error as Error).message}`)
  }
}
