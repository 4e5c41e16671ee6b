import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sha256 } from '#foundation/security/secrets.ts'

export type Asset = { type: string; text: string }

const TYPES = {
  'hosted.css': 'text/css; charset=utf-8',
  'console.css': 'text/css; charset=utf-8',
  'fragment.js': 'text/javascript; charset=utf-8',
  'passkey.js': 'text/javascript; charset=utf-8',
  'icon.svg': 'image/svg+xml; charset=utf-8',
} as const

const byName = new Map<string, Asset>()
const names = new Map<string, string>()
for (const [file, type] of Object.entries(TYPES)) {
  const text = readFileSync(join(import.meta.dirname, 'assets', file), 'utf8')
  const name = file.replace('.', `.${sha256(text).toString('hex').slice(0, 12)}.`)
  byName.set(name, { type, text })
  names.set(file, `/assets/${name}`)
}

/** URL of a static file. It holds a digest of the content, so it can be cached for ever. */
export const addressOf = (file: keyof typeof TYPES): string => names.get(file) ?? ''

/** Finds a file by the last segment of its URL. */
export const findAsset = (name: string): Asset | undefined => byName.get(name)
