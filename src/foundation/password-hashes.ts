import { pbkdf2, randomBytes, scrypt, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { verify as verifyArgon2 } from '@node-rs/argon2'
import { verify as verifyBcrypt } from '@node-rs/bcrypt'
import { clock } from './clock.ts'

/** Computes the hash of a password in its own scheme, off the event loop, and compares. */
export type Verify = (password: string) => Promise<boolean>

/** A hash that another program made. `cost` stands in it as it is written there; `work` grows with the time it takes. */
export type ForeignHash = { scheme: string; cost: string; work: number; verify: Verify }

/**
 * How to check a password against a hash that another program made: PHC strings of argon2id, argon2i, scrypt and pbkdf2
 * (also as passlib writes the last), and bcrypt. Undefined for everything else, and for hashes that cost more than about
 * half a second or 128 MiB: whoever brings hashes must not be able to occupy the machine with them.
 */
export function readForeignHash(stored: string): ForeignHash | undefined {
  if (stored.length > 512) return undefined
  for (const read of [readArgon2, readBcrypt, readScrypt, readPbkdf2]) {
    const found = read(stored)
    if (found) return found
  }
  return undefined
}

/** A complete hash that `verifyPassword` will be able to check. */
export const isPasswordHash = (text: string) => readForeignHash(text) !== undefined

/** A hash that takes longer on this machine is not taken over: its owner has to choose a new password. */
export const MAX_VERIFY_MS = 300

/**
 * Milliseconds that one verification of this scheme and cost takes on this machine. Measured once and remembered, one
 * at a time; costs within an eighth of each other share a measurement, so that nobody can order any number of them.
 */
export async function measure(scheme: string, cost: string): Promise<number> {
  const sample = sampleOf(scheme, cost)
  const found = sample === undefined ? undefined : readForeignHash(sample)
  if (!found) throw new Error(`there is no scheme ${scheme} of cost ${cost}`)
  const key = `${scheme}/${Math.ceil(Math.log2(found.work) * 6)}`
  const known = measured.get(key) ?? measuring.run(() => timeOf(found.verify))
  measured.set(key, known)
  return known
}

const measured = new Map<string, Promise<number>>()
const measuring = createLine()

/** The best of two to five runs: the others may have had to wait for something else. */
async function timeOf(verify: Verify): Promise<number> {
  const times: number[] = []
  const end = clock.monotonic() + 600
  while (times.length < 2 || (times.length < 5 && clock.monotonic() < end)) {
    const start = clock.monotonic()
    await verify('a password to measure with')
    times.push(clock.monotonic() - start)
  }
  return Math.min(...times)
}

/** One after the other, in the order they come. */
function createLine() {
  let last: Promise<unknown> = Promise.resolve()
  return {
    run<T>(work: () => Promise<T>): Promise<T> {
      const next = last.then(work)
      last = next.catch(() => {})
      return next
    },
  }
}

/** A hash of this scheme and cost that no password has. */
function sampleOf(scheme: string, cost: string): string | undefined {
  const [salt, key] = [unpadded(randomBytes(16)), unpadded(randomBytes(32))]
  if (scheme === 'bcrypt') return `$2b$${cost}$${'C'.repeat(21)}.${'C'.repeat(31)}`
  if (scheme === 'scrypt') return `$scrypt$${cost}$${salt}$${key}`
  if (scheme.startsWith('argon2')) return `$${scheme}$v=19$${cost}$${salt}$${key}`
  const length = Number(/,l=(\d\d)$/.exec(cost)?.[1] ?? 32)
  return `$${scheme}$${cost}$${salt}$${unpadded(randomBytes(length))}`
}

const unpadded = (bytes: Buffer) => bytes.toString('base64').replaceAll('=', '')

const ARGON2 =
  /^\$argon2id?\$v=19\$m=([1-9]\d{0,6}),t=([1-9]\d{0,3}),p=([1-9]\d?)\$([A-Za-z0-9+/]{11,64})\$([A-Za-z0-9+/]{22,86})$/
const ARGON2I = /^\$argon2i\$/
const MAX_ARGON2_KIB = 131_072
/** Memory times passes, the measure of its time: 13 times that of our own parameters. */
const MAX_ARGON2_WORK = 524_288

function readArgon2(stored: string): ForeignHash | undefined {
  const parts = ARGON2.exec(ARGON2I.test(stored) ? stored.replace('$argon2i$', '$argon2id$') : stored)
  if (!parts) return undefined
  const [memory, passes, lanes] = [Number(parts[1]), Number(parts[2]), Number(parts[3])]
  const isBearable = memory <= MAX_ARGON2_KIB && memory * passes <= MAX_ARGON2_WORK && lanes <= 16
  if (!isBearable || memory < 8 * lanes || !bytesOf(parts[4]) || !bytesOf(parts[5])) return undefined
  return {
    scheme: ARGON2I.test(stored) ? 'argon2i' : 'argon2id',
    cost: `m=${memory},t=${passes},p=${lanes}`,
    work: memory * passes,
    verify: (password) => verifyArgon2(stored, password),
  }
}

/**
 * 22 characters of salt, of which the last one carries two bits (the library finds no password for another one), and 31 of
 * hash. $2x$ marks hashes of a faulty implementation.
 */
const BCRYPT = /^\$2[aby]\$(0[4-9]|1[0-3])\$[./A-Za-z0-9]{21}[.Oeu][./A-Za-z0-9]{31}$/

function readBcrypt(stored: string): ForeignHash | undefined {
  const cost = BCRYPT.exec(stored)?.[1]
  if (cost === undefined) return undefined
  const verify = (password: string) => verifyBcrypt(password, stored)
  return { scheme: 'bcrypt', cost, work: 2 ** Number(cost), verify }
}

const SCRYPT =
  /^\$scrypt\$ln=([1-9]\d?),r=([1-9]\d?),p=([1-9]\d?)\$([A-Za-z0-9+/]{1,86})\$([A-Za-z0-9+/]{22,86})$/
/** N · r · p: half a second; as p is at least 1, N · r · 128 bytes of memory are 128 MiB at most. */
const MAX_SCRYPT_WORK = 1_048_576

const scrypted = promisify<
  string,
  Buffer,
  number,
  { N: number; r: number; p: number; maxmem: number },
  Buffer
>(scrypt)

function readScrypt(stored: string): ForeignHash | undefined {
  const parts = SCRYPT.exec(stored)
  if (!parts) return undefined
  const [N, r, p] = [2 ** Number(parts[1]), Number(parts[2]), Number(parts[3])]
  const [salt, key] = [bytesOf(parts[4]), bytesOf(parts[5])]
  if (!salt || !key || N * r * p > MAX_SCRYPT_WORK) return undefined
  const options = { N, r, p, maxmem: 256 * N * r + 1_048_576 }
  return {
    scheme: 'scrypt',
    cost: `ln=${parts[1]},r=${r},p=${p}`,
    work: N * r * p,
    verify: async (password) => timingSafeEqual(await scrypted(password, salt, key.length, options), key),
  }
}

const PBKDF2 =
  /^\$pbkdf2(?:-(sha1|sha256|sha512))?\$(?:i=)?([1-9]\d{0,6})(?:,l=(\d{2}))?\$([A-Za-z0-9+/.]{1,86})\$([A-Za-z0-9+/.]{22,86})$/
const MAX_ITERATIONS = { sha1: 2_000_000, sha256: 2_000_000, sha512: 1_000_000 }
const DIGEST_BYTES = { sha1: 20, sha256: 32, sha512: 64 }

const stretched = promisify(pbkdf2)

function readPbkdf2(stored: string): ForeignHash | undefined {
  const parts = PBKDF2.exec(stored)
  if (!parts) return undefined
  const digest = (parts[1] ?? 'sha1') as keyof typeof MAX_ITERATIONS
  const iterations = Number(parts[2])
  // passlib writes "." for "+".
  const [salt, key] = [bytesOf(parts[4]?.replaceAll('.', '+')), bytesOf(parts[5]?.replaceAll('.', '+'))]
  if (!salt || !key) return undefined
  // A key longer than the digest is made of several, each as dear as the first.
  const work = iterations * Math.ceil(key.length / DIGEST_BYTES[digest])
  if (work > MAX_ITERATIONS[digest]) return undefined
  if (parts[3] !== undefined && Number(parts[3]) !== key.length) return undefined
  return {
    scheme: `pbkdf2-${digest}`,
    cost: `i=${iterations},l=${key.length}`,
    work,
    verify: async (password) =>
      timingSafeEqual(await stretched(password, salt, iterations, key.length, digest), key),
  }
}

/** Base64 without padding; undefined where the text is not what encoding gives, as when it was cut off. */
function bytesOf(text = ''): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64')
  return bytes.length > 0 && bytes.toString('base64').replaceAll('=', '') === text ? bytes : undefined
}
