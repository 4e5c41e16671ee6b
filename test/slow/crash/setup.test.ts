import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, beforeEach, describe, test } from 'node:test'

const root = join(import.meta.dirname, '../../..')
const project = mkdtempSync(join(tmpdir(), 'lyceum setup-'))
const stamp = join(project, 'node_modules/.lyceum-setup.json')
const lock = join(project, '.lyceum-setup.lock')

describe('scripts/setup.mjs', () => {
  before(() => {
    for (const name of ['package.json', 'package-lock.json', '.npmrc', 'scripts/setup.mjs', 'patches']) {
      cpSync(join(root, name), join(project, name), { recursive: true })
    }
    copyModules()
  })
  beforeEach(() => {
    rmSync(stamp, { force: true })
    rmSync(lock, { force: true })
  })
  after(() => rmSync(project, { recursive: true, force: true }))

  test('accepts a complete node_modules offline, and at once next time', async () => {
    assert.deepEqual(await setup(), { code: 0, stdout: '', stderr: '' })
    assert.equal(readStamp().scope, 'full')
    const before = readFileSync(stamp, 'utf8')
    assert.deepEqual(await setup('--production'), { code: 0, stdout: '', stderr: '' })
    assert.equal(readFileSync(stamp, 'utf8'), before)
  })

  test('rechecks when npm has changed node_modules', async () => {
    await setup()
    const list = join(project, 'node_modules/.package-lock.json')
    replace(list, `${readFileSync(list, 'utf8')}\n`)
    replace(stamp, JSON.stringify({ ...readStamp(), seen: 'before' }))
    assert.equal((await setup()).code, 0)
    assert.ok(!('seen' in readStamp()))
  })

  test('accepts packages without development tools for a start only', async () => {
    rmSync(join(project, 'node_modules/oxlint'), { recursive: true })
    try {
      assert.equal((await setup('--production')).code, 0)
      assert.equal(readStamp().scope, 'production')
      assert.equal((await setup()).code, 1)
    } finally {
      copyModules()
    }
  })

  test("fails with npm's output, leaving neither stamp nor lock", async () => {
    const postgres = join(project, 'node_modules/postgres')
    rmSync(postgres, { recursive: true })
    try {
      const { code, stdout, stderr } = await setup('--production')
      assert.deepEqual([code, stdout], [1, ''])
      assert.match(stderr, /ECONNREFUSED/)
      assert.match(
        stderr.trim().split('\n').at(-1) ?? '',
        /^Set-up: Packages could not be installed \(npm ci ended with .*try again$/,
      )
      assert.ok(!existsSync(stamp) && !existsSync(lock))
    } finally {
      copyModules()
    }
  })

  test('takes the lock of a killed set-up', async () => {
    const dead = spawn(process.execPath, ['-e', '0'])
    await new Promise((resolve) => dead.once('close', resolve))
    writeFileSync(lock, String(dead.pid))
    assert.deepEqual(await setup(), { code: 0, stdout: '', stderr: '' })
    assert.ok(!existsSync(lock))
  })

  test('waits for a running set-up', async () => {
    writeFileSync(lock, String(process.pid))
    const child = start()
    child.stderr.once('data', () => rmSync(lock))
    assert.deepEqual(await endOf(child), {
      code: 0,
      stdout: '',
      stderr: `Set-up: waiting for the set-up of process ${process.pid}\n`,
    })
  })

  test('succeeds for many concurrent starts', async () => {
    const all = await Promise.all(Array.from({ length: 8 }, () => setup('--production')))
    assert.deepEqual(new Set(all.map(({ code }) => code)), new Set([0]))
    assert.ok(!existsSync(lock))
    assert.equal(readStamp().scope, 'full')
  })
})

/** Hard links where the file system supports them: the tests below never modify a file of a package. */
function copyModules(): void {
  const modules = join(project, 'node_modules')
  rmSync(modules, { recursive: true, force: true })
  mkdirSync(modules)
  const from = `${join(root, 'node_modules')}/.`
  try {
    execFileSync('cp', ['-al', from, modules], { stdio: 'ignore' })
  } catch {
    execFileSync('cp', ['-a', from, modules])
  }
  rmSync(stamp, { force: true })
  rmSync(lock, { force: true })
}

/** Writes a new file, because writing to the hard link would change the original. */
function replace(path: string, text: string): void {
  rmSync(path)
  writeFileSync(path, text)
}

const readStamp = () => JSON.parse(readFileSync(stamp, 'utf8')) as { scope: string }

const setup = (...args: string[]) => endOf(start(...args))

/** Runs without a network: nothing listens on the registry's port, and npm's cache is empty. */
function start(...args: string[]) {
  const env = {
    ...process.env,
    npm_config_registry: 'http://127.0.0.1:9',
    npm_config_fetch_retries: '0',
    npm_config_cache: join(project, 'cache'),
  }
  return spawn(process.execPath, ['scripts/setup.mjs', ...args], { cwd: project, env })
}

async function endOf(child: ReturnType<typeof start>) {
  const [stdout, stderr] = [child.stdout, child.stderr].map(async (stream) => {
    return (await stream.setEncoding('utf8').toArray()).join('')
  })
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve))
  return { code, stdout: (await stdout) ?? '', stderr: (await stderr) ?? '' }
}
