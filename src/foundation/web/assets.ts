import { globSync, readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { dirname, extname, join, posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { notFound } from '../errors.ts'
import { sha256 } from '../security/secrets.ts'
import { acceptedCodings } from './compression.ts'

/** The bytes of one served file, with each compressed form that is smaller. */
export type Packed = { type: string; identity: Buffer; gzip?: Buffer; br?: Buffer }
export type Assets = ReturnType<typeof createAssets>

const FOUNDATION = join(import.meta.dirname, '..')
const LIT = dirname(fileURLToPath(import.meta.resolve('lit-html')))
const TYPES: Record<string, string> = {
  '.ts': 'text/javascript; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml; charset=utf-8',
}
/** What pages that live need beside their modules. */
const KIT_FILES = [
  'foundation/web/client/kit.css',
  'foundation/web/client/icon.svg',
  'foundation/reference/client/reference.css',
]
/** The modules of the pages that every service has. */
const KIT_MODULES = ['foundation/reference/client/reference.ts']
/** The bare names that a client module may import, as the browser's files: type checker and browser agree on them. */
const BARE = /(?<=(?:from|import) ')(?:lit-html|#foundation\/[\w./-]+)(?=')/g

/**
 * The files that a service serves to browsers: `texts` by path, every module in a folder `client` of the service, and
 * what these import, of the service, of the foundation and lit-html. `root`: the folder of the service, which is the
 * root of the paths. `also`: what else the digest covers.
 */
export function createAssets(root: string, texts: Record<string, string>, also: readonly string[] = []) {
  const sources = new Map(Object.entries(texts))
  const addModule = (path: string) => {
    if (sources.has(path)) return
    const text = linked(path, readFileSync(fileOf(root, path), 'utf8'))
    sources.set(path, text)
    for (const imported of importsOf(path, text)) addModule(imported)
  }
  for (const path of KIT_FILES) sources.set(path, readFileSync(fileOf(root, path), 'utf8'))
  for (const path of KIT_MODULES) addModule(path)
  for (const path of globSync('**/client/*.ts', { cwd: root }).toSorted())
    if (!path.endsWith('.test.ts')) addModule(path)

  /** A digest of everything served. Files under it may be cached for a year. */
  const build = sha256(JSON.stringify([process.version, ...sources, ...also]))
    .toString('hex')
    .slice(0, 16)
  const packed = new Map<string, Promise<Packed>>()

  /** The URL of a file, such as `pages/lyceum.css`. */
  function addressOf(path: string): string {
    if (!sources.has(path)) throw new Error(`The pages have no file ${path}`)
    return `/assets/${build}/${path}`
  }
  /** A module and all its static imports, itself first. */
  function modulesOf(path: string): string[] {
    const found = new Set([path])
    for (const one of found)
      for (const imported of importsOf(one, sources.get(one) ?? '')) found.add(imported)
    return [...found]
  }
  /** The bytes of a file, packed at first use. Undefined for an unknown path. */
  function find(path: string): Promise<Packed> | undefined {
    const source = sources.get(path)
    if (source === undefined) return undefined
    const known = packed.get(path) ?? pack(TYPES[extname(path)] ?? '', withoutTypes(path, source))
    packed.set(path, known)
    return known
  }
  /** Sends the bytes in the best coding the client accepts, or 304 if its copy is current. A page has a `language`. */
  function write(
    request: FastifyRequest,
    reply: FastifyReply,
    file: Packed,
    cache: string,
    language?: string,
  ) {
    const codings = acceptedCodings(request.headers['accept-encoding'])
    const coding = (['br', 'gzip'] as const).find((one) => codings.has(one) && file[one])
    const etag = `"${[build, language, coding].filter(Boolean).join('-')}"`
    const Vary = language ? 'Accept-Encoding, Accept-Language, Cookie' : 'Accept-Encoding'
    reply.headers({ 'Cache-Control': cache, Vary, ETag: etag })
    const known = request.headers['if-none-match']?.split(',').map((one) => one.trim().replace(/^W\//, ''))
    if (known?.includes(etag)) return reply.code(304).send()
    if (coding) reply.header('Content-Encoding', coding)
    return reply.type(file.type).send((coding && file[coding]) ?? file.identity)
  }
  /** The handler of ASSETS_URL. A page of another release, open while nodes are exchanged, gets today's files. */
  async function answer(request: FastifyRequest, reply: FastifyReply) {
    const { build: asked, '*': path } = request.params as { build: string; '*': string }
    const asset = /^[0-9a-f]{16}$/.test(asked) ? find(path) : undefined
    if (!asset) throw notFound()
    return write(request, reply, await asset, asked === build ? FOR_EVER : 'no-cache')
  }
  return { addressOf, modulesOf, write, answer }
}

/** Where `answer` belongs: `app.get(ASSETS_URL, ASSETS_ROUTE, assets.answer)`. */
export const ASSETS_URL = '/assets/:build/*'
export const ASSETS_ROUTE = {
  config: { auth: 'public', limit: 'none', compress: false, operational: true },
  schema: { hide: true },
} as const
const FOR_EVER = 'public, max-age=31536000, immutable'
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

/** The file behind a path: of the foundation, of lit-html or of the service. */
function fileOf(root: string, path: string): string {
  if (path.startsWith('foundation/')) return join(FOUNDATION, path.slice('foundation/'.length))
  return path.startsWith('lit-html/') ? join(LIT, '../..', path) : join(root, path)
}

/** The text with its bare imports as relative paths, and without the address of a source map that nobody serves. */
const linked = (path: string, text: string): string =>
  text
    .replaceAll(BARE, (name) => {
      const to = name === 'lit-html' ? 'lit-html/lit-html.js' : name.slice(1)
      return posix.relative(posix.dirname(path), to).replace(/^(?!\.)/, './')
    })
    .replace('//# sourceMappingURL=', '// ')

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
