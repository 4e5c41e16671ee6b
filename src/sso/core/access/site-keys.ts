import { randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { type Database, one, type Tx } from '#foundation/database/database.ts'
import { sha256 } from '#foundation/security/secrets.ts'
import type { Site } from '#foundation/security/session-gate.ts'

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const SECRET_LENGTH = 43
const CHECK_LENGTH = 6
const FORM = /^sso_(?:live|test)_[0-9A-Za-z]{49}$/

/**
 * Format: `sso_live_` or `sso_test_`, 256 random bits, and a checksum that lets secret scanners recognise a leaked key.
 */
export function newSiteKey(environment: Site['environment']): string {
  const key = `sso_${environment === 'production' ? 'live' : 'test'}_${randomBase62(SECRET_LENGTH)}`
  return key + checksum(key)
}

/** Checks format and checksum, which saves a database read for text that cannot be a site key. */
export function isSiteKey(text: string): boolean {
  return FORM.test(text) && checksum(text.slice(0, -CHECK_LENGTH)) === text.slice(-CHECK_LENGTH)
}

/** `length` random characters of 0-9A-Za-z, uniformly distributed. */
export function randomBase62(length: number): string {
  let text = ''
  while (text.length < length) {
    for (const byte of randomBytes(length)) {
      // 248 is the largest multiple of 62 that fits in a byte; using bytes above it would favour the first digits.
      if (byte < 248 && text.length < length) text += DIGITS[byte % 62]
    }
  }
  return text
}

/** The part of a key that may be shown: enough to tell a site's two keys apart. */
export const hintOf = (site_key: string) => site_key.slice(-4)

type StoredKey = { hint: string; created_at: string; last_used_at: null }

export async function storeSiteKey(tx: Tx, site_id: string, site_key: string): Promise<StoredKey> {
  const rows = await tx<StoredKey[]>`
    insert into sso.site_keys (key_hash, site_id, hint)
    values (${sha256(site_key)}, ${site_id}, ${hintOf(site_key)})
    returning hint, created_at, last_used_at`
  return one(rows)
}

export type KeyedSite = Site & { is_pending: boolean }

/**
 * Finds the site of a live key with one point read; undefined for any other text. last_used_at is updated at most once
 * a minute and outside the request: nothing waits for it, and the next call repeats a lost update.
 */
export async function findSiteByKey(db: Database, site_key: string): Promise<KeyedSite | undefined> {
  if (!isSiteKey(site_key)) return undefined
  const key_hash = sha256(site_key)
  const [found] = await db.fast<(KeyedSite & { is_use_noted: boolean })[]>`
    select i.site_id, i.site_code, i.tenant_id, i.environment, i.is_first_party, i.trust_client_ip,
           i.status = 'pending' as is_pending, coalesce(k.last_used_at > clock_timestamp() - interval '1 minute', false) as is_use_noted
      from sso.site_keys k join sso.sites i using (site_id)
     where k.key_hash = ${key_hash} and k.revoked_at is null and i.deleted_at is null`
  if (!found) return undefined
  const { is_use_noted, ...site } = found
  if (!is_use_noted) noteUse(db, key_hash)
  return site
}

/** Keys whose last_used_at is being written; concurrent calls with the same key skip the update. */
const noting = new Set<string>()

function noteUse(db: Database, key_hash: Buffer) {
  const name = key_hash.toString('hex')
  if (noting.has(name)) return
  noting.add(name)
  db.pool`update sso.site_keys set last_used_at = clock_timestamp() where key_hash = ${key_hash}`
    .catch((error: unknown) => db.noteFailure(error))
    .finally(() => noting.delete(name))
}

function checksum(text: string): string {
  let rest = crc32(text)
  let digits = ''
  for (let i = 0; i < CHECK_LENGTH; i++) {
    digits = DIGITS.charAt(rest % 62) + digits
    rest = Math.floor(rest / 62)
  }
  return digits
}
