import { randomBytes } from 'node:crypto'
import { Secret, TOTP } from 'otpauth'

const SEED_BYTES = 20
const PERIOD_MS = 30_000
/** The parameters that every authenticator app supports: SHA-1, six digits, 30 seconds. */
const FORM = { algorithm: 'SHA1', digits: 6, period: PERIOD_MS / 1_000 } as const

/** A code without the blanks and hyphens that apps, mails and copies put between its groups. Every typed code passes here. */
export const bareCode = (typed: string) => typed.replaceAll(/[\s\p{Pd}]/gu, '')

export const isSixDigits = (code: string) => /^[0-9]{6}$/.test(code)

export const newSeed = (): Buffer => randomBytes(SEED_BYTES)

/** The seed as shown once: base32 for typing, and the URI for a QR code. */
export function seedForApp(seed: Buffer, account: string): { secret: string; otpauth_uri: string } {
  const secret = secretOf(seed)
  const otpauth_uri = new TOTP({ ...FORM, issuer: 'Lyceum', label: account, secret }).toString()
  return { secret: secret.base32, otpauth_uri }
}

/**
 * The time step (RFC 6238: units of 30 seconds since 1970) that the code matches: the current one or a neighbour, since
 * clocks differ and typing takes time. Undefined if none of the three matches. The caller must spend the step it
 * accepts.
 */
export function stepOf(seed: Buffer, code: string, now_ms: number): number | undefined {
  if (!isSixDigits(code)) return undefined
  const delta = TOTP.validate({
    ...FORM,
    secret: secretOf(seed),
    token: code,
    timestamp: now_ms,
    window: 1,
  })
  return delta === null ? undefined : Math.floor(now_ms / PERIOD_MS) + delta
}

/** otpauth reads the whole ArrayBuffer, and a Buffer may be only a slice of it. */
const secretOf = (seed: Buffer) => new Secret({ buffer: Uint8Array.from(seed).buffer })
