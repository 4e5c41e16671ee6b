import { pbkdf2, scrypt, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { verify as verifyArgon2 } from '@node-rs/argon2'
import { verify as verifyBcrypt } from '@node-rs/bcrypt'

/** Computes the hash of a password in its own scheme, off the event loop, and compares. */
export type Verify = (password: string) => Promise<boolean>

/**
 * How to check a password against a hash that another program made: PHC strings of argon2id, argon2i, scrypt and pbkdf2
 * (also as passlib writes the last), and bcrypt. Undefined for everything else, and for hashes that cost more than about
 * half a second or 128 MiB: whoever brings hashes must not be able to occupy the machine with them.
 */
export function verifierOf(stored: string): Verify | undefined {
  for (const read of [readArgon2, readBcrypt, readScrypt, readPbkdf2]) {
    const verify = read(stored)
    if (verify) return verify
  }
  return undefined
}

/** A complete hash that `verifyPassword` will be able to check. */
export const isPasswordHash = (text: string) => text.length <= 512 && verifierOf(text) !== undefined

const ARGON2 =
  /^\$argon2id?\$v=19\$m=([1-9]\d{0,6}),t=([1-9]\d{0,3}),p=([1-9]\d?)\$([A-Za-z0-9+/]{11,64})\$([A-Za-z0-9+/]{22,86})$/
const ARGON2I = /^\$argon2i\$/
const MAX_ARGON2_KIB = 131_072
/** Memory times passes, the measure of its time: 13 times that of our own parameters. */
const MAX_ARGON2_WORK = 524_288

function readArgon2(stored: string): Verify | undefined {
  const parts = ARGON2.exec(ARGON2I.test(stored) ? stored.replace('$argon2i$', '$argon2id$') : stored)
  if (!parts) return undefined
  const [memory, passes, lanes] = [Number(parts[1]), Number(parts[2]), Number(parts[3])]
  const isBearable = memory <= MAX_ARGON2_KIB && memory * passes <= MAX_ARGON2_WORK && lanes <= 16
  if (!isBearable || memory < 8 * lanes || !bytesOf(parts[4]) || !bytesOf(parts[5])) return undefined
  return (password) => verifyArgon2(stored, password)
}

/** 31 characters of hash, of which the last one carries four bits. $2x$ marks hashes of a faulty implementation. */
const BCRYPT = /^\$2[aby]\$(0[4-9]|1[0-3])\$[./A-Za-z0-9]{53}$/

function readBcrypt(stored: string): Verify | undefined {
  return BCRYPT.test(stored) ? (password) => verifyBcrypt(password, stored) : undefined
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

function readScrypt(stored: string): Verify | undefined {
  const parts = SCRYPT.exec(stored)
  if (!parts) return undefined
  const [N, r, p] = [2 ** Number(parts[1]), Number(parts[2]), Number(parts[3])]
  const [salt, key] = [bytesOf(parts[4]), bytesOf(parts[5])]
  if (!salt || !key || N * r * p > MAX_SCRYPT_WORK) return undefined
  const options = { N, r, p, maxmem: 256 * N * r + 1_048_576 }
  return async (password) => timingSafeEqual(await scrypted(password, salt, key.length, options), key)
}

const PBKDF2 =
  /^\$pbkdf2(?:-(sha1|sha256|sha512))?\$(?:i=)?([1-9]\d{0,6})(?:,l=(\d{2}))?\$([A-Za-z0-9+/.]{1,86})\$([A-Za-z0-9+/.]{22,86})$/
const MAX_ITERATIONS = { sha1: 2_000_000, sha256: 2_000_000, sha512: 1_000_000 }

const stretched = promisify(pbkdf2)

function readPbkdf2(stored: string): Verify | undefined {
  const parts = PBKDF2.exec(stored)
  if (!parts) return undefined
  const digest = (parts[1] ?? 'sha1') as keyof typeof MAX_ITERATIONS
  const iterations = Number(parts[2])
  // passlib writes "." for "+".
  const [salt, key] = [bytesOf(parts[4]?.replaceAll('.', '+')), bytesOf(parts[5]?.replaceAll('.', '+'))]
  if (!salt || !key || iterations > MAX_ITERATIONS[digest]) return undefined
  if (parts[3] !== undefined && Number(parts[3]) !== key.length) return undefined
  return async (password) =>
    timingSafeEqual(await stretched(password, salt, iterations, key.length, digest), key)
}

/** Base64 without padding; undefined where the text is not what encoding gives, as when it was cut off. */
function bytesOf(text = ''): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64')
  return bytes.length > 0 && bytes.toString('base64').replaceAll('=', '') === text ? bytes : undefined
}
