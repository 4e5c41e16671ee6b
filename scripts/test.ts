import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { atExit, exitNow, exitOnSignals } from '#foundation/processes/exit.ts'
import { processesOf } from '#testing/processes.ts'
import { makeTemplate, startTestServer, TEST_SERVER, type TestServer } from '#testing/server.ts'
import { checks, runJobs } from './jobs.ts'
import { findTests, inOrder, recordSeconds, type TestFile } from './test-files.ts'
import { type LaneReport, openLanes } from './test-lanes.ts'

/**
 * `npm test` and `npm run test:slow`: all test files of a tier, or with `-- PATH...` those below these paths. DATABASE_URL
 * makes them use that server, whose role must be allowed to create databases.
 */
const { values, positionals: paths } = parseArgs({
  allowPositionals: true,
  options: {
    /** Only tests whose name matches this pattern. */
    name: { type: 'string' },
    /** What needs other programs, kills, or measures time. */
    slow: { type: 'boolean', default: false },
    /** Shuffles the files of each kind; the same number gives the same order. */
    seed: { type: 'string' },
  },
})
/** Core-seconds that the whole quick run may use, so that it cannot grow unseen (docs/proof). */
const MOST_CORE_SECONDS = 1_300
/** A person who waits reads the ten slowest. */
const SLOWEST = 10

const isWhole = paths.length === 0 && values.name === undefined
const tier = values.slow ? 'slow' : 'quick'
const seed = values.seed === undefined ? undefined : Number(values.seed)
const began = performance.now()
/** The shell that installed the packages became this process, which keeps its children's time. */
const usedBefore = coreSeconds() ?? 0
exitOnSignals()
process.on('uncaughtException', (error) => {
  console.error(error)
  void exitNow(1)
})

const files = inOrder(await findTests(tier, paths), seed)
if (files.length === 0) {
  console.error(`There is no test file below ${paths.join(', ')}`)
  process.exit(1)
}
if (seed !== undefined) console.log(`Shuffled with --seed ${seed}`)

const folder = mkdtempSync(join(tmpdir(), 'ly-'))
// Under root the databases belong to another user, who must come through.
chmodSync(folder, 0o755)
const removeFolder = async () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
atExit(async () => {
  // Databases of programs that tests started have process groups of their own.
  for (const { pid } of processesOf(folder)) kill(pid)
  await removeFolder()
})
// Everything below, this process included, puts its temporary files there.
process.env['TMPDIR'] = folder
process.env['LYCEUM_TEST_RUN'] = folder

const reports: LaneReport[] = []
const flaky: string[] = []
const leaks: string[] = []
let areChecksRight = true
const { server, stop } = await openServer()
await makeTemplate(server)
process.env[TEST_SERVER] = JSON.stringify(server)
await testAll()
await stop()
await removeFolder()
leaks.push(...processesOf(folder).map(({ command }) => `a process was left: ${command}`))
await exitNow(tell() ? 0 : 1)

function kill(pid: number) {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has ended meanwhile.
  }
}

function mayRunAgain(file: string): boolean {
  return /^test\/(browser|slow)\//.test(file)
}

async function testAll() {
  const flags = values.name === undefined ? [] : [`--test-name-pattern=${values.name}`]
  const lanes = openLanes({ folder, env: process.env, flags })
  // One more than cores, because tests wait for browsers and databases; more than four would crowd the memory.
  const width = Math.min(4, availableParallelism() + 1)
  const isTimed = ({ kind }: TestFile) => kind === 'timing'
  if (isWhole && tier === 'quick') {
    const done = await runJobs(checks, width)
    areChecksRight = done.every(({ isPassed }) => isPassed)
  }
  await lanes.run(
    files.filter((one) => !isTimed(one)),
    width,
    told,
  )
  // What measures time runs alone, so that no other test slows it down.
  await lanes.run(files.filter(isTimed), 1, told)
  // A page or a slow file that fails runs once more by itself. If it passes then, it is told as flaky.
  for (const first of reports.filter(({ file, failures }) => failures.length > 0 && mayRunAgain(file)))
    await lanes.run([{ file: first.file, kind: 'alone' }], 1, (again) => {
      if (again.file === '') return void leaks.push(...again.leaks)
      if (again.failures.length > 0) return
      flaky.push(first.file)
      reports.splice(reports.indexOf(first), 1, again)
    })
}

function told(report: LaneReport) {
  leaks.push(...report.leaks)
  if (report.file === '') return
  reports.push(report)
  const { file, passed, failures, seconds } = report
  const sign = failures.length > 0 ? '✖' : '✔'
  console.log(
    `${sign} [${reports.length}/${files.length}] ${file} (${passed} tests, ${seconds.toFixed(1)} s)`,
  )
  for (const { name, error } of failures)
    console.log(`    ✖ ${name}\n${indented(error.split('\n').slice(0, 12).join('\n'))}`)
}

/** Prints the end of the report. Returns whether the run has passed. */
function tell(): boolean {
  const failed = reports.filter(({ failures }) => failures.length > 0)
  for (const { file, failures, output } of failed) {
    for (const { name, error } of failures) console.log(`\n✖ ${name}\n  ${file}\n${indented(error)}`)
    const printed = output.trim()
    if (printed !== '') console.log(`  printed by ${file}:\n${indented(printed.slice(-4_000))}`)
    console.log(`  again: npm test -- ${file}`)
  }
  for (const leak of leaks) console.log(`✖ left behind: ${leak}`)
  for (const file of flaky)
    console.log(`FLAKY: ${file} failed and passed when it ran alone (seed ${seed ?? 'none'})`)
  if (isWhole) recordSeconds(Object.fromEntries(reports.map(({ file, seconds }) => [file, seconds])))
  const slowest = reports.toSorted((a, b) => b.seconds - a.seconds).slice(0, SLOWEST)
  if (reports.length > SLOWEST) {
    console.log('\nThe slowest files:')
    for (const { file, seconds } of slowest) console.log(`${seconds.toFixed(1).padStart(7)} s  ${file}`)
  }
  const sum = (count: (report: LaneReport) => number) => reports.reduce((total, one) => total + count(one), 0)
  const tests = sum(({ passed }) => passed)
  const bad = sum(({ failures }) => failures.length)
  const seconds = (performance.now() - began) / 1_000
  const total = coreSeconds()
  const used = total === undefined ? undefined : total - usedBefore
  const isWithinBudget = !isWhole || tier === 'slow' || used === undefined || used <= MOST_CORE_SECONDS
  const figures = `${seconds.toFixed(0)} s${used === undefined ? '' : ` and ${used.toFixed(0)} core-seconds`}`
  console.log(`\n${tests} passed, ${bad} failed, ${sum(({ skipped }) => skipped)} skipped`)
  if (!isWithinBudget)
    console.log(`✖ The run used ${used?.toFixed(0)} core-seconds; the bound is ${MOST_CORE_SECONDS}`)
  tellNotRun()
  const hasPassed = bad === 0 && leaks.length === 0 && areChecksRight && isWithinBudget && tests > 0
  if (tests === 0) console.log('✖ No test has that name')
  console.log(hasPassed ? `All steps passed in ${figures}` : `FAILED after ${figures}`)
  return hasPassed
}

/** What `testsWith` in #testing/programs.ts says of a program that is not there. */
function tellNotRun() {
  for (const { output } of reports)
    for (const [, line = ''] of output.matchAll(/^NOT_RUN (.*)$/gm)) {
      const { what, programs, tests } = JSON.parse(line) as { what: string; programs: string; tests: number }
      console.log(`Not run here: ${tests} ${what}: no ${programs} here`)
    }
}

function indented(text: string): string {
  return text.replaceAll(/^/gm, '    ')
}

/** Processor time of this process and of all that it started and that have ended; undefined where /proc is missing. */
function coreSeconds(): number | undefined {
  try {
    const [, fields = ''] = readFileSync('/proc/self/stat', 'utf8').split(') ')
    const [own = 0, system = 0, children = 0, theirs = 0] = fields.split(' ').slice(11, 15).map(Number)
    return (own + system + children + theirs) / 100
  } catch {
    return undefined
  }
}

async function openServer(): Promise<{ server: TestServer; stop: () => Promise<void> }> {
  const given = process.env['DATABASE_URL']
  if (!given) return startTestServer()
  const role = decodeURIComponent(new URL(given).username)
  return { server: { admin: given, app: given, role }, stop: async () => {} }
}
