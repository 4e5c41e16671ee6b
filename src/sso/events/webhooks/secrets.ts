import { type MasterKeys, randomToken } from '#foundation/security/secrets.ts'

/** Format: `whsec_` and 32 bytes in base64; used by both signatures. */
export const newSecret = () => `whsec_${Buffer.from(randomToken(''), 'base64url').toString('base64')}`

export const sealSecret = (keys: MasterKeys, site_id: string, secret: string): Buffer =>
  keys.seal(Buffer.from(secret), site_id)

/** Cache by encrypted bytes: decrypting a secret costs as much as signing with it. */
const opened = new WeakMap<MasterKeys, Map<string, string>>()
const MAX_OPENED = 10_000

export function openSecret(keys: MasterKeys, site_id: string, sealed: Buffer): string {
  const known = opened.get(keys) ?? new Map<string, string>()
  opened.set(keys, known)
  const name = `${site_id}/${sealed.toString('base64')}`
  const secret = known.get(name) ?? keys.open(sealed, site_id).toString()
  if (known.size >= MAX_OPENED) known.clear()
  known.set(name, secret)
  return secret
}
