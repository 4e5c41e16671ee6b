import { readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { inspect } from 'node:util'
import { endFile, endProcess } from '#testing/endings.ts'
import { listen } from './test-events.ts'
import { suiteOf } from './test-suite.ts'

/**
 * One process that runs test files, one after another, as scripts/test.ts sends their names. Files share what is made with
 * `shared`; each is a suite of its own, so one that cannot be loaded fails alone and its hooks end with it.
 */
export type FileReport = {
  file: string
  passed: number
  skipped: number
  failures: Failure[]
  seconds: number
  /** What the file made and what was still there at the end of the process: told with the last report. */
  leaks: string[]
}
export type Failure = { name: string; error: string }

const TIMEOUT_MS = Number(process.env['LYCEUM_TEST_TIMEOUT'] ?? 600_000)
const root = process.cwd()

type Running = FileReport & { path: string[]; finish: () => void }
let running: Running | undefined

listen(({ type, data }) => {
  if (!running) return
  const { nesting, name } = data
  if (type === 'test:dequeue') running.path[nesting] = name
  if (type !== 'test:complete') return
  const { passed, error, type: kind } = data['details'] as { passed: boolean; error?: Fault; type?: string }
  if (!passed && error?.failureType !== 'subtestsFailed')
    running.failures.push({ name: nameIn(running, nesting, name), error: wordsOf(error) })
  else if (kind !== 'suite' && data['skip'] !== undefined) running.skipped += 1
  else if (kind !== 'suite' && passed) running.passed += 1
  if (nesting === 0) running.finish()
})

type Fault = Error & { failureType?: string; cause?: unknown }

const wordsOf = (error?: Fault) => inspect(error?.cause ?? error, { depth: 3 })

function nameIn({ path, file }: Running, nesting: number, name: string): string {
  return [...path.slice(1, nesting), ...(nesting === 0 ? [] : [name])].join(' > ') || file
}

/** Chromium removes its own a moment after it has ended. */
const filesIn = () => new Set(readdirSync(tmpdir()).filter((name) => !name.startsWith('.org.chromium')))
const resources = () => {
  const counts: Record<string, number> = {}
  for (const kind of process.getActiveResourcesInfo()) counts[kind] = (counts[kind] ?? 0) + 1
  return counts
}

/** What each file added, to tell whose it is if it is still there at the end. */
const added: { file: string; made: string[]; grown: string[] }[] = []

async function run(file: string): Promise<FileReport> {
  const began = performance.now()
  const [folders, before] = [filesIn(), resources()]
  const { promise: hasEnded, resolve: finish } = Promise.withResolvers<void>()
  running = { file, passed: 0, skipped: 0, failures: [], seconds: 0, leaks: [], path: [], finish }
  suiteOf(file, TIMEOUT_MS, () => import(`${root}/${file}`))
  await hasEnded
  try {
    await endFile()
  } catch (error) {
    running.failures.push({ name: `the end of ${file}`, error: wordsOf(error as Fault) })
  }
  const now = resources()
  added.push({
    file,
    made: [...filesIn()].filter((name) => !folders.has(name)),
    grown: Object.keys(now).filter((kind) => (now[kind] ?? 0) > (before[kind] ?? 0)),
  })
  const { path: _path, finish: _finish, ...report } = running
  running = undefined
  return { ...report, seconds: (performance.now() - began) / 1_000 }
}

/** Resources that belong to this process and not to a test: its pipes to the runner. */
const OWN = new Set(['PipeWrap', 'TTYWrap', 'Immediate', 'FSReqCallback', 'FSReqPromise'])

/** Ends what files shared. What is still there then was left by a file. */
async function end(): Promise<string[]> {
  await endProcess()
  const left = filesIn()
  const leaks = added.flatMap(({ file, made }) =>
    made.filter((name) => left.has(name)).map((name) => `${file} left ${name} in the temporary folder`),
  )
  // Sockets and timers close after a turn or two.
  for (let turn = 0; turn < 200 && openKinds().length > 0; turn++)
    await new Promise((next) => setTimeout(next, 10))
  for (const kind of openKinds()) {
    const suspects = added.filter(({ grown }) => grown.includes(kind)).map(({ file }) => file)
    leaks.push(`${suspects.join(' or ') || 'a file'} left an open ${kind}`)
  }
  return leaks
}

const openKinds = () => Object.keys(resources()).filter((kind) => !OWN.has(kind))

process.on('message', (order: { file: string } | { end: true }) => {
  void ('file' in order ? run(order.file) : end()).then((report) => process.send?.(report))
})
