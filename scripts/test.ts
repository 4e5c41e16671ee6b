import { glob } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { parseArgs, stripVTControlCharacters } from 'node:util'
import { makeTemplate, startTestServer, TEST_SERVER, type TestServer } from '#testing/server.ts'
import { checks, type Job, runJobs } from './jobs.ts'

/**
 * Runs all tests, or with `npm test -- PATH...` the test files below these paths. DATABASE_URL makes them use that
 * server (its role must be allowed to create databases).
 */
const { values, positionals: paths } = parseArgs({
  allowPositionals: true,
  options: { name: { type: 'string' }, watch: { type: 'boolean' } },
})

/**
 * The files of one row share a process and its apps. Slow rows come first, so that all rows end at about the same time.
 */
const TOGETHER = [
  'src/sso/events/**/*.test.ts',
  'src/learning/**/*.test.ts',
  'src/sso/{console,core,lifecycle}/**/*.test.ts',
  'src/sso/{federation,operations,partners}/**/*.test.ts',
  'src/sso/{people,sign-in}/**/*.test.ts',
  'src/{cli,collections}/**/*.test.ts',
  'src/foundation/**/*.test.ts',
  'test/*.test.ts',
]
/** Files that start or kill whole products have a process each. */
const ALONE = 'test/{crash,security,browser,limits,journeys}/*.test.ts'
/** Files that measure time run last, one after another, so that no other test slows them down. */
const isLast = ({ name }: Job) => /-(clock|timing)\.test\.ts$/.test(name)
/** One lane per core, at least two. With one more, statements of large tests hit the time limit of the database. */
const LANES = Math.max(2, availableParallelism())

const began = performance.now()
const jobs = await findJobs()
if (jobs.length === 0) {
  console.error(`There is no test file below ${paths.join(', ')}`)
  process.exit(1)
}
const { server, stop } = await openServer()
try {
  await makeTemplate(server)
  process.env[TEST_SERVER] = JSON.stringify(server)
  await testAll()
} finally {
  await stop()
}

async function findJobs(): Promise<Job[]> {
  const find = async (pattern: string) =>
    (await Array.fromAsync(glob(pattern)))
      .filter((file) => paths.length === 0 || paths.some((path) => file.startsWith(path)))
      .toSorted()
  const rows = [...(await Promise.all(TOGETHER.map(find))), ...(await find(ALONE)).map((file) => [file])]
  const found = new Set(rows.flat())
  const missed = (await find('{src,test}/**/*.test.ts')).filter((file) => !found.has(file))
  if (missed.length > 0) throw new Error(`No pattern of scripts/test.ts finds ${missed.join(', ')}`)
  if (values.watch) return [jobOf(rows.flat(), '--watch')]
  return rows.filter((files) => files.length > 0).map((files) => jobOf(files, '--test-isolation=none'))
}

function jobOf(files: string[], mode: string): Job {
  const timeout = `--test-timeout=${process.env['LYCEUM_TEST_TIMEOUT'] ?? 120_000}`
  const pattern = values.name === undefined ? [] : [`--test-name-pattern=${values.name}`]
  const [first = ''] = files
  const name = files.length === 1 ? first : `${files.length} files from ${first}`
  const flags = ['--test', '--test-reporter=spec', timeout, mode, ...pattern]
  return { name, command: [process.execPath, ...flags, ...files] }
}

async function testAll() {
  const isWhole = paths.length === 0 && Object.keys(values).length === 0
  const [measured, others] = [jobs.filter(isLast), jobs.filter((job) => !isLast(job))]
  const done = await runJobs(isWhole ? [...checks, ...others] : others, LANES)
  done.push(...(await runJobs(measured, 1)))
  const count = (name: string) =>
    done
      .map(({ output }) => new RegExp(`^ℹ ${name} (\\d+)$`, 'm').exec(stripVTControlCharacters(output))?.[1])
      .reduce((sum, number) => sum + Number(number ?? 0), 0)
  const [passed, failed, skipped] = ['pass', 'fail', 'skipped'].map(count)
  console.log(`\n${passed} passed, ${failed} failed, ${skipped} skipped`)
  const bad = done.filter(({ isPassed }) => !isPassed).map(({ name }) => name)
  const seconds = ((performance.now() - began) / 1000).toFixed(0)
  process.exitCode = bad.length > 0 || !passed ? 1 : 0
  if (bad.length > 0) console.error(`\nFAILED after ${seconds} s: ${bad.join(', ')}`)
  else if (!passed) console.error('\nFAILED: no test has that name')
  else console.log(`\nAll steps passed in ${seconds} s`)
}

async function openServer(): Promise<{ server: TestServer; stop: () => Promise<void> }> {
  const given = process.env['DATABASE_URL']
  if (!given) return startTestServer()
  const role = decodeURIComponent(new URL(given).username)
  return { server: { admin: given, app: given, role }, stop: async () => {} }
}
