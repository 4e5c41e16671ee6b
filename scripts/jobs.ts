import { spawn } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')

export type Job = { name: string; command: string[] }
export type Done = Job & { isPassed: boolean; output: string }

/**
 * The quick half of the check. oxlint reports what the compiler reports, for each file by the nearest tsconfig.json: the
 * compiler by itself would read everything a second time.
 */
const CHECKS = [
  ['types and lint', 'oxlint', '--type-aware', '--type-check'],
  ['unused code and dependencies', 'knip', '--cache', '--cache-location', 'node_modules/.cache/knip'],
  ['format', 'oxfmt', '--check'],
]
export const checks: Job[] = CHECKS.map(([name = '', tool = '', ...args]) => {
  return { name, command: [join(root, 'node_modules/.bin', tool), ...args] }
})

/**
 * Runs each job in its own process, `lanes` at a time, in the order of the list. Prints the result of each, and the
 * output of those that fail. The output of a single job is streamed.
 */
export async function runJobs(jobs: Job[], lanes = availableParallelism()): Promise<Done[]> {
  const isLive = jobs.length === 1
  const waiting = [...jobs]
  const done: Done[] = []
  const interrupt = () => void (waiting.length = 0)
  process.on('SIGINT', interrupt)
  const work = async () => {
    for (let job = waiting.shift(); job; job = waiting.shift()) {
      const began = performance.now()
      const ended = { ...job, ...(await run(job.command, isLive)) }
      done.push(ended)
      const seconds = ((performance.now() - began) / 1000).toFixed(0)
      console.log(`${ended.isPassed ? '✔' : '✖'} ${job.name} (${seconds} s)`)
      if (!ended.isPassed && !isLive) console.log(faultsIn(ended.output))
    }
  }
  await Promise.all(Array.from({ length: lanes }, work))
  process.off('SIGINT', interrupt)
  return done
}

function run([command = '', ...args]: string[], isLive: boolean) {
  const env = { ...process.env, ...(process.stdout.isTTY && { FORCE_COLOR: '1' }) }
  const child = spawn(command, args, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
      if (isLive) process.stdout.write(text)
    })
  return new Promise<{ isPassed: boolean; output: string }>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => resolve({ isPassed: code === 0, output }))
  })
}

/** The failing tests from the reporter's summary, or the end of the output if the process ended before it. */
function faultsIn(output: string): string {
  const at = output.lastIndexOf('failing tests:')
  return at < 0 ? output.slice(-10_000) : output.slice(at)
}
