import { createHmac, randomBytes } from 'node:crypto'
import { clock } from '#foundation/clock.ts'
import { sameSecret } from '#foundation/security/secrets.ts'
import { FORM_SECONDS, NONCE } from './cookies.ts'

/** Time to answer with a passkey. */
const CHALLENGE_SECONDS = 300

export type FormTokens = {
  /** `nonce` goes into the cookie; a well-formed `kept` is reused. `field` goes into the form. */
  issue(kept: string | undefined, about?: string): { nonce: string; field: string }
  isRight(kept: string | undefined, field: string, about?: string): boolean
  /** A challenge for a passkey, in base64url; nothing is stored. Only the browser of this nonce may answer it. */
  challenge(nonce: string): string
  /** Until when the challenge is good, or undefined: it is another browser's, too old, or not of ours. */
  endOf(kept: string | undefined, challenge: string): Date | undefined
}

/**
 * Proves that a form was issued to the browser that posts it: a nonce in an HttpOnly cookie, and its signature in a
 * hidden field. No person is signed in yet, and without this an attacker could sign a visitor in to the attacker's
 * account (login CSRF). `about` binds consent to what the form shows. All processes share `key`.
 */
export function createFormTokens(key: Buffer): FormTokens {
  const sign = (nonce: string, exp: string, about = '') =>
    createHmac('sha256', key).update(`${nonce}|${exp}|${about}`).digest('base64url')
  return {
    issue(kept, about) {
      const nonce = kept !== undefined && NONCE.test(kept) ? kept : randomBytes(16).toString('base64url')
      const exp = String(Math.floor(clock.now() / 1_000) + FORM_SECONDS)
      return { nonce, field: `${exp}.${sign(nonce, exp, about)}` }
    },
    isRight(kept, field, about) {
      const [exp = '', mac = '', ...rest] = field.split('.')
      return (
        kept !== undefined &&
        rest.length === 0 &&
        sameSecret(mac, sign(kept, exp, about)) &&
        Number(exp) * 1_000 > clock.now()
      )
    },
    challenge(nonce) {
      const exp = String(Math.floor(clock.now() / 1_000) + CHALLENGE_SECONDS)
      const random = randomBytes(16).toString('base64url')
      return Buffer.from([exp, random, sign(nonce, exp, `passkey ${random}`)].join('.')).toString('base64url')
    },
    endOf(kept, challenge) {
      const [exp = '', random = '', mac = '', ...rest] = Buffer.from(challenge, 'base64url')
        .toString()
        .split('.')
      const isOurs =
        kept !== undefined && rest.length === 0 && sameSecret(mac, sign(kept, exp, `passkey ${random}`))
      const end = new Date(Number(exp) * 1_000)
      return isOurs && end.getTime() > clock.now() ? end : undefined
    },
  }
}
