import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, test } from 'node:test'
import { pino } from 'pino'
import { createApp } from '#foundation/http/http.ts'
import { createMetrics } from '#foundation/metrics.ts'
import { createLimiter } from '#foundation/rate-limit/limiter.ts'
import { testDatabase } from '#testing/database.ts'
import { importsOf, type SourceFile, sourceFiles, taggedTemplates } from '#testing/source.ts'

const SERVICES = ['sso', 'learning', 'collections']
/** The files that assemble the three services and run their migrations. */
const COMPOSITION = ['src/cli/services.ts']
const code = sourceFiles('src/**/*.ts', 'scripts/**/*.ts', 'test/**/*.ts')
const migrations = sourceFiles('src/*/migrations/*.sql')

const production = new Set(
  Object.keys(
    (
      JSON.parse(readFileSync(join(import.meta.dirname, '../package.json'), 'utf8')) as {
        dependencies: object
      }
    ).dependencies,
  ),
)

const isTest = (path: string) => path.startsWith('test/') || path.endsWith('.test.ts')
/** 'sso' for src/sso/people/sessions/routes.ts, 'foundation' for src/foundation/http/http.ts, '' for src/main.ts. */
const homeOf = (path: string) => /^src\/(\w+)\//.exec(path)?.[1] ?? ''
const doorOf = (specifier: string) => /^#([\w-]+)/.exec(specifier)?.[1] ?? ''

/** A rule. It returns the violations it finds, as "path: what". */
type Wall = (files: SourceFile[]) => string[]

const eachImport =
  (judge: (path: string, specifier: string) => boolean): Wall =>
  (files) =>
    files.flatMap((file) =>
      importsOf(file)
        .filter((specifier) => judge(file.path, specifier))
        .map((specifier) => `${file.path}: ${specifier}`),
    )

const foreignService = eachImport(
  (path, specifier) => SERVICES.includes(doorOf(specifier)) && !COMPOSITION.includes(path) && !isTest(path),
)

const testingOutsideTests = eachImport(
  (path, specifier) => doorOf(specifier) === 'testing' && !isTest(path) && !path.startsWith('scripts/'),
)

/** A relative import must not bypass the public entry points of a service. */
const relativeEscape = eachImport((path, specifier) => {
  if (homeOf(path) === '' || !specifier.startsWith('.')) return false
  return homeOf(join(dirname(path), specifier)) !== homeOf(path)
})

/**
 * The layers of a service from top to bottom. Imports lead downwards only, so that each layer can be read without those
 * above it. Files outside these folders are above all of them.
 */
const WINGS: Record<string, readonly string[]> = {
  sso: [
    'console',
    'operations',
    'lifecycle',
    'federation',
    'sign-in',
    'partners',
    'people',
    'events',
    'core',
  ],
}

/** 0 above all layers; NaN for a folder that is not a layer. */
function levelOf(path: string): number {
  const [, , wing = '', ...rest] = path.split('/')
  if (rest.length === 0) return 0
  const place = WINGS[homeOf(path)]?.indexOf(wing) ?? -1
  return place < 0 ? Number.NaN : place + 1
}

const upwards = eachImport((path, specifier) => {
  if (WINGS[homeOf(path)] === undefined || isTest(path) || !specifier.startsWith('.')) return false
  return !(levelOf(join(dirname(path), specifier)) >= levelOf(path))
})

type Edge = { from: string; to: string; why: string }

/** The folder of a file, or the file itself if it is in none. `depth` 1 stops at the outermost folders. */
const roomOf = (path: string, depth: number) => {
  const folders = path.split('/').slice(2, -1)
  return folders.length === 0 ? path : [homeOf(path), ...folders.slice(0, depth)].join('/')
}

const edgesOf = (file: SourceFile, depth: number): Edge[] =>
  importsOf(file)
    .filter((specifier) => specifier.startsWith('.'))
    .map((specifier) => ({
      from: roomOf(file.path, depth),
      to: roomOf(join(dirname(file.path), specifier), depth),
      why: `${file.path}: ${specifier}`,
    }))
    .filter(({ from, to }) => from !== to)

/** The edges that remain after repeatedly removing those that cannot be part of a cycle. */
function circular(edges: Edge[]): Edge[] {
  const [begins, ends] = [new Set(edges.map(({ from }) => from)), new Set(edges.map(({ to }) => to))]
  const left = edges.filter(({ from, to }) => begins.has(to) && ends.has(from))
  return left.length === edges.length ? left : circular(left)
}

const circles: Wall = (files) => {
  const judged = files.filter(({ path }) => homeOf(path) !== '' && !isTest(path))
  return [1, Infinity]
    .flatMap((depth) => circular(judged.flatMap((file) => edgesOf(file, depth))))
    .map(({ from, to, why }) => `${from} -> ${to}: ${why}`)
}

/** Files of one feature, such as src/sso/people/sessions/sessions.ts; index.ts and features.ts are above these. */
const isSliceFile = ({ path }: SourceFile) =>
  SERVICES.includes(homeOf(path)) && path.split('/').length > 3 && !isTest(path)
const isRoutes = ({ path }: SourceFile) => /[/-]routes\.ts$/.test(path)
/** HTTP code that routes share: the caller, the rate limits, requests and replies of pages. */
const HTTP_MAY_STAND_IN = [
  'src/sso/core/access/identify.ts',
  'src/sso/core/limits/limits.ts',
  'src/sso/core/limits/page-limits.ts',
  'src/sso/core/pages/requests.ts',
  'src/sso/federation/enterprise/message-limits.ts',
]

const httpInRules: Wall = (files) =>
  eachImport((_, specifier) => specifier === 'fastify' || specifier === '#foundation/http/http.ts')(
    files.filter((file) => isSliceFile(file) && !isRoutes(file) && !HTTP_MAY_STAND_IN.includes(file.path)),
  )

/** `npm start` installs no development dependencies. Type imports do not exist at run time. */
const developmentAtRuntime: Wall = (files) =>
  files
    .filter(({ path }) => path.startsWith('src/') && !isTest(path))
    .flatMap(({ path, text }) =>
      Array.from(text.matchAll(/^import (?!type\b)[^']*'([^'.#][^']*)'/gm), ([, specifier = '']) => specifier)
        .filter((specifier) => !specifier.startsWith('node:'))
        .filter((specifier) => !production.has(/^(?:@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? ''))
        .map((specifier) => `${path}: ${specifier}`),
    )

const sqlInRoutes: Wall = (files) =>
  files
    .filter((file) => isSliceFile(file) && isRoutes(file))
    .flatMap(taggedTemplates)
    .map(({ path, line, tag }) => `${path}:${line}: ${tag}`)

const NAMED_SCHEMA = /\b(foundation|sso|learning|collections)\.[a-z_]/g
const foreignSchemas = (home: string, text: string) =>
  Array.from(text.matchAll(NAMED_SCHEMA), ([, schema = '']) => schema).filter(
    (schema) => schema !== home && schema !== 'foundation',
  )

const foreignSql: Wall = (files) =>
  files
    .filter(({ path }) => homeOf(path) !== '' && !isTest(path))
    .flatMap(taggedTemplates)
    .flatMap(({ path, line, text }) =>
      foreignSchemas(homeOf(path), text).map((schema) => `${path}:${line}: ${schema}`),
    )

const foreignMigration: Wall = (files) =>
  files.flatMap(({ path, text }) =>
    foreignSchemas(homeOf(path), text.replaceAll(/--.*$/gm, '')).map((schema) => `${path}: ${schema}`),
  )

/** The last entry is this file, because its sample violation contains the word. */
const UNSAFE_MAY_STAND_IN = [
  'src/foundation/database/migrations.ts',
  'src/foundation/database/rehearsal.ts',
  // Names and constraints that PostgreSQL itself has quoted.
  'src/foundation/backup/',
  'test/support/',
  'test/architecture.test.ts',
]
const unsafeSql: Wall = (files) =>
  files
    .filter(
      ({ path, text }) =>
        text.includes('.unsafe(') && !UNSAFE_MAY_STAND_IN.some((place) => path.startsWith(place)),
    )
    .map(({ path }) => path)

/** A second writer of CSV files would forget what a spreadsheet program runs. */
const secondCsvWriter: Wall = (files) =>
  files
    .filter(
      ({ path, text }) =>
        text.includes(`replaceAll('"', '""')`) &&
        !isTest(path) &&
        path !== 'src/foundation/web/client/csv.ts',
    )
    .map(({ path }) => path)

/** `returning old.…` and `new.…` are of PostgreSQL 18; DATABASE_URL may name a 15. */
const newerThanPostgres15: Wall = (files) =>
  files
    .filter(({ path }) => homeOf(path) !== '' && !isTest(path))
    .flatMap(taggedTemplates)
    .filter(({ text }) => /\breturning\b[^]*\b(?:old|new)\.[a-z_]/.test(text))
    .map(({ path, line }) => `${path}:${line}`)

/** What would leave out a test without a word; `test/support/programs.ts` is the way that says so. */
const LEFT_OUT =
  /\b(?:test|it|describe|suite|t)\.(?:skip|todo|only)\b|\b(?:skip|todo|only): (?!false|undefined)|\bprocess\.(?:platform|arch)\b|\bif \([^\n]*\bprocess\.(?:env|getuid)\b[^\n]*\) (?:return|(?:describe|test)\()/g
const MAY_NAME_WHAT_LEAVES_OUT = 'test/architecture.test.ts'
const leftOut: Wall = (files) =>
  files
    .filter(({ path }) => path.endsWith('.test.ts') && path !== MAY_NAME_WHAT_LEAVES_OUT)
    .flatMap(({ path, text }) => Array.from(text.matchAll(LEFT_OUT), ([what]) => `${path}: ${what}`))

/** A wait for a time, and an assertion of how long something took. */
const BY_THE_CLOCK =
  /await (?:sleep|wait|delay|pause)\(\s*[\d_]+|waitForTimeout\(|=> setTimeout\(\w+, *[\d_]+\)|\.now\(\) - [a-zA-Z_]+[^\n]*[<>]/g
/** Time is what these are about; they run alone. */
const byTheClock: Wall = (files) =>
  files
    .filter(({ path }) => path.endsWith('.test.ts') && !/-(?:timing|clock)\.test\.ts$/.test(path))
    .filter(({ path }) => path !== MAY_NAME_WHAT_LEAVES_OUT)
    .flatMap(({ path, text }) => Array.from(text.matchAll(BY_THE_CLOCK), ([what]) => `${path}: ${what}`))

type Rule = [rule: string, wall: Wall, files: SourceFile[], breach: SourceFile | SourceFile[]]

/** Every rule with a file that violates it, so that a rule that detects nothing fails too. */
const WALLS: Rule[] = [
  [
    'only the start of the program and tests name a service',
    foreignService,
    code,
    { path: 'src/learning/a/b.ts', text: "import { x } from '#sso'" },
  ],
  [
    'only tests and scripts import #testing',
    testingOutsideTests,
    code,
    { path: 'src/sso/index.ts', text: "await import('#testing/world.ts')" },
  ],
  [
    'no relative import leaves its service',
    relativeEscape,
    code,
    { path: 'src/sso/index.ts', text: "import { x } from '../learning/index.ts'" },
  ],
  [
    'imports between the wings of a service lead downwards',
    upwards,
    code,
    { path: 'src/sso/core/access/access.ts', text: "import { x } from '../../people/person/users.ts'" },
  ],
  [
    'every folder of a service with wings is one of them',
    upwards,
    code,
    { path: 'src/sso/people/a/a.ts', text: "import { x } from '../../helpers/x.ts'" },
  ],
  [
    'no folders import each other in a circle, outermost ones or inner ones',
    circles,
    code,
    [
      { path: 'src/learning/a/a.ts', text: "import { x } from '../b/b.ts'" },
      { path: 'src/learning/b/c.ts', text: "import { y } from '../a/d.ts'" },
    ],
  ],
  [
    'what the program imports is installed where it runs',
    developmentAtRuntime,
    code,
    {
      path: 'src/sso/a/a.ts',
      text: "import { x } from 'openid-client/nothing'\nimport { y } from 'autocannon'",
    },
  ],
  [
    'routes.ts holds no SQL',
    sqlInRoutes,
    code,
    { path: 'src/sso/a/routes.ts', text: 'const rows = await db.fast<{ a: 1 }[]>`select 1`' },
  ],
  [
    'the other files of a feature know no HTTP',
    httpInRules,
    code,
    { path: 'src/sso/a/a.ts', text: "import { callerOf } from '#foundation/http/http.ts'" },
  ],
  [
    'no SQL names the schema of another service',
    foreignSql,
    code,
    { path: 'src/foundation/jobs/jobs.ts', text: 'tx`select ${a ? tx`x` : tx``} from sso.users`' },
  ],
  [
    'no migration names the schema of another service',
    foreignMigration,
    migrations,
    {
      path: 'src/sso/migrations/0009_x.sql',
      text: 'alter table x add foreign key (id) references learning.channels;',
    },
  ],
  [
    'no statement returns old or new values, as only PostgreSQL 18 can',
    newerThanPostgres15,
    code,
    { path: 'src/sso/a/a.ts', text: 'await tx`update sso.users set a = 1 returning old.a`' },
  ],
  [
    'CSV files are written in one place only',
    secondCsvWriter,
    code,
    { path: 'src/sso/a/a.ts', text: `text.replaceAll('"', '""')` },
  ],
  [
    'unsafe SQL stands in the migration runner and the test world only',
    unsafeSql,
    code,
    { path: 'src/sso/a/a.ts', text: 'await sql.unsafe(text)' },
  ],
  ...[
    "test.skip('says nothing', () => {})",
    "t.skip('no Redis here')",
    "test.todo('soon')",
    "test.only('this one')",
    "describe('on Linux', { skip: process.env.CI && 'too slow' }, () => {})",
    "test('soon', { todo: true }, () => {})",
    "if (process.platform !== 'linux') return",
    "if (process.getuid?.() === 0) test('of root', () => {})",
    "if (!process.env['REDIS_URL']) return",
  ].map((text): Rule => [
    `no test is left out without a word: ${text}`,
    leftOut,
    code,
    { path: 'src/sso/a/a.test.ts', text },
  ]),
  ...[
    'await sleep(50)',
    'await page.waitForTimeout(100)',
    'await new Promise((resolve) => setTimeout(resolve, 20))',
    ['assert.ok(performance.now() -', 'began < 5_000)'].join(' '),
  ].map((text): Rule => [
    `no test goes by the clock: ${text}`,
    byTheClock,
    code,
    { path: 'src/sso/a/a.test.ts', text },
  ]),
]

describe('the walls', () => {
  for (const [rule, wall, files, breach] of WALLS)
    test(`${rule}`, () => {
      assert.ok(files.length > 5)
      assert.notDeepEqual(wall([breach].flat()), [], 'the wall does not see its own breach')
      assert.deepEqual(wall(files), [])
    })

  test('no foreign key crosses schemas', async () => {
    const { db } = await testDatabase()
    const keys = await db.pool<{ name: string; is_crossing: boolean }[]>`
      select conname as name, owner.relnamespace <> target.relnamespace as is_crossing
        from pg_constraint
        join pg_class as owner on owner.oid = conrelid
        join pg_class as target on target.oid = confrelid
       where contype = 'f' order by conname`
    assert.ok(keys.length > 5)
    assert.deepEqual(
      keys.filter(({ is_crossing }) => is_crossing),
      [],
    )
  })
})

describe('a route without declared caller or permission', () => {
  test('stops the start', async () => {
    const { db } = await testDatabase()
    const log = pino({ level: 'silent' })
    const app = await createApp({
      service: 'learning',
      version: '0',
      log,
      database: db,
      limiter: createLimiter({ service: 'test', log }),
      metrics: createMetrics().http('test'),
      isOwnHost: () => true,
      trustedProxies: [],
      isStopping: () => false,
      identify: async () => {},
      bucketsOf: () => [],
      isText: () => true,
    })
    assert.throws(
      () => app.get('/api/open', async () => 'seen'),
      /GET \/api\/open does not say who may call it/,
    )
    assert.throws(
      () => app.get('/api/closed', { config: { auth: 'user' } }, async () => 'seen'),
      /GET \/api\/closed does not say which permission it needs/,
    )
    app.get('/api/own', { config: { auth: 'user', permission: 'profile:read' } }, async () => 'seen')
    await app.close()
  })
})
