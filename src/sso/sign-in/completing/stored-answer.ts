import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

const NONCE = 12
const TAG = 16

/**
 * Encrypts the answer of a refresh, so that only a retry by the same caller can read it. The key (AES-256-GCM) derives
 * from the spent refresh token and its Idempotency-Key, so the database alone reveals nothing.
 */
export function sealAnswer(refresh_token: string, idempotency_key: string, answer: string): Buffer {
  const nonce = randomBytes(NONCE)
  const cipher = createCipheriv('aes-256-gcm', keyOf(refresh_token, idempotency_key), nonce)
  return Buffer.concat([nonce, cipher.update(answer, 'utf8'), cipher.final(), cipher.getAuthTag()])
}

export function openAnswer(refresh_token: string, idempotency_key: string, sealed: Buffer): string {
  const key = keyOf(refresh_token, idempotency_key)
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, NONCE), { authTagLength: TAG })
  decipher.setAuthTag(sealed.subarray(-TAG))
  return decipher.update(sealed.subarray(NONCE, -TAG), undefined, 'utf8') + decipher.final('utf8')
}

const keyOf = (refresh_token: string, idempotency_key: string) =>
  Buffer.from(hkdfSync('sha256', refresh_token, idempotency_key, 'lyceum/refresh answer', 32))
