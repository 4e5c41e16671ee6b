import { createHmac, randomBytes } from 'node:crypto'
import { clock } from '#foundation/clock.ts'
import { sameSecret } from '#foundation/security/secrets.ts'
import { FORM_SECONDS, NONCE } from './cookies.ts'

export type FormTokens = {
  /** `nonce` for the cookie, the one that is there already if it is well-formed, and `field` for the form. */
  issue(kept: string | undefined, about?: string): { nonce: string; field: string }
  isRight(kept: string | undefined, field: string, about?: string): boolean
}

/**
 * Proof that a form was handed out to the browser that posts it: a nonce in a cookie that scripts cannot read, and its
 * signature in a hidden field. Nobody is signed in yet, so there is no person to sign it for; without this a stranger
 * could sign a visitor in to an account of his own (login CSRF). `about`: what the form shows, where a yes to it must not count
 * for anything else. `key` is shared by all processes.
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
  }
}
