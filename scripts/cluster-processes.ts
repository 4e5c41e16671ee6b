import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, existsSync, openSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { serverAccount } from '#foundation/embedded-postgres/account.ts'

/** One process of the cluster, with the children it starts. */
export type Part = {
  name: string
  pid: () => number
  start: () => void
  isRunning: () => boolean
  /** Ends it and its children at once, or with SIGTERM in order. Resolves when it is gone. */
  end: (signal: 'SIGKILL' | 'SIGTERM') => Promise<void>
  freeze: () => void
  thaw: () => void
  /** What it printed on stdout since it was started. */
  said: () => string
}

type Command = {
  name: string
  /** Where its log and its files are. */
  home: string
  /** A function is asked at each start. */
  command: readonly string[] | (() => readonly string[])
  env?: Record<string, string>
  /** As this process, not as the user that databases run as. */
  isOurs?: boolean
}

/** Debian keeps servers in a folder that is not in everybody's PATH. */
const PATH = `${process.env['PATH']}:/usr/sbin`

/** PostgreSQL and PgBouncer refuse root. */
export const account = serverAccount('/', '/')

export function aPart({ name, home, command, env = {}, isOurs = false }: Command): Part {
  let child: ChildProcess | undefined
  let said = ''
  const family = () => (child?.pid ? [...descendants(child.pid), ...postmasters(home)] : [])
  const signal = (pids: readonly number[], what: NodeJS.Signals) => {
    for (const pid of pids)
      try {
        process.kill(pid, what)
      } catch {
        // It is gone already.
      }
  }
  return {
    name,
    pid: () => child?.pid ?? 0,
    isRunning: () => child !== undefined && child.exitCode === null && child.signalCode === null,
    start() {
      const [program = '', ...args] = typeof command === 'function' ? command() : command
      if (!PATH.split(':').some((folder) => existsSync(resolve(folder, program))))
        throw new Error(`${program} is not on the PATH; install it to run this.`)
      const log = openSync(join(home, `${name}.log`), 'a')
      said = ''
      // A group of its own, so that Ctrl+C reaches this program only, which then ends the parts in order.
      child = spawn(program, args, {
        ...(!isOurs && account),
        cwd: home,
        env: { PATH, LC_ALL: 'C', HOME: home, ...env },
        detached: true,
        stdio: ['ignore', 'pipe', log],
      })
      closeSync(log)
      child.stdout?.setEncoding('utf8').on('data', (text: string) => (said = (said + text).slice(-4_000)))
    },
    async end(how) {
      if (!child) return
      const gone = child.exitCode === null && child.signalCode === null ? once(child, 'exit') : undefined
      const pids = family()
      if (how === 'SIGKILL') signal(pids, 'SIGKILL')
      else {
        signal(pids, 'SIGCONT')
        child.kill('SIGTERM')
        await Promise.race([gone, sleep(20_000, undefined, { ref: false })])
        signal(pids, 'SIGKILL')
      }
      await gone
    },
    freeze: () => signal(family(), 'SIGSTOP'),
    thaw: () => signal(family(), 'SIGCONT'),
    said: () => said,
  }
}

/** A process and all below it. */
function descendants(pid: number): number[] {
  const children = new Map<number, number[]>()
  const lines = execFileSync('ps', ['-eo', 'pid=,ppid='], { encoding: 'utf8' }).trim().split('\n')
  for (const [one = 0, parent = 0] of lines.map((line) => line.trim().split(/\s+/).map(Number)))
    children.set(parent, [...(children.get(parent) ?? []), one])
  const below = (one: number): number[] => [one, ...(children.get(one) ?? []).flatMap(below)]
  return below(pid)
}

/** Patroni starts PostgreSQL so that it outlives Patroni. */
function postmasters(home: string): number[] {
  try {
    const pid = Number(readFileSync(join(home, 'data/postmaster.pid'), 'utf8').split('\n')[0])
    return readFileSync(`/proc/${pid}/comm`, 'utf8').startsWith('postgres') ? descendants(pid) : []
  } catch {
    return []
  }
}

/** Repeats the question every 100 ms until it is answered with something true. */
export async function until<T>(
  what: string,
  ask: () => T | Promise<T>,
  seconds = 60,
): Promise<NonNullable<T>> {
  const began = performance.now()
  for (;;) {
    const answer = await Promise.resolve()
      .then(ask)
      .catch(() => undefined)
    if (answer) return answer
    if (performance.now() - began > seconds * 1_000) throw new Error(`${what}: not within ${seconds} s`)
    await sleep(100)
  }
}
