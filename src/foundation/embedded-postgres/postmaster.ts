import { execFileSync, spawn } from 'node:child_process'
import {
  closeSync,
  constants,
  fstatSync,
  ftruncateSync,
  openSync,
  readFileSync,
  readSync,
  writeSync,
} from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { clock } from '../clock.ts'
import { StartError } from '../start-error.ts'
import { serverEnvironment } from './cluster.ts'
import { openServerLog } from './server-log.ts'
import type { Place } from './place.ts'

/** A running server of our data, ours or one that a killed process left behind. */
export type Postmaster = { pid: number; socket: string; isReady: boolean }

/** The server that `postmaster.pid` names, if that process exists and really serves this data. */
export function findPostmaster({ data }: Place): Postmaster | undefined {
  const lines = readLines(join(data, 'postmaster.pid'))
  const pid = Number(lines[0])
  if (!isPostmaster(pid, data)) return undefined
  return { pid, socket: lines[4] ?? '', isReady: lines[7]?.trim() === 'ready' }
}

/**
 * Starts a server in a process group of its own, so that Ctrl-C reaches us first, and returns when it answers.
 * Returns as well when another start at the same moment was faster, and with the reason when it is worth another try.
 * StartError: it ended, with its last words.
 */
export async function startPostmaster(
  place: Place,
  postgres: string,
  args: string[],
): Promise<Error | undefined> {
  disarmLockFile(join(place.data, 'postmaster.pid'), place)
  disarmLockFile(join(place.socket, '.s.PGSQL.5432.lock'), place)
  const log = openServerLog(place)
  const { size } = fstatSync(log)
  const user = place.account && { uid: place.account.uid, gid: place.account.gid }
  const stdio: ['ignore', number, number] = ['ignore', log, log]
  const child = spawn(postgres, args, {
    cwd: place.folder,
    env: serverEnvironment,
    detached: true,
    stdio,
    ...user,
  })
  let failure: Error | undefined
  child.once('error', (error) => (failure = error))
  child.unref()
  try {
    while (child.exitCode === null && child.signalCode === null && !failure) {
      const found = findPostmaster(place)
      if (found?.pid === child.pid && found?.isReady) return undefined
      await sleep(5)
    }
    if (findPostmaster(place)) return undefined
    const words = failure?.message ?? lastWords(log, size)
    // Sessions of a killed server live until they notice its end; the next one must wait for them.
    if (words.includes('still in use')) return new Error(words)
    throw new StartError(
      `PostgreSQL did not start: "${words}" (${place.log}). Mend that, or set DATABASE_URL`,
    )
  } finally {
    closeSync(log)
  }
}

/** Fast shutdown; after 10 s immediate, which costs a recovery at the next start. Resolves when the server has ended. */
export async function stopPostmaster(place: Place): Promise<void> {
  const found = findPostmaster(place)
  if (!found) return
  for (const signal of ['SIGINT', 'SIGQUIT'] as const) {
    signalTo(found.pid, signal)
    const deadline = clock.monotonic() + 10_000
    while (clock.monotonic() < deadline) {
      if (!isPostmaster(found.pid, place.data)) return
      await sleep(5)
    }
  }
  throw new StartError(
    `PostgreSQL (pid ${found.pid}, ${place.folder}) does not stop: end it, or set DATABASE_URL`,
  )
}

/** Whether anything accepts connections there: a server we cannot see, in another container on the same volume. */
export function answers(socketFolder: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(join(socketFolder, '.s.PGSQL.5432'))
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })
}

/** A number alone proves nothing: after a reboot or in a new container it belongs to somebody else. */
function isPostmaster(pid: number, data: string): boolean {
  if (!(pid > 0)) return false
  try {
    if (process.platform === 'linux') {
      const [program, ...args] = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')
      return program?.endsWith('postgres') === true && args.includes(data)
    }
    return execFileSync('ps', ['-o', 'args=', '-p', String(pid)], { encoding: 'utf8' }).includes(data)
  } catch {
    return false
  }
}

/**
 * PostgreSQL takes a lock file for valid while its process id is alive, whoever that is now. It makes an exception
 * for its own parent (CreateLockFile in miscinit.c), so a stale file gets our id. The rest of the file stays: with
 * it the server finds out whether a process of the dead one still uses the shared memory.
 */
function disarmLockFile(path: string, { data }: Place): void {
  const [pid = ''] = readLines(path)
  if (!pid || isPostmaster(Math.abs(Number(pid)), data)) return
  const text = readFileSync(path, 'utf8').replace(/^-?\d+/, String(process.pid))
  const file = openSync(path, constants.O_WRONLY | constants.O_NOFOLLOW)
  ftruncateSync(file, writeSync(file, text))
  closeSync(file)
}

function signalTo(pid: number, signal: 'SIGINT' | 'SIGQUIT'): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

function readLines(path: string): string[] {
  try {
    return readFileSync(path, 'utf8').split('\n')
  } catch {
    return []
  }
}

function lastWords(log: number, from: number): string {
  const buffer = Buffer.alloc(Math.max(0, fstatSync(log).size - from))
  readSync(log, buffer, 0, buffer.length, from)
  const lines = buffer.toString().trim().split('\n')
  return (lines.findLast((line) => /FATAL|PANIC/.test(line)) ?? lines.at(-1) ?? '').replace(
    /^.*?(FATAL|PANIC): +/,
    '',
  )
}
