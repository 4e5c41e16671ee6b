import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync } from 'node:fs'
import { glob } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeTemplate, startTestServer, TEST_SERVER, type TestServer } from '#testing/server.ts'

/**
 * The whole check as a list of steps; `npm test -- PATH` runs the test files below that path only.
 * With DATABASE_URL the same tests run on that server (its role must be allowed to create databases).
 */
type Step = { name: string; command: string[]; paths?: string[]; flags?: string[] }

const root = join(import.meta.dirname, '..')
const node = process.execPath
const only = process.argv.slice(2)

const CHECKS: Step[] = [
  { name: 'types', command: ['tsc'] },
  { name: 'types of the pages', command: ['tsc', '-p', 'src/learning/pages/client'] },
  { name: 'lint', command: ['oxlint', '--type-aware'] },
  { name: 'format', command: ['oxfmt', '--check'] },
  { name: 'unused code and dependencies', command: ['knip'] },
]

type Suite = { name: string; files: string[]; flags: string[] }

const slices = (name: string, ...files: string[]): Suite => ({
  name: `slices of ${name}`,
  files,
  flags: ['--test-isolation=none'],
})

/**
 * Slices share a process and a database, those of the sso and the others side by side; suites that need the whole product run
 * in processes of their own.
 */
const SUITES: Suite[][] = [
  [
    slices('the sso', 'src/sso/**/*.test.ts'),
    slices('everything else', 'src/{cli,foundation,learning,collections,webhook-kit}/**/*.test.ts'),
  ],
  [
    {
      name: 'whole product',
      files: ['test/*.test.ts', 'test/{journeys,security,fuzz,limits,browser}/*.test.ts'],
      flags: ['--test-concurrency=2'],
    },
  ],
  [{ name: 'killed on purpose', files: ['test/crash/*.test.ts'], flags: ['--test-concurrency=2'] }],
]

/** Dots for whoever watches, and the counts for the closing line. */
const folder = mkdtempSync(join(tmpdir(), 'lyceum-counts-'))
const reportersTo = (counts: string) => [
  '--test-reporter=dot',
  '--test-reporter-destination=stdout',
  '--test-reporter=spec',
  `--test-reporter-destination=${counts}`,
]
const sum = { pass: 0, fail: 0, skipped: 0 }

const failed: string[] = []
const began = performance.now()
if (only.length === 0)
  for (const { name, command } of CHECKS)
    await step(name, join(root, 'node_modules/.bin', command[0] ?? ''), command.slice(1))

const { server, stop } = await openServer()
try {
  await makeTemplate(server)
  const env = { ...process.env, [TEST_SERVER]: JSON.stringify(server) }
  for (const together of SUITES) await Promise.all(together.map((suite) => runSuite(suite, env)))
} finally {
  await stop()
}

console.log(`\n${sum.pass} passed, ${sum.fail} failed, ${sum.skipped} skipped`)
const seconds = ((performance.now() - began) / 1000).toFixed(0)
if (failed.length > 0) {
  console.error(`\nFAILED after ${seconds} s: ${failed.join(', ')}`)
  process.exit(1)
}
console.log(`\nAll steps passed in ${seconds} s`)

async function runSuite({ name, files, flags }: Suite, env: NodeJS.ProcessEnv) {
  const found = (await Array.fromAsync(glob(files, { cwd: root }))).filter(
    (file) => only.length === 0 || only.some((path) => file.startsWith(path)),
  )
  if (found.length === 0) return
  const counts = join(folder, name)
  const timeout = `--test-timeout=${process.env['LYCEUM_TEST_TIMEOUT'] ?? 120_000}`
  const args = ['--test', ...reportersTo(counts), timeout, ...flags, ...found.toSorted()]
  await step(`${name} (${found.length} files)`, node, args, env)
  addCounts(counts)
}

async function step(name: string, command: string, args: string[], env = process.env) {
  const started = performance.now()
  console.log(`\n▸ ${name}`)
  const child = spawn(command, args, { cwd: root, env, stdio: 'inherit' })
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on('error', reject)
    child.on('exit', resolve)
  })
  const verdict = code === 0 ? 'passed' : 'FAILED'
  console.log(`\n  ${name} ${verdict} in ${((performance.now() - started) / 1000).toFixed(1)} s`)
  if (code !== 0) failed.push(name)
}

function addCounts(counts: string) {
  const text = readFileSync(counts, 'utf8')
  for (const name of ['pass', 'fail', 'skipped'] as const)
    sum[name] += Number(new RegExp(`^ℹ ${name} (\\d+)$`, 'm').exec(text)?.[1] ?? 0)
}

async function openServer(): Promise<{ server: TestServer; stop: () => Promise<void> }> {
  const given = process.env['DATABASE_URL']
  if (!given) return startTestServer()
  const role = decodeURIComponent(new URL(given).username)
  return { server: { admin: given, app: given, role }, stop: async () => {} }
}
