import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import {
  chownSync,
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { StartError } from '../start-error.ts'
import type { Account } from './account.ts'
import type { Binaries } from './binaries.ts'
import type { Place } from './place.ts'

/** Of the superuser `postgres` and of the role `lyceum`, which owns the database `lyceum` and nothing else. */
export type Passwords = { admin: string; app: string }

/** For every program of PostgreSQL: English messages, and none of our secrets or PG* variables. */
export const serverEnvironment = { LC_ALL: 'C', TZ: 'UTC', PATH: process.env.PATH }

/** Nothing is flushed until the end. Columns pin their collations, so the default is the one that needs no library. */
const INITDB =
  '--username=postgres --auth=scram-sha-256 --data-checksums --no-sync --no-instructions ' +
  '--encoding=UTF8 --locale=C --locale-provider=builtin --builtin-locale=C.UTF-8'

/** Makes the database if there is none and returns its passwords. StartError: another major version, initdb failed. */
export async function openCluster(
  place: Place,
  binaries: Binaries,
  stopping?: AbortSignal,
): Promise<Passwords> {
  removeLeftovers(place)
  const version = join(place.data, 'PG_VERSION')
  if (!existsSync(version)) await createCluster(place, binaries, stopping)
  const major = Number(readFileSync(version, 'utf8'))
  if (major !== binaries.major) {
    throw new StartError(
      `The data in ${place.data} is of PostgreSQL ${major} and this program brings ${binaries.major}: while the release that made it runs, save it with the client programs of PostgreSQL ${major} or newer, which are no part of Lyceum: "pg_dump --host=${place.socket} --username=lyceum --no-owner --file=lyceum.sql lyceum" (its password is in ${place.passwords}), read it into an empty database of a server of your own with "psql --file=lyceum.sql", and start with DATABASE_URL and, from ${join(place.dataDir, 'master.key')}, MASTER_KEY`,
    )
  }
  return JSON.parse(readFileSync(place.passwords, 'utf8')) as Passwords
}

/**
 * Everything is made in a sibling folder, flushed once at the end, and renamed: a crash leaves the old state or the
 * new one, and of two first starts at the same moment one wins and the other finds its work done.
 */
async function createCluster(place: Place, binaries: Binaries, stopping?: AbortSignal): Promise<void> {
  const { account } = place
  const aside = `${place.folder}.${process.pid}.new`
  const data = join(aside, 'data')
  const passwords = {
    admin: randomBytes(24).toString('base64url'),
    app: randomBytes(24).toString('base64url'),
  }
  const adminPassword = join(aside, 'admin-password')
  try {
    mkdirSync(aside, { mode: 0o700 })
    if (account) chownSync(aside, account.uid, account.gid)
    writeSecret(adminPassword, passwords.admin, account)
    writeSecret(join(aside, basename(place.passwords)), JSON.stringify(passwords), account)
    const run = runner(aside, account, stopping)
    await run(binaries.initdb, [...INITDB.split(' '), `--pwfile=${adminPassword}`, '-D', data])
    const single = ['--single', '-F', '-c', 'exit_on_error=on', '-D', data, 'postgres']
    await run(binaries.postgres, single, [
      `create role lyceum login password '${passwords.app}'`,
      // Its errors reach the application, which logs them without values; the server's file must not repeat them.
      `alter role lyceum set log_min_messages = 'log'`,
      `create database lyceum owner lyceum`,
    ])
    rmSync(adminPassword)
    await run(binaries.initdb, ['-D', data, '--sync-only'])
    flush(aside)
    renameSync(aside, place.folder)
    flush(place.dataDir)
  } catch (error) {
    rmSync(aside, { recursive: true, force: true, maxRetries: 3 })
    const { code } = error as NodeJS.ErrnoException
    if (code !== 'ENOTEMPTY' && code !== 'EEXIST') throw error
    if (existsSync(place.data)) return
    throw new StartError(
      `${place.folder} holds other things than a database: move it away, or choose another DATA_DIR`,
    )
  }
}

/** Of first starts that were killed halfway. What their initdb, which may outlive them, still writes to can wait. */
function removeLeftovers({ dataDir }: Place): void {
  for (const name of readdirSync(dataDir)) {
    const pid = Number(/^postgres\.(\d+)\.new$/.exec(name)?.[1])
    if (!pid || isAlive(pid)) continue
    try {
      rmSync(join(dataDir, name), { recursive: true, force: true })
    } catch {
      // The next start tries again.
    }
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

function writeSecret(path: string, text: string, account: Account | undefined): void {
  writeFileSync(path, text, { mode: 0o600, flush: true })
  if (account) chownSync(path, account.uid, account.gid)
}

function flush(folder: string): void {
  const handle = openSync(folder, 'r')
  fsyncSync(handle)
  closeSync(handle)
}

function runner(cwd: string, account: Account | undefined, signal: AbortSignal | undefined) {
  return async (program: string, args: string[], input: string[] = []) => {
    const user = account && { uid: account.uid, gid: account.gid }
    const options = { cwd, env: serverEnvironment, ...(signal && { signal }), ...user }
    const running = promisify(execFile)(program, args, options)
    const ended = new Promise((resolve) => running.child.once('close', resolve))
    running.child.stdin?.on('error', () => {}) // a program that has already failed reads no more; its exit tells
    running.child.stdin?.end(input.map((line) => `${line}\n`).join(''))
    try {
      await running
    } catch (error) {
      // Until it has ended it writes into the folder that is to be removed.
      await ended
      signal?.throwIfAborted()
      const said = String((error as { stderr?: string }).stderr ?? '')
        .trim()
        .split('\n')
        .at(-1)
      throw new StartError(
        `The database could not be made: ${basename(program)} says "${said || (error as Error).message}". Mend that, or set DATABASE_URL`,
      )
    }
  }
}
