import { execFile } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { promisify } from 'node:util'

/** The folder of a whole run, which all its processes share: scripts/test.ts makes and removes it. */
export const RUN = 'LYCEUM_TEST_RUN'

let ours: string | undefined

/**
 * Copies a data folder on which the program was started once and stopped, so that a start costs what a second start costs.
 * `make` makes it, once per run, when the first test wants it. Copies share their keys and passwords.
 */
export async function copyGoldenFolder(to: string, make: (dataDir: string) => Promise<void>): Promise<void> {
  const golden = await goldenFolder(make)
  // Keeps owners and modes: under root the database belongs to another user.
  const flags = process.platform === 'darwin' ? ['-pRc'] : ['-a', '--reflink=auto']
  await promisify(execFile)('cp', [...flags, `${golden}/.`, to])
}

async function goldenFolder(make: (dataDir: string) => Promise<void>): Promise<string> {
  const run = process.env[RUN] ?? (ours ??= folderOfProcess())
  const [golden, aside, lock] = ['golden', 'golden.new', 'golden.lock'].map((name) => join(run, name)) as [
    string,
    string,
    string,
  ]
  while (!existsSync(golden)) {
    if (!takeLock(lock)) {
      refuseDeadMaker(lock)
      await wait(20)
      continue
    }
    try {
      // Another process may have finished it before we got the lock.
      if (existsSync(golden)) break
      // The user of the database enters it.
      chmodSync(run, statSync(run).mode | 0o001)
      rmSync(aside, { recursive: true, force: true })
      mkdirSync(aside)
      await make(aside)
      renameSync(aside, golden)
    } finally {
      rmSync(lock, { force: true })
    }
  }
  return golden
}

function takeLock(lock: string): boolean {
  try {
    writeFileSync(lock, `${process.pid}`, { flag: 'wx' })
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

/** A process that was killed leaves its lock, and nobody would ever make the folder. */
function refuseDeadMaker(lock: string): void {
  const maker = Number(existsSync(lock) ? readFileSync(lock, 'utf8') : 0)
  if (maker > 0 && !isAlive(maker))
    throw new Error(`Process ${maker} ended while it made the golden data folder`)
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

function folderOfProcess(): string {
  const folder = mkdtempSync(join(tmpdir(), 'lyceum-golden-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Whether nothing was ever started on this folder. */
export const isEmptyFolder = (folder: string) => existsSync(folder) && readdirSync(folder).length === 0
