import { hkdfSync } from 'node:crypto'
import { EncryptJWT, jwtDecrypt } from 'jose'

/** Browsers refuse larger ones. */
const LARGEST = 4_096
const SHORTEST_SECRET = 32

export type SealedCookie<Content> = {
  /** The value of Set-Cookie. */
  write: (content: Content) => Promise<string>
  /** Of a Cookie header; undefined without one, and for whatever we did not write. */
  read: (header: string | null | undefined) => Promise<Content | undefined>
  /** The value of Set-Cookie that removes it. */
  clear: () => string
}

type Terms = { name: string; secret: string | readonly string[]; isSecure: boolean; maxAge: number }

/**
 * An encrypted cookie that no script reads. Of several secrets the first one encrypts and all are read. Each name has a key
 * of its own, so that one cookie is never taken for another.
 */
export function sealedCookie<Content extends object>(terms: Terms): SealedCookie<Content> {
  const { secret, isSecure, maxAge } = terms
  const secrets = [secret].flat()
  if (secrets.length === 0 || secrets.some((one) => typeof one !== 'string' || one.length < SHORTEST_SECRET))
    throw new TypeError(`cookieSecret needs at least ${SHORTEST_SECRET} characters`)
  const keys = secrets.map((one) => new Uint8Array(hkdfSync('sha256', one, '', `lyceum ${terms.name}`, 32)))
  // Browsers take __Host- from this host over https only, so that no other host can plant such a cookie.
  const name = isSecure ? `__Host-${terms.name}` : terms.name
  const attributes = `Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`

  async function open(value: string, key: Uint8Array): Promise<Content | undefined> {
    try {
      const { payload } = await jwtDecrypt<{ content: Content }>(value, key, {
        keyManagementAlgorithms: ['dir'],
        contentEncryptionAlgorithms: ['A256GCM'],
        requiredClaims: ['exp'],
      })
      return payload.content
    } catch {
      return undefined
    }
  }

  return {
    async write(content) {
      const value = await new EncryptJWT({ content })
        .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
        .setExpirationTime(`${maxAge}s`)
        .encrypt(keys[0] as Uint8Array)
      const cookie = `${name}=${value}; Max-Age=${maxAge}; ${attributes}`
      if (cookie.length > LARGEST) throw new RangeError('The session is too large for a cookie')
      return cookie
    },
    async read(header) {
      const value = valueOf(header ?? '', name)
      if (value === undefined || value.length > LARGEST) return undefined
      for (const key of keys) {
        const content = await open(value, key)
        if (content !== undefined) return content
      }
      return undefined
    },
    clear: () => `${name}=; Max-Age=0; ${attributes}`,
  }
}

function valueOf(header: string, name: string): string | undefined {
  for (const part of header.split(';')) {
    const at = part.indexOf('=')
    if (at > 0 && part.slice(0, at).trim() === name) return part.slice(at + 1).trim()
  }
  return undefined
}
