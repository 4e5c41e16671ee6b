import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { atExit } from '#foundation/processes/exit.ts'
import type { Kind, TestFile } from './test-files.ts'
import type { FileReport } from './test-lane.ts'

/** After so many files a lane is a new process, so that what they leave in memory does not add up. */
const MOST_FILES: Record<Kind, number> = { pages: 60, slices: 60, alone: 1, timing: 1 }
/** A file that says nothing for this long is killed (ms). */
const LONGEST_FILE_MS = 1_800_000

export type LaneReport = FileReport & {
  /** What the process printed while the file ran. */
  output: string
}

export type Lanes = {
  /** Runs the files in their order, `width` at a time. */
  run: (files: readonly TestFile[], width: number, told: (report: LaneReport) => void) => Promise<void>
}

type Given = {
  /** Temporary folder of the run; each process gets one of its own in it. */
  folder: string
  env: NodeJS.ProcessEnv
  /** Flags for Node. */
  flags: readonly string[]
}

/** Processes that run test files. */
export function openLanes({ folder, env, flags }: Given): Lanes {
  let isEnding = false
  let opened = 0
  function open(kind: Kind) {
    // A short name, because the path of a database's socket may have 100 bytes.
    const own = join(folder, `${++opened}`)
    mkdirSync(own)
    // As /tmp is: databases of other users make folders there, too.
    chmodSync(own, 0o1777)
    const child = fork(join(import.meta.dirname, 'test-lane.ts'), {
      execArgv: [
        `--import=${pathToFileURL(join(import.meta.dirname, 'test-hooks.ts')).href}`,
        `--test-reporter=${join(import.meta.dirname, 'test-events.ts')}`,
        ...flags,
      ],
      env: { ...env, TMPDIR: own, LYCEUM_TEST_LANE: kind },
      // A group of its own: Ctrl-C reaches the runner alone, which then ends the lanes and all that they started.
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    })
    const ended = once(child, 'exit')
    let output = ''
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => (output += text))
    const forget = atExit(async () => {
      isEnding = true
      killGroup(child)
    })
    void ended.then(forget)
    return {
      kind,
      files: 0,
      child,
      ended,
      takeOutput: () => {
        const taken = output
        output = ''
        return taken
      },
    }
  }
  type Lane = ReturnType<typeof open>

  async function runIn(lane: Lane, file: string): Promise<LaneReport> {
    lane.files += 1
    const began = performance.now()
    const answer = await ask<FileReport>(lane, { file })
    if (typeof answer !== 'string') return { ...answer, output: lane.takeOutput() }
    const seconds = (performance.now() - began) / 1_000
    const failures = [{ name: file, error: `the process of this file ended: ${answer}` }]
    return { file, passed: 0, skipped: 0, failures, seconds, leaks: [], output: lane.takeOutput() }
  }

  /** Ends the process in order and returns what its files left behind. */
  async function close(lane: Lane): Promise<string[]> {
    const leaks = await ask<string[]>(lane, { end: true })
    if (lane.child.connected) lane.child.disconnect()
    // A leak keeps the process alive. It was told above.
    const timer = setTimeout(() => killGroup(lane.child), leaks.length > 0 ? 0 : 20_000)
    await lane.ended
    clearTimeout(timer)
    return typeof leaks === 'string' ? [] : leaks
  }

  return {
    async run(files, width, told) {
      const waiting = [...files]
      const work = async () => {
        let lane: Lane | undefined
        for (let next = waiting.shift(); next && !isEnding; next = waiting.shift()) {
          if (lane && (lane.kind !== next.kind || lane.files >= MOST_FILES[lane.kind] || !isAlive(lane))) {
            tellLeaks(await close(lane), told)
            lane = undefined
          }
          lane ??= open(next.kind)
          told(await runIn(lane, next.file))
        }
        if (lane) tellLeaks(await close(lane), told)
      }
      await Promise.all(Array.from({ length: width }, work))
    },
  }
}

const isAlive = ({ child }: { child: ChildProcess }) => child.exitCode === null && child.signalCode === null

function tellLeaks(leaks: string[], told: (report: LaneReport) => void) {
  if (leaks.length === 0) return
  told({ file: '', passed: 0, skipped: 0, failures: [], seconds: 0, leaks, output: '' })
}

/** The answer of the process, or how it ended instead. */
async function ask<T>({ child }: { child: ChildProcess }, question: object): Promise<T | string> {
  if (!child.connected) return 'it has ended'
  child.send(question)
  const timer = setTimeout(() => killGroup(child), LONGEST_FILE_MS)
  const answered = new AbortController()
  const only = { signal: answered.signal }
  const [answer] = (await Promise.race([
    once(child, 'message', only),
    once(child, 'close', only).then(([code, signal]) => [`${signal ?? code}`]),
  ])) as [T | string]
  answered.abort()
  clearTimeout(timer)
  return answer
}

function killGroup({ pid }: ChildProcess) {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL')
  } catch {
    // It has ended meanwhile.
  }
}
