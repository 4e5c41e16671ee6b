import { open } from 'node:fs/promises'
import { cutAt } from '#foundation/web/client/cut.ts'

/** Bytes that are looked at. */
const HEAD = 4_096

const PICTURES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp']
export const isPicture = (mime_type: string) => PICTURES.includes(mime_type)

const SIGNATURES: [mime_type: string, pattern: RegExp][] = [
  // oxlint-disable-next-line no-control-regex -- the signatures hold control bytes
  ['image/png', /^\x89PNG\r\n\x1a\n/],
  ['image/jpeg', /^\xff\xd8\xff/],
  ['image/gif', /^GIF8[79]a/],
  ['image/webp', /^RIFF[^]{4}WEBP/],
  ['application/pdf', /^%PDF-/],
  // oxlint-disable-next-line no-control-regex -- the signatures hold control bytes
  ['application/zip', /^PK\x03\x04/],
]

/**
 * The media type that the first bytes tell, whatever its sender says. Text is `text/plain`, so that markup and scripts
 * are never more than text; everything unknown is `application/octet-stream`.
 */
export async function typeOf(path: string): Promise<string> {
  const file = await open(path)
  try {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(HEAD), 0, HEAD, 0)
    return typeOfBytes(buffer.subarray(0, bytesRead))
  } finally {
    await file.close()
  }
}

function typeOfBytes(head: Buffer): string {
  const known = SIGNATURES.find(([, pattern]) => pattern.test(head.toString('latin1')))
  if (known) return known[0]
  return isText(head) ? 'text/plain; charset=utf-8' : 'application/octet-stream'
}

function isText(head: Buffer): boolean {
  // oxlint-disable-next-line no-control-regex -- finding them is its purpose
  if (/[\x00-\x08\x0e-\x1a\x1c-\x1f]/.test(head.toString('latin1'))) return false
  try {
    // A character that the end of the head cuts in two is no fault.
    new TextDecoder('utf-8', { fatal: true }).decode(head, { stream: true })
    return true
  } catch {
    return false
  }
}

/** Characters that hide or turn around what a name says: controls, and marks of direction. */
const HIDING = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu
const LONGEST = 200

/** A name without folders and hidden characters, at most 200 characters; `file` if nothing is left. */
export function cleanName(sent: string): string {
  const last = sent.split(/[/\\]/).at(-1) ?? ''
  const seen = last.replaceAll(HIDING, '').trim().replace(/^\.+/, '')
  if (seen.length <= LONGEST) return seen || 'file'
  const ending = /\.\w{1,10}$/.exec(seen)?.[0] ?? ''
  return cutAt(seen.slice(0, seen.length - ending.length), LONGEST - ending.length) + ending
}

/** The value of Content-Disposition (RFC 6266): pictures and captions may be shown in place, all else is saved. */
export function dispositionOf(name: string, isShown: boolean): string {
  const ascii = name.replaceAll(/[^\w.() -]/g, '_')
  const encoded = encodeURIComponent(name).replaceAll(/['()*]/g, (c) => `%${c.charCodeAt(0).toString(16)}`)
  return `${isShown ? 'inline' : 'attachment'}; filename="${ascii}"; filename*=UTF-8''${encoded}`
}
