import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, test } from 'node:test'
import { settings } from '#foundation/settings/settings.ts'
import { contractRoutes, operationOf, type ServiceName, withoutNames } from '#testing/contract.ts'
import {
  examples,
  isFile,
  linkTargets,
  namedCodes,
  namedFiles,
  namedPaths,
  namedScripts,
  namedSettings,
  namedWords,
  namedWordsOfStart,
  pathsOf,
  spokenOperations,
  unknown,
} from '#testing/documents.ts'
import { type SourceFile, sourceFiles } from '#testing/source.ts'
import { world } from '#testing/world.ts'

const root = join(import.meta.dirname, '..')
const apps = await world()

const PORTS: Record<string, ServiceName> = { 8064: 'sso', 8065: 'learning', 8066: 'collections' }
const SERVICES = Object.values(PORTS)

/** All documents except the API documents, which are fixed. */
const documents = sourceFiles('*.md', 'docs/*.md', 'docs/decisions/*.md')

/** Documents about certain services. The source of those services must contain the words they use. */
const ABOUT: Record<string, readonly ServiceName[]> = {
  'docs/integrating.md': SERVICES,
  'docs/learning.md': ['learning', 'sso'],
  'docs/collections.md': ['collections', 'sso'],
  'docs/choices-sso.md': SERVICES,
  'docs/choices-learning.md': ['learning', 'sso'],
  'docs/choices-collections.md': ['collections', 'sso'],
}

/** Guides that must mention every documented route. */
const COMPLETE = [
  ['docs/learning.md', 'learning'],
  ['docs/collections.md', 'collections'],
] as const

const operationsOf = (services: readonly ServiceName[]) =>
  new Set(
    services.flatMap((service) =>
      apps[service].declaredRoutes.map((route) => withoutNames(operationOf(route))),
    ),
  )

/** Examples with an operation that their service does not have, or with a port of no service. */
const wrongExamples = (text: string, services: readonly ServiceName[]): string[] =>
  examples(text)
    .filter(({ port, operation }) => {
      const known = services.find((one) => one === PORTS[port])
      return known === undefined || !operationsOf([known]).has(operation)
    })
    .map(({ port, operation }) => `${port}: ${operation}`)

/** docs/choices-sso.md omits the common prefix of the sso's paths. */
const prefixOf = (path: string) => (path === 'docs/choices-sso.md' ? '/api/v1' : '')

function wrongRoutes({ path, text }: SourceFile): string[] {
  const services = ABOUT[path] ?? SERVICES
  const operations = operationsOf(services)
  const paths = pathsOf(operations)
  const prefix = prefixOf(path)
  return [
    ...unknown(spokenOperations(text), {
      has: (one) => operations.has(one) || operations.has(one.replace(' ', ` ${prefix}`)),
    }),
    ...unknown(namedPaths(text), { has: (one) => paths.has(one) || paths.has(prefix + one) }),
    ...wrongExamples(text, services),
  ]
}

const wrongCommands = ({ text }: SourceFile): string[] => [
  ...unknown(namedWordsOfStart(text), wordsOfStart),
  ...unknown(namedScripts(text), { has: (name) => Object.hasOwn(scripts, name) }),
]

/** The source of the commands, the foundation and these services, without tests. */
const sourceOf = (services: readonly ServiceName[]) =>
  sourceFiles('src/*.ts', ...['cli', 'foundation', ...services].map((folder) => `src/${folder}/**/*.ts`))
    .filter(({ path }) => !path.endsWith('.test.ts'))
    .map(({ text }) => text)
    .join('\n')

const wordsOfStart = new Set(
  execFileSync(process.execPath, ['src/main.ts', 'help'], { cwd: root, encoding: 'utf8' }).match(/[a-z-]+/g),
)
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: object }

/** What tests read from the environment. */
const OF_TESTS = ['LYCEUM_TEST_TIMEOUT', 'LYCEUM_RUNNING', 'LYCEUM_DATA']

/** A setting, its _FILE variant, or a setting that only tests use. */
const isSetting = (name: string) => {
  const twin = name.replace(/_FILE$/, '')
  return Object.hasOwn(settings, twin) || [...OF_TESTS, 'NAME_FILE'].includes(name)
}

/** Names in each document that do not exist, as "path: name". */
const missing = (wrong: (document: SourceFile) => string[], from = documents) =>
  from.flatMap((document) => wrong(document).map((name) => `${document.path}: ${name}`))

describe('the documents', () => {
  test('link to nothing that is not there', () => {
    const isThere = (path: string) => ({
      has: (target: string) => existsSync(join(root, dirname(path), target)),
    })
    assert.deepEqual(
      missing(({ path, text }) => unknown(linkTargets(text), isThere(path))),
      [],
    )
  })

  test('name no file that is not there', () => {
    assert.deepEqual(
      missing(({ text }) => unknown(namedFiles(text), { has: isFile })),
      [],
    )
  })

  test('name no route that is not there', () => {
    assert.deepEqual(missing(wrongRoutes), [])
  })

  test('name no setting that is none', () => {
    assert.deepEqual(
      missing(({ text }) => unknown(namedSettings(text), { has: isSetting })),
      [],
    )
  })

  test('name no command that is none', () => {
    assert.deepEqual(missing(wrongCommands), [])
  })

  for (const [file, services] of Object.entries(ABOUT))
    test(`name no code, field or option that the source does not know: ${file}`, () => {
      const words = new Set(sourceOf(services).match(/\w+/g))
      assert.deepEqual(
        missing(({ text }) => unknown([...namedCodes(text), ...namedWords(text)], words), sourceFiles(file)),
        [],
      )
    })

  for (const [file, service] of COMPLETE)
    test(`leave out no route of the contract: ${file}`, () => {
      const text = sourceFiles(file)[0]?.text ?? ''
      const named = [
        ...spokenOperations(text),
        ...examples(text).map(({ operation }) => operation),
        ...namedPaths(text).map((path) => `GET ${path}`),
      ]
      const routes = contractRoutes(apps[service]).map((route) => withoutNames(operationOf(route)))
      assert.deepEqual(unknown(routes, new Set(named)), [])
    })
})

test('messages and comments name no command that is none', () => {
  const sources = sourceFiles('src/**/*.ts', 'scripts/*')
  assert.ok(sources.some(({ text }) => namedWordsOfStart(text).length > 0))
  assert.deepEqual(missing(wrongCommands, sources), [])
})

/** References to documents that are not in the repository, or to parts of the design, which is not a document here. */
const strayDocuments = ({ text }: SourceFile): string[] => [
  ...unknown(text.match(/\bdocs\/[\w/-]+\.md\b/g) ?? [], { has: isFile }),
  ...(text.match(/\b(?:design,? \(?part|part [\d.]+ of the design)\b.*/gi) ?? []),
]

test('comments name no document that is not there', () => {
  const sources = sourceFiles('src/**/*.{ts,sql,mjs}', 'scripts/*', 'test/**/*.ts')
  assert.deepEqual(
    missing(
      strayDocuments,
      sources.filter(({ path }) => path !== 'test/docs.test.ts'),
    ),
    [],
  )
})

test('what is not there is found', () => {
  const wrong = [
    'Call `GET /api/v1/people/{user_id}`, look at `/sign-inn`, expect 409 `no_such_code`, set `NO_SUCH_NAME`',
    'and read `no_such_field`, but not `USER_ID`. [Here](docs/nowhere.md#part), `src/nowhere/`, `nowhere.test.ts`.',
    'Run `npm start -- rewind` or `npm run nothing`.',
    '    curl -X PUT http://127.0.0.1:8064/api/v1/users/USER_ID \\',
    "      --json '{}'",
    '    curl http://127.0.0.1:8066/api/bulk/upload -F file=@book.xlsx',
    '    curl http://127.0.0.1:9999/health',
  ].join('\n')
  assert.deepEqual(unknown(spokenOperations(wrong), operationsOf(['sso'])), ['GET /api/v1/people/{}'])
  assert.deepEqual(wrongExamples(wrong, ['sso']), [
    '8064: PUT /api/v1/users/{}',
    '8066: POST /api/bulk/upload',
    '9999: GET /health',
  ])
  assert.deepEqual(unknown(namedPaths(wrong), pathsOf(operationsOf(['sso']))), ['/sign-inn'])
  assert.deepEqual(namedCodes(wrong), ['no_such_code'])
  assert.deepEqual(namedWords(wrong), ['no_such_code', 'no_such_field'])
  assert.deepEqual(namedSettings(wrong), ['NO_SUCH_NAME'])
  assert.deepEqual(linkTargets(wrong), ['docs/nowhere.md'])
  assert.deepEqual(unknown(namedFiles(wrong), { has: isFile }), ['src/nowhere/', 'nowhere.test.ts'])
  assert.deepEqual(unknown(namedWordsOfStart(wrong), wordsOfStart), ['rewind'])
  assert.deepEqual(namedScripts(wrong), ['nothing'])
  const stray = strayDocuments({ path: '', text: '// As docs/nowhere.md says\n// (design part 3)' })
  assert.deepEqual(stray, ['docs/nowhere.md', 'design part 3)'])
})
