import { readdirSync, readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { dirname, extname, join, posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { sha256 } from '#foundation/security/secrets.ts'

/** The bytes of one served file, with each compressed form that is smaller. */
export type Packed = { type: string; identity: Buffer; gzip?: Buffer; br?: Buffer }

/** The root of asset paths: the folder of the service, so that pages may import its pure modules. */
const SERVICE = join(import.meta.dirname, '..')
const PAGES = import.meta.dirname
const HLS = join(dirname(fileURLToPath(import.meta.resolve('hls.js'))), 'hls.light.min.mjs')
const TYPES: Record<string, string> = {
  '.ts': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml; charset=utf-8',
}

const read = (path: string) => readFileSync(join(SERVICE, path), 'utf8')
const namesIn = (folder: string, extension: string) =>
  readdirSync(join(PAGES, folder))
    .filter((name) => name.endsWith(extension) && !name.endsWith('.test.ts'))
    .toSorted()

/** Pages by name, such as `channel-edit`: the `<title>`, then the content of `<main>`. */
export const pageFiles = new Map(
  namesIn('html', '.html').map((name) => [name.slice(0, -'.html'.length), read(`pages/html/${name}`)]),
)

/** The source of every served file, by its path below the folder of the service. */
const sources = new Map<string, string>([
  // One stylesheet. File names define the order.
  [
    'pages/lyceum.css',
    namesIn('styles', '.css')
      .map((name) => read(`pages/styles/${name}`))
      .join('\n'),
  ],
  ['pages/icon.svg', read('pages/icon.svg')],
  ['pages/hls.mjs', readFileSync(HLS, 'utf8').replace('//# sourceMappingURL=', '// ')],
])
for (const name of namesIn('client', '.ts').filter((name) => !name.endsWith('.test.ts')))
  addModule(`pages/client/${name}`)

/** A digest of everything served, pages included. Files under it may be cached for a year. */
export const build = sha256(JSON.stringify([process.version, ...sources, ...pageFiles]))
  .toString('hex')
  .slice(0, 16)

/** The URL of a file, such as `pages/lyceum.css`. */
export function addressOf(path: string): string {
  if (!sources.has(path)) throw new Error(`The pages have no file ${path}`)
  return `/assets/${build}/${path}`
}

/** The module of a page and all its static imports, the page first. */
export function modulesOf(page: string): string[] {
  const found = new Set([`pages/client/${page}.ts`])
  for (const path of found)
    for (const imported of importsOf(path, sources.get(path) ?? '')) found.add(imported)
  return [...found]
}

const packed = new Map<string, Promise<Packed>>()

/** The bytes of a file, packed at first use. Undefined for an unknown path. */
export function findAsset(path: string): Promise<Packed> | undefined {
  const source = sources.get(path)
  if (source === undefined) return undefined
  const known = packed.get(path) ?? pack(TYPES[extname(path)] ?? '', withoutTypes(path, source))
  packed.set(path, known)
  return known
}

const [toGzip, toBrotli] = [promisify(gzip), promisify(brotliCompress)]

export async function pack(type: string, text: string): Promise<Packed> {
  const identity = Buffer.from(text)
  const quality = { [constants.BROTLI_PARAM_QUALITY]: 9 }
  const [gz, br] = await Promise.all([
    toGzip(identity, { level: 9 }),
    toBrotli(identity, { params: quality }),
  ])
  return gz.length < identity.length ? { type, identity, gzip: gz, br } : { type, identity }
}

/** Adds a module of the pages and, recursively, the modules it imports. */
function addModule(path: string) {
  if (sources.has(path)) return
  const text = read(path)
  sources.set(path, text)
  for (const imported of importsOf(path, text)) addModule(imported)
}

/**
 * Finds `from './x.ts'` and `import './x.ts'` at the start of a statement. Skips type imports, which the browser
 * never sees.
 */
function importsOf(path: string, text: string): string[] {
  const starts = text.matchAll(/^(?:import|export) (?!type\b)/gm)
  return Array.from(starts, ({ index, 0: word }) => specifierOf(text, index + word.length))
    .filter((specifier) => specifier.startsWith('.'))
    .map((specifier) => posix.join(posix.dirname(path), specifier))
}

/** The quoted specifier after `import` or `from`; '' for another kind of statement. */
function specifierOf(text: string, from: number): string {
  const open = text.indexOf("'", from)
  const close = text.indexOf("'", open + 1)
  const names = text.slice(from, open)
  const isImport = names === '' || (/^[\w*{][^"`;()=]*$/.test(names) && names.endsWith('from '))
  return open >= 0 && isImport ? text.slice(open + 1, close) : ''
}

/**
 * Strips types with Node's own function; `transform` drops comments too. Node warns once per process that it is
 * experimental. The warning is suppressed: this Node version is pinned and the pages are tested with it.
 */
function withoutTypes(path: string, text: string): string {
  if (!path.endsWith('.ts')) return text
  const emitWarning = process.emitWarning.bind(process)
  process.emitWarning = () => {}
  try {
    return stripTypeScriptTypes(text, { mode: 'transform' })
  } finally {
    process.emitWarning = emitWarning
  }
}
