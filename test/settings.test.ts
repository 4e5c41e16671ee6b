import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { describeSettings, loadConfig, takeConfig } from '#foundation/settings/config.ts'
import { settings } from '#foundation/settings/settings.ts'
import { runCommand } from '#testing/command.ts'
import { StartError } from '#foundation/start-error.ts'
import { sourceFiles } from '#testing/source.ts'
import { settingsTable, withTable } from '../scripts/settings-table.ts'

const folder = mkdtempSync(join(tmpdir(), 'lyceum-settings-'))
after(() => rmSync(folder, { recursive: true }))

const fileWith = (text: string) => {
  const path = join(folder, `${Math.random()}`)
  writeFileSync(path, text)
  return path
}

/** The error sentences of a start with this environment. */
function faultsOf(env: Record<string, string>): string[] {
  try {
    loadConfig(env)
  } catch (error) {
    assert.ok(error instanceof StartError)
    return error.message.split('\n')
  }
  return []
}

describe('the settings', () => {
  test('all have defaults, so an empty environment starts', () => {
    const config = loadConfig({})
    assert.equal(config.SSO_PORT, 8064)
    assert.equal(config.LEARNING_PORT, 8065)
    assert.equal(config.COLLECTIONS_PORT, 8066)
    assert.equal(config.RATE_LIMIT_DEFAULT, 100)
    assert.deepEqual(Object.keys(config), Object.keys(settings))
  })

  test('take several hosts of PostgreSQL, and Sentinels of Redis', () => {
    const MASTER_KEY = `k1:${Buffer.alloc(32).toString('base64')}`
    const DATABASE_URL = 'postgres://me:a%2Cb@one:5432,two:5433/lyceum?target_session_attrs=read-write'
    const REDIS_URL = 'redis+sentinel://:secret@one:26379,two/main'
    const config = loadConfig({ DATABASE_URL, REDIS_URL, MASTER_KEY })
    assert.equal(config.DATABASE_URL, DATABASE_URL)
    assert.equal(config.REDIS_URL, REDIS_URL)
    for (const bad of ['one,two:x/db', 'one,/db', 'one,two/db?target_session_attrs=standby'])
      assert.match(
        faultsOf({ DATABASE_URL: `postgres://${bad}`, MASTER_KEY }).join(),
        /^DATABASE_URL (must|names)/,
      )
    for (const bad of ['one:26379', 'one:x/main', '/main'])
      assert.match(faultsOf({ REDIS_URL: `redis+sentinel://${bad}` }).join(), /^REDIS_URL must/)
  })

  test('report all invalid values at once, one line each', () => {
    const faults = faultsOf({
      SSO_PORT: '70000',
      RATE_LIMIT_DEFAULT: '-1',
      DATABASE_PREPARE: 'perhaps',
      REDIS_URL: 'http://localhost',
      LOG_LEVEL: 'loud',
      TRUSTED_PROXIES: '10.0.0.0/8,nonsense',
      SSO_URL: 'sso.example.org',
    })
    assert.deepEqual(faults.map((fault) => fault.replace(/ .*/, '')).toSorted(), [
      'DATABASE_PREPARE',
      'LOG_LEVEL',
      'RATE_LIMIT_DEFAULT',
      'REDIS_URL',
      'SSO_PORT',
      'SSO_URL',
      'TRUSTED_PROXIES',
    ])
  })

  for (const [name, bad] of [
    ['SSO_PORT', '80.5'],
    ['SSO_PORT', '8e3'],
    ['SSO_PORT', ' 8064'],
    ['SSO_PORT', '0x1f'],
    ['LEARNING_PORT', '65536'],
    ['WORKERS', '0'],
    ['WORKERS', '17'],
    ['DRAIN_SECONDS', '301'],
    ['RATE_LIMIT_DEFAULT', 'many'],
    ['DATABASE_URL', 'mysql://localhost/lyceum'],
    ['MASTER_KEY', 'k1:c2hvcnQ='],
    ['TRUSTED_PROXIES', '10.0.0.0/33'],
    ['TRUSTED_PROXIES', '1'],
    ['LEARNING_AUTHORING', 'everybody'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'x-tenant'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'x-tenant=%zz'],
    ['OTEL_TRACES_EXPORTER', 'jaeger'],
    ['SHED_DELAY_MS', '0'],
  ] as const)
    test(`${name}=${JSON.stringify(bad)} stops the start`, () => {
      assert.deepEqual(
        faultsOf({ [name]: bad }).map((fault) => fault.split(' ')[0]),
        [name],
      )
    })

  test('never repeat an invalid secret', () => {
    const [fault = ''] = faultsOf({ DATABASE_URL: 'hunter2-is-no-url' })
    assert.match(fault, /^DATABASE_URL /)
    assert.ok(!fault.includes('hunter2'))
  })

  for (const name of ['SSO_PROT', 'COLLECTIONS_TYPO', 'RATE_LIMIT_DEFUALT', 'DATABASE_URI', 'SSO_PROT_FILE'])
    test(`${name} is unknown and stops the start`, () => {
      assert.deepEqual(faultsOf({ [name]: '1' }), [
        `${name} is not a setting of Lyceum; npm start -- settings lists them`,
      ])
    })

  test('ignore those of other programs', () => {
    assert.deepEqual(
      faultsOf({ PATH: '/bin', NODE_ENV: 'production', HOME: '/root', npm_config_cache: 'x' }),
      [],
    )
  })

  test('can be read from NAME_FILE, without the last line break', () => {
    const config = loadConfig({
      ADMIN_PASSWORD_FILE: fileWith('correct horse\n'),
      SSO_PORT_FILE: fileWith('9064\r\n'),
      LLM_API_KEY_FILE: fileWith('two\n\n'),
    })
    assert.equal(config.ADMIN_PASSWORD, 'correct horse')
    assert.equal(config.SSO_PORT, 9064)
    assert.equal(config.LLM_API_KEY, 'two\n')
  })

  test('stop the start when set twice or unreadable', () => {
    assert.match(faultsOf({ SSO_PORT: '1', SSO_PORT_FILE: fileWith('1') })[0] ?? '', /^SSO_PORT is set twice/)
    assert.match(faultsOf({ SSO_PORT_FILE: join(folder, 'missing') })[0] ?? '', /^SSO_PORT cannot be read/)
  })

  test('treat empty as unset', () => {
    assert.equal(loadConfig({ SSO_PORT: '', REDIS_URL: '', ADMIN_PASSWORD_FILE: '' }).SSO_PORT, 8064)
  })

  test("accept the contract's spelling", () => {
    assert.equal(loadConfig({ rate_limit_default: '7' }).RATE_LIMIT_DEFAULT, 7)
    assert.equal(loadConfig({ rate_limit_default: '7', RATE_LIMIT_DEFAULT: '8' }).RATE_LIMIT_DEFAULT, 8)
  })

  test('require MASTER_KEY beside DATABASE_URL', () => {
    const DATABASE_URL = 'postgres://localhost/lyceum'
    const MASTER_KEY = `k1:${Buffer.alloc(32, 1).toString('base64')}`
    assert.match(faultsOf({ DATABASE_URL })[0] ?? '', /^MASTER_KEY /)
    assert.deepEqual(faultsOf({ DATABASE_URL, MASTER_KEY }), [])
  })

  test('require DATABASE_URL beside the database of one service', () => {
    const LEARNING_DATABASE_URL = 'postgres://localhost/learning'
    assert.match(
      faultsOf({ LEARNING_DATABASE_URL })[0] ?? '',
      /^DATABASE_URL must be set together with LEARNING/,
    )
  })

  test('require public addresses when HOST is public or a proxy trusted', () => {
    const [SSO_URL, LEARNING_URL] = ['https://sso.example.org', 'https://learn.example.org']
    for (const env of [
      { HOST: '0.0.0.0' },
      { HOST: '::' },
      { HOST: '10.0.0.1' },
      { TRUSTED_PROXIES: '127.0.0.1' },
    ]) {
      assert.match(faultsOf(env as never).join('\n'), /^SSO_URL and LEARNING_URL must be set where [^\n]+$/)
      assert.match(
        faultsOf({ ...env, SSO_URL } as never).join('\n'),
        /^LEARNING_URL must be set where [^\n]+$/,
      )
      assert.deepEqual(faultsOf({ ...env, SSO_URL, LEARNING_URL } as never), [])
    }
    for (const HOST of ['127.0.0.1', '127.0.0.2', '::1', 'localhost'])
      assert.deepEqual(faultsOf({ HOST }), [])
  })

  test('leave no secret in the environment', () => {
    const env: Record<string, string> = {
      ADMIN_PASSWORD: 'hunter2',
      METRICS_TOKEN: 'hunter3',
      REDIS_URL: 'redis://:hunter4@localhost',
      SSO_PORT: '1',
      PATH: '/bin',
    }
    const config = takeConfig(env)
    assert.deepEqual([config.ADMIN_PASSWORD, config.METRICS_TOKEN], ['hunter2', 'hunter3'])
    assert.deepEqual(env, { SSO_PORT: '1', PATH: '/bin' })
  })

  test('print secrets only as set or not set', () => {
    const printed = describeSettings(loadConfig({ ADMIN_PASSWORD: 'hunter2', METRICS_TOKEN: 'hunter3' }))
    assert.ok(!printed.includes('hunter'))
    for (const name of Object.keys(settings)) assert.match(printed, new RegExp(`^${name} `, 'm'))
  })
})

describe('commands', () => {
  test('named in a message or a document exist', async () => {
    const { stdout } = await runCommand(['help'], {})
    const known = new Set(Array.from(stdout.matchAll(/^npm start -- ([a-z-]+)/gm), ([, word]) => word))
    assert.ok(known.has('migrate') && known.has('rotate-keys'))
    const named = [
      ...sourceFiles('src/**/*.ts'),
      ...sourceFiles('docs/*.md'),
      ...sourceFiles('*.md'),
    ].flatMap(({ path, text }) =>
      Array.from(text.matchAll(/npm start -- ([a-z][a-z-]*)/g), ([, word]) => ({ path, word })),
    )
    assert.ok(named.length > 10)
    assert.deepEqual(
      named.filter(({ word }) => !known.has(word)),
      [],
    )
  })

  for (const command of [
    'all',
    'migrate',
    'backup',
    'restore',
    'verify',
    'settings',
    'import-channels',
    'rotate-keys',
    'retention',
    'wipe-sandbox',
  ])
    test(`${command} --help tells how it is called, and does nothing`, async () => {
      const { code, stdout, stderr } = await runCommand([command, '--help'], {})
      assert.deepEqual([code, stderr], [0, ''])
      assert.match(stdout, command === 'all' ? /^npm start\n/ : new RegExp(`^npm start -- ${command}\\b`))
    })

  test('unknown end with 1 and one sentence', async () => {
    const { code, stdout, stderr } = await runCommand(['backwards'], {})
    assert.deepEqual([code, stdout], [1, ''])
    assert.equal(stderr, '"backwards" is not a command; npm start -- help lists the commands\n')
  })
})

describe('docs/operating.md', () => {
  test('contains the table of scripts/settings-table.ts', () => {
    const [document] = sourceFiles('docs/operating.md')
    assert.ok(document)
    assert.equal(document.text, withTable(document.text))
    for (const name of Object.keys(settings)) assert.ok(settingsTable().includes(`\`${name}\``))
  })
})

describe('the environment', () => {
  // cluster.ts passes PATH to the database server that it starts.
  const READERS = [
    'src/main.ts',
    'src/cli/worker.ts',
    'src/foundation/settings/config.ts',
    'src/foundation/embedded-postgres/cluster.ts',
  ]

  test('is read only where a process starts and in config.ts', () => {
    const readers = sourceFiles('src/**/*.ts')
      .filter(({ path, text }) => !path.endsWith('.test.ts') && /process\.env\b/.test(text))
      .map(({ path }) => path)
    assert.deepEqual(
      readers.filter((path) => !READERS.includes(path)),
      [],
    )
    assert.ok(readers.includes('src/main.ts'))
  })
})
