import { createCipheriv, createHmac, hash, scrypt, timingSafeEqual } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { promisify } from 'node:util'
import { verify as verifyBcrypt } from '@node-rs/bcrypt'

/** Hashes the password in the stored hash's scheme, off the event loop, and compares. */
export type Verify = (password: string) => Promise<boolean>

/**
 * `scheme`: hashes with the same value take equally long. `verify` is undefined if the hash costs too much. `sample` checks
 * a hash of the same cost that is known to be valid.
 */
export type Hash = { scheme: string; verify: Verify | undefined; sample?: Verify }

/** N · r · p: half a second. Because p is at least 1, the N · r · 128 bytes of memory are at most 128 MiB. */
export const MAX_SCRYPT_WORK = 1_048_576

type ScryptCost = { N: number; r: number; p: number; maxmem: number }
export const scrypted = promisify<string, Buffer, number, ScryptCost, Buffer>(scrypt)
/** Scrypt needs 128 · N · r bytes and a little more. */
export const scryptCost = (N: number, r: number, p: number): ScryptCost => ({
  N,
  r,
  p,
  maxmem: 256 * N * r + 1_048_576,
})

const FIREBASE =
  /^\$fbscrypt\$v=1,n=([1-9]\d?),r=([1-9]\d?),p=([1-9]\d?),ss=([A-Za-z0-9+/=]{0,24}),sk=([A-Za-z0-9+/=]{1,128})\$([A-Za-z0-9+/=]{1,88})\$([A-Za-z0-9+/=]{4,128})$/

/**
 * Scrypt as Firebase has it: the key that scrypt derives encrypts the signer key of the project, and the result is the
 * hash. The text is that of Supabase Auth, `$fbscrypt$v=1,n=14,r=8,p=1,ss=SEPARATOR,sk=SIGNER_KEY$SALT$HASH`.
 */
export function readFirebase(stored: string): Hash | undefined {
  const parts = FIREBASE.exec(stored)
  if (!parts) return undefined
  const [N, r, p] = [2 ** Number(parts[1]), Number(parts[2]), Number(parts[3])]
  const [separator, signer, salt, expected] = [4, 5, 6, 7].map((part) =>
    Buffer.from(parts[part] ?? '', 'base64'),
  )
  if (!separator || !signer?.length || !salt?.length || signer.length !== expected?.length) return undefined
  const salted = Buffer.concat([salt, separator])
  return {
    scheme: `firebase/${N}/${r}/${p}`,
    verify:
      N * r * p <= MAX_SCRYPT_WORK
        ? async (password) => {
            const key = await scrypted(password, salted, 32, scryptCost(N, r, p))
            // Counter mode adds no padding, so the update is the whole text.
            const made = createCipheriv('aes-256-ctr', key, Buffer.alloc(16)).update(signer)
            return timingSafeEqual(made, expected)
          }
        : undefined,
  }
}

const WORDPRESS = /^\$wp(\$2y\$(\d\d)\$[./A-Za-z0-9]{53})$/
const MAX_BCRYPT_COST = 13

/** Bcrypt of WordPress 6.8 and later: over the HMAC of the password, because bcrypt reads 72 bytes only. */
export function readWordPress(stored: string): Hash | undefined {
  const [, inner = '', cost = ''] = WORDPRESS.exec(stored) ?? []
  if (inner === '' || Number(cost) < 4 || Number(cost) > 31) return undefined
  const check = (bcrypt: string): Verify => {
    return (password) =>
      verifyBcrypt(createHmac('sha384', 'wp-sha384').update(password).digest('base64'), bcrypt)
  }
  return {
    scheme: `wordpress/${Number(cost)}`,
    verify: Number(cost) <= MAX_BCRYPT_COST ? check(inner) : undefined,
    // An invalid salt fails at once and would make the cost look like zero.
    sample: check(`$2y$${cost}$${'.'.repeat(53)}`),
  }
}

const PHPASS = /^\$[PH]\$([./0-9A-Za-z])([./0-9A-Za-z]{8})([./0-9A-Za-z]{22})$/
/** The digits of phpass, the least significant first. */
const DIGITS = './0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const MAX_PHPASS_COST = 16
/** About a millisecond of the event loop. */
const ROUNDS_AT_ONCE = 1_024

/** Portable hashes of phpass, as WordPress made them before 6.8: MD5, 8,192 times. */
export function readPhpass(stored: string): Hash | undefined {
  const [, digit = '', salt = '', expected = ''] = PHPASS.exec(stored) ?? []
  const cost = DIGITS.indexOf(digit)
  if (digit === '' || cost < 7 || cost > 30) return undefined
  return {
    scheme: `phpass/${cost}`,
    verify:
      cost <= MAX_PHPASS_COST
        ? async (password) => {
            const bytes = Buffer.from(password)
            let made = md5(Buffer.from(salt), bytes)
            for (let left = 2 ** cost; left > 0; left -= ROUNDS_AT_ONCE) {
              for (let i = Math.min(left, ROUNDS_AT_ONCE); i > 0; i--) made = md5(made, bytes)
              await setImmediate()
            }
            return timingSafeEqual(Buffer.from(digitsOf(made)), Buffer.from(expected))
          }
        : undefined,
  }
}

const md5 = (head: Buffer, tail: Buffer): Buffer => hash('md5', Buffer.concat([head, tail]), 'buffer')

/** Three bytes are four digits; the 16th byte is two. */
function digitsOf(bytes: Buffer): string {
  let text = ''
  for (let at = 0; at < bytes.length; at += 3) {
    const length = Math.min(3, bytes.length - at)
    let value = bytes.readUIntLE(at, length)
    for (let digits = length + 1; digits > 0; digits--) {
      text += DIGITS[value % 64]
      value = Math.floor(value / 64)
    }
  }
  return text
}
