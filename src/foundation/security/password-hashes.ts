import { pbkdf2, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { verify as verifyArgon2 } from '@node-rs/argon2'
import { verify as verifyBcrypt } from '@node-rs/bcrypt'
import { clock } from '../clock.ts'
import {
  type Hash,
  MAX_SCRYPT_WORK,
  readFirebase,
  readPhpass,
  readWordPress,
  scryptCost,
  scrypted,
  type Verify,
} from './foreign-hashes.ts'

/**
 * A verifier for hashes of other programs: PHC strings of argon2id, argon2i, scrypt and pbkdf2 (also in passlib's
 * form), bcrypt, and those of Firebase and WordPress. Undefined for anything else, and for hashes that cost more than about half a second or 128 MiB, so
 * that imported hashes cannot overload the machine.
 */
export const verifierOf = (stored: string): Verify | undefined => readHash(stored)?.verify

/** Whether the text is a complete hash that `verifyPassword` can check. */
export const isPasswordHash = (text: string) => verifierOf(text) !== undefined

/** Whether the text is a complete hash of a known scheme, whatever its cost. */
export const isHashOfKnownScheme = (text: string) => readHash(text) !== undefined

/** Scheme and cost: hashes with the same value take equally long. Undefined if the text is no hash. */
export const schemeOf = (stored: string): string | undefined => readHash(stored)?.scheme

const MAX_LENGTH = 512

function readHash(stored: string): Hash | undefined {
  if (stored.length > MAX_LENGTH) return undefined
  for (const read of [
    readArgon2,
    readBcrypt,
    readScrypt,
    readPbkdf2,
    readFirebase,
    readWordPress,
    readPhpass,
  ]) {
    const hash = read(stored)
    if (hash) return hash
  }
  return undefined
}

/** Number of timed runs. Other load only makes a run slower, so the shortest one counts. */
const RUNS = 3
const MAX_MEASURED = 1_000
const measured = new Map<string, Promise<number>>()

/**
 * Milliseconds that one check of such a hash takes on this machine, measured once per scheme and cost. Infinity for a
 * hash that costs too much to check.
 */
export function measureScheme(stored: string): Promise<number> {
  const { scheme, verify, sample = verify } = readHash(stored) ?? {}
  if (scheme === undefined || !verify || !sample) return Promise.resolve(Infinity)
  const known = measured.get(scheme)
  if (known) return known
  if (measured.size >= MAX_MEASURED) measured.clear()
  const found = shortestRun(sample).catch(() => {
    // A failed run is not cached; the next one may succeed.
    measured.delete(scheme)
    return Infinity
  })
  measured.set(scheme, found)
  return found
}

async function shortestRun(verify: Verify): Promise<number> {
  let shortest = Infinity
  for (let run = 0; run < RUNS; run++) {
    const [start, before] = [clock.monotonic(), process.cpuUsage()]
    await verify('measured, not guessed')
    const { user, system } = process.cpuUsage(before)
    // Load of other programs raises wall time, and our own other work raises CPU time, so the smaller one counts.
    shortest = Math.min(shortest, clock.monotonic() - start, (user + system) / 1_000)
  }
  return shortest
}

const ARGON2 =
  /^\$argon2id?\$v=19\$m=([1-9]\d{0,9}),t=([1-9]\d{0,9}),p=([1-9]\d{0,7})\$([A-Za-z0-9+/]{11,64})\$([A-Za-z0-9+/]{22,86})$/
const ARGON2I = /^\$argon2i\$/
const MAX_ARGON2_KIB = 131_072
/** Memory times passes, which determines the time: 13 times that of our own parameters. */
const MAX_ARGON2_WORK = 524_288

function readArgon2(stored: string): Hash | undefined {
  const parts = ARGON2.exec(ARGON2I.test(stored) ? stored.replace('$argon2i$', '$argon2id$') : stored)
  if (!parts) return undefined
  const [memory, passes, lanes] = [Number(parts[1]), Number(parts[2]), Number(parts[3])]
  if (memory < 8 * lanes || !bytesOf(parts[4]) || !bytesOf(parts[5])) return undefined
  const isBearable = memory <= MAX_ARGON2_KIB && memory * passes <= MAX_ARGON2_WORK && lanes <= 16
  return {
    scheme: `argon2/${memory}/${passes}/${lanes}`,
    verify: isBearable ? (password) => verifyArgon2(stored, password) : undefined,
  }
}

/** 22 characters of salt and 31 of hash, the last one with four bits. $2x$ is excluded; it marks hashes of a faulty implementation. */
const BCRYPT = /^\$2[aby]\$(0[4-9]|[12]\d|3[01])\$[./A-Za-z0-9]{53}$/
const MAX_BCRYPT_COST = 13

function readBcrypt(stored: string): Hash | undefined {
  const parts = BCRYPT.exec(stored)
  if (!parts) return undefined
  const cost = Number(parts[1])
  return {
    scheme: `bcrypt/${cost}`,
    verify: cost <= MAX_BCRYPT_COST ? (password) => verifyBcrypt(password, stored) : undefined,
    // An invalid salt fails at once and would make the cost look like zero, so use a valid one.
    sample: (password) => verifyBcrypt(password, `$2b$${parts[1]}$${'.'.repeat(53)}`),
  }
}

const SCRYPT =
  /^\$scrypt\$ln=([1-9]\d?),r=([1-9]\d?),p=([1-9]\d?)\$([A-Za-z0-9+/]{1,86})\$([A-Za-z0-9+/]{22,86})$/
function readScrypt(stored: string): Hash | undefined {
  const parts = SCRYPT.exec(stored)
  if (!parts) return undefined
  const [N, r, p] = [2 ** Number(parts[1]), Number(parts[2]), Number(parts[3])]
  const [salt, key] = [bytesOf(parts[4]), bytesOf(parts[5])]
  if (!salt || !key) return undefined
  return {
    scheme: `scrypt/${N}/${r}/${p}`,
    verify:
      N * r * p <= MAX_SCRYPT_WORK
        ? async (password) =>
            timingSafeEqual(await scrypted(password, salt, key.length, scryptCost(N, r, p)), key)
        : undefined,
  }
}

const PBKDF2 =
  /^\$pbkdf2(?:-(sha1|sha256|sha512))?\$(?:i=)?([1-9]\d{0,9})(?:,l=(\d{2}))?\$([A-Za-z0-9+/.]{1,86})\$([A-Za-z0-9+/.]{22,86})$/
const MAX_ITERATIONS = { sha1: 2_000_000, sha256: 2_000_000, sha512: 1_000_000 }

const stretched = promisify(pbkdf2)

function readPbkdf2(stored: string): Hash | undefined {
  const parts = PBKDF2.exec(stored)
  if (!parts) return undefined
  const digest = (parts[1] ?? 'sha1') as keyof typeof MAX_ITERATIONS
  const iterations = Number(parts[2])
  // passlib writes "." instead of "+".
  const [salt, key] = [bytesOf(parts[4]?.replaceAll('.', '+')), bytesOf(parts[5]?.replaceAll('.', '+'))]
  if (!salt || !key || (parts[3] !== undefined && Number(parts[3]) !== key.length)) return undefined
  return {
    // Each block of the key costs all iterations.
    scheme: `pbkdf2/${digest}/${iterations}/${key.length}`,
    verify:
      iterations <= MAX_ITERATIONS[digest]
        ? async (password) =>
            timingSafeEqual(await stretched(password, salt, iterations, key.length, digest), key)
        : undefined,
  }
}

/** Base64 without padding; undefined if the text is not canonical, for example cut off. */
function bytesOf(text = ''): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64')
  return bytes.length > 0 && bytes.toString('base64').replaceAll('=', '') === text ? bytes : undefined
}
