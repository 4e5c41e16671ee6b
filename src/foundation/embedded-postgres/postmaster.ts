import { execFileSync, spawn } from 'node:child_process'
import { readFileSync, renameSync, rmSync, statSync } from 'node:fs'
import { totalmem } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { clock } from '../clock.ts'
import { StartError } from '../start-error.ts'
import type { Binaries } from './binaries.ts'
import { serverEnvironment } from './cluster.ts'
import type { Place } from './place.ts'

const MEBIBYTE = 1024 * 1024
const LARGEST_LOG = 10 * MEBIBYTE

/**
 * Runs as the server's user, who opens the log and owns the socket folder. In /tmp that folder may belong to another
 * user.
 */
const START = `umask 077; exec >>server.log 2>&1; mkdir -p "$0" && chmod 700 "$0" && exec "$@"`

/** The server's command line. `fsync`, `full_page_writes`, `synchronous_commit`, checksums and autovacuum stay on. */
export function serverCommand(place: Place, { postgres, version }: Binaries): string[] {
  // A container's memory limit counts if it is lower than the machine's memory.
  const memory = Math.min(totalmem(), process.constrainedMemory() || Infinity)
  const settings = {
    // Makes the command line differ between releases, so that a new release restarts the server.
    cluster_name: `lyceum ${version}`,
    listen_addresses: '',
    unix_socket_directories: place.socket,
    unix_socket_permissions: '0700',
    // One process of Lyceum uses ten connections; tests run many processes in parallel.
    max_connections: '300',
    shared_buffers: `${Math.max(32, Math.min(1024, Math.floor(memory / 4 / MEBIBYTE)))}MB`,
    max_wal_size: '2GB',
    checkpoint_timeout: '15min',
    jit: 'off',
    timezone: 'UTC',
    log_timezone: 'UTC',
    log_line_prefix: '%m [%p] ',
    log_checkpoints: 'off',
    // The log must not contain statements, keys or parameters; error details go to the application only.
    log_min_error_statement: 'panic',
    log_error_verbosity: 'terse',
    log_parameter_max_length_on_error: '0',
  }
  const given = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  return [postgres, '-D', place.data, ...given]
}

/** Whether the server was started with this command, which PostgreSQL writes to postmaster.opts at every start. */
export function isStartedBy([program, ...args]: string[], { data }: Place): boolean {
  const command = [program, ...args.map((arg) => `"${arg}"`)].join(' ')
  return readText(join(data, 'postmaster.opts')) === `${command}\n`
}

/** Reads `postmaster.pid`. `pid` is undefined unless that process is a server of this data directory. */
export function readPidFile(place: Place): { pid?: number; socket: string; isReady: boolean } {
  const lines = readText(join(place.data, 'postmaster.pid')).split('\n')
  const [pid, socket = '', status = ''] = [Number(lines[0]), lines[4], lines[7]]
  if (!isPostmaster(pid, place)) return { socket: place.socket, isReady: false }
  return { pid, socket: socket || place.socket, isReady: status.trim() === 'ready' }
}

/**
 * Starts a server when `readPidFile` finds none, in its own process group, so that Ctrl-C reaches us first. Resolves to
 * undefined when it is ready, or to the last error of its log when it has exited.
 */
export async function startServer(
  place: Place,
  command: string[],
  onSpawn: (pid: number | undefined) => void = () => {},
): Promise<string | undefined> {
  // PostgreSQL treats a lock file as valid while any process has its id. These files are not needed to detect processes
  // of the dead server that still use its memory; the new server finds those itself.
  rmSync(join(place.data, 'postmaster.pid'), { force: true })
  rmSync(join(place.socket, '.s.PGSQL.5432.lock'), { force: true })
  let begin = statSync(place.log, { throwIfNoEntry: false })?.size ?? 0
  if (begin > LARGEST_LOG) {
    renameSync(place.log, `${place.log}.1`)
    begin = 0
  }
  const child = spawn('/bin/sh', ['-c', START, place.socket, ...command], {
    ...place.account,
    cwd: place.folder,
    env: serverEnvironment,
    detached: true,
    stdio: 'ignore',
  })
  child.unref()
  onSpawn(child.pid)
  let failure: string | undefined
  child.once('error', ({ message }) => (failure = message))
  while (child.exitCode === null && child.signalCode === null && failure === undefined) {
    const { pid, isReady } = readPidFile(place)
    if (pid === child.pid && isReady) return undefined
    await sleep(5)
  }
  onSpawn(undefined)
  const lines = readText(place.log, begin).trim().split('\n')
  const last = lines.findLast((line) => /FATAL|PANIC/.test(line)) ?? lines.at(-1) ?? ''
  return failure ?? last.replace(/^.*?(FATAL|PANIC): +/, '')
}

/**
 * Fast shutdown, then immediate after 10 s, which needs recovery at the next start. Resolves when the server has
 * exited. `spawned` is a server that may not have written its process id yet.
 */
export async function stopServer(place: Place, spawned?: number): Promise<void> {
  const pid = readPidFile(place).pid ?? spawned
  if (pid === undefined) return
  for (const signal of ['SIGINT', 'SIGQUIT'] as const) {
    if (isPostmaster(pid, place)) process.kill(pid, signal)
    const deadline = clock.monotonic() + 10_000
    while (clock.monotonic() < deadline) {
      if (!isPostmaster(pid, place)) return
      await sleep(5)
    }
  }
  throw new StartError(`PostgreSQL (pid ${pid}, ${place.folder}) does not stop: end it, or set DATABASE_URL`)
}

/** Checks the command line, because after a reboot or in a new container the id may belong to another process. */
function isPostmaster(pid: number, { data }: Place): boolean {
  if (!(pid > 0)) return false
  try {
    const command =
      process.platform === 'linux'
        ? readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
        : execFileSync('ps', ['-o', 'args=', '-p', `${pid}`], { encoding: 'utf8' })
    return command.includes(`postgres -D ${data} `)
  } catch {
    return false
  }
}

function readText(path: string, from = 0): string {
  try {
    return readFileSync(path).subarray(from).toString()
  } catch {
    return ''
  }
}
