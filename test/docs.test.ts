import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { settings } from '#foundation/config.ts'
import { contractRoutes, operationOf, type ServiceName, withoutNames } from '#testing/contract.ts'
import { sourceFiles } from '#testing/source.ts'
import { world } from '#testing/world.ts'

const apps = await world()

const PORTS: Record<string, ServiceName> = { 8064: 'sso', 8065: 'learning', 8066: 'collections' }

const SERVICES = Object.values(PORTS)

/** Guides of one service, which may send their readers to the sso as well. */
const GUIDES = [
  { file: 'docs/learning.md', service: 'learning', least: { routes: 36, words: 70, settings: 7 } },
  { file: 'docs/collections.md', service: 'collections', least: { routes: 30, words: 100, settings: 7 } },
] as const

const operationsOf = (...services: ServiceName[]) =>
  new Set(
    services.flatMap((service) =>
      apps[service].declaredRoutes.map((route) => withoutNames(operationOf(route))),
    ),
  )

/** Paths of these operations, and what stands before them, such as `/api`. */
const pathsOf = (operations: Set<string>) => {
  const paths = Array.from(operations, (operation) => operation.replace(/^\w+ /, ''))
  const isBefore = (named: string, path: string) => path.startsWith(`${named.replace(/\/$/, '')}/`)
  return {
    has: (named: string) => paths.some((path) => path === named || (named !== '/' && isBefore(named, path))),
  }
}

const METHOD = '(GET|POST|PUT|PATCH|DELETE)'
const PATH = String.raw`(/[\w./{}-]*)`

/** Words in capitals stand for values: USER_ID in an example is what {user_id} is elsewhere. */
const asDeclared = (path: string) => withoutNames(path.replaceAll(/\/[A-Z_]+(?=\/|$)/g, '/{x}'))

/** `GET /path` in the text. */
const spokenOperations = (text: string): string[] =>
  Array.from(
    text.matchAll(new RegExp(`\`${METHOD} ${PATH}`, 'g')),
    ([, method = '', path = '']) => `${method} ${asDeclared(path)}`,
  )

/** The examples of curl with the method they use, and whose port they name. */
const examples = (text: string): { service: string; operation: string }[] =>
  Array.from(text.matchAll(/^ +curl (?:.*\\\n)*.*$/gm), ([example]) => {
    const [, port = '', path = ''] = new RegExp(`http://127\\.0\\.0\\.1:(\\d+)${PATH}`).exec(example) ?? []
    const method = /-X (\w+)/.exec(example)?.[1] ?? (/ (?:--json|-d|-F) /.test(example) ? 'POST' : 'GET')
    return { service: PORTS[port] ?? `port ${port}`, operation: `${method} ${asDeclared(path)}` }
  })

/** Examples that name another service, or an operation that theirs has not. */
const wrongExamples = (text: string, services: readonly ServiceName[]): string[] =>
  examples(text)
    .filter(({ service, operation }) => {
      const known = services.find((one) => one === service)
      return known === undefined || !operationsOf(known).has(operation)
    })
    .map(({ service, operation }) => `${service}: ${operation}`)

/** `/path` without a method, and addresses that are no example of curl. */
const namedPaths = (text: string): string[] =>
  Array.from(
    text.matchAll(new RegExp(`(?:\`|^ +http://127\\.0\\.0\\.1:806[456])${PATH}`, 'gm')),
    ([, path = '']) => asDeclared(path),
  )

/** `word_like_this` after a status: what `code` of an error may say. */
const namedCodes = (text: string): string[] =>
  Array.from(text.matchAll(/\b[45]\d\d(?: from \w+)?:? ((?:`[a-z_]+`(?:, )?)+)/g), ([, codes = '']) =>
    Array.from(codes.matchAll(/[a-z_]+/g), ([code]) => code),
  ).flat()

/** `word_like_this` wherever it stands: fields, options, states and codes. */
const namedWords = (text: string): string[] =>
  Array.from(text.matchAll(/`([a-z]+(?:_[a-z]+)+)(?=[`{=])/g), ([, word = '']) => word)

/** `NAME_LIKE_THIS`, but for what stands for a value in the examples. */
const namedSettings = (text: string): string[] => {
  const shown = new Set(
    Array.from(
      text.matchAll(/^ +curl (?:.*\\\n)*.*$/gm),
      ([example]) => example.match(/[A-Z_]{2,}/g) ?? [],
    ).flat(),
  )
  return Array.from(text.matchAll(/`([A-Z]+(?:_[A-Z]+)+)[`=]/g), ([, name = '']) => name).filter(
    (name) => !shown.has(name),
  )
}

const unknown = (named: string[], known: { has: (name: string) => boolean }) =>
  named.filter((name) => !known.has(name))

const guide = (file: string) => sourceFiles(file)[0]?.text ?? ''

/** What the sources of the program's commands, of the foundation and of these services say, without their tests. */
const sourceOf = (...services: ServiceName[]) =>
  sourceFiles(
    'src/*.ts',
    ...['import-channels', 'foundation', ...services].map((folder) => `src/${folder}/**/*.ts`),
  )
    .filter(({ path }) => !path.endsWith('.test.ts'))
    .map((one) => one.text)
    .join('\n')

describe('the guides', () => {
  for (const [file, least] of [
    ['docs/integrating.md', 40],
    ['docs/operating.md', 5],
  ] as const)
    test(`name existing routes only: ${file}`, () => {
      const text = guide(file)
      const named = [...spokenOperations(text), ...examples(text).map(({ operation }) => operation)]
      const operations = operationsOf(...SERVICES)
      assert.ok(named.length >= least, `${named.length} are found`)
      assert.deepEqual(unknown(spokenOperations(text), operations), [])
      assert.deepEqual(wrongExamples(text, SERVICES), [])
      assert.deepEqual(unknown(namedPaths(text), pathsOf(operations)), [])
    })

  test('name known error codes only', () => {
    const source = sourceOf(...SERVICES)
    const named = namedCodes(guide('docs/integrating.md'))
    assert.ok(named.length >= 15, `${named.length} are found`)
    assert.deepEqual(unknown(named, { has: (code) => source.includes(`'${code}'`) }), [])
  })

  for (const { file, service, least } of GUIDES) {
    const text = guide(file)
    test(`name only routes of ${service} and the sso: ${file}`, () => {
      const operations = operationsOf(service, 'sso')
      const named = [...spokenOperations(text), ...examples(text).map(({ operation }) => operation)]
      assert.ok(named.length >= least.routes, `${named.length} are found`)
      assert.deepEqual(unknown(spokenOperations(text), operations), [])
      assert.deepEqual(wrongExamples(text, [service, 'sso']), [])
      assert.deepEqual(unknown(namedPaths(text), pathsOf(operations)), [])
    })

    test(`cover every route of the contract: ${file}`, () => {
      const named = [
        ...spokenOperations(text),
        ...examples(text).map(({ operation }) => operation),
        ...namedPaths(text).map((path) => `GET ${path}`),
      ]
      const routes = contractRoutes(apps[service]).map((route) => withoutNames(operationOf(route)))
      assert.deepEqual(unknown(routes, new Set(named)), [])
    })

    test(`name known codes, fields, options and metrics only: ${file}`, () => {
      const words = new Set(sourceOf(service, 'sso').match(/\w+/g))
      const named = [...namedCodes(text), ...namedWords(text)]
      assert.ok(named.length >= least.words, `${named.length} are found`)
      assert.deepEqual(unknown(named, words), [])
    })

    test(`name existing settings only: ${file}`, () => {
      const named = namedSettings(text)
      assert.ok(named.length >= least.settings, `${named.length} are found`)
      assert.deepEqual(unknown(named, { has: (name) => Object.hasOwn(settings, name) }), [])
    })
  }

  test('fail this check when wrong', () => {
    const wrong = [
      'Call `GET /api/v1/people/{user_id}`, look at `/sign-inn`, expect 409 `no_such_code`, set `NO_SUCH_NAME`',
      'and read `no_such_field`, but not `USER_ID`.',
      '    curl -X PUT http://127.0.0.1:8064/api/v1/users/USER_ID \\',
      "      --json '{}'",
      '    curl http://127.0.0.1:8066/api/bulk/upload -F file=@book.xlsx',
      '    curl http://127.0.0.1:9999/health',
    ].join('\n')
    assert.deepEqual(unknown(spokenOperations(wrong), operationsOf('sso')), ['GET /api/v1/people/{}'])
    assert.deepEqual(wrongExamples(wrong, ['sso']), [
      'sso: PUT /api/v1/users/{}',
      'collections: POST /api/bulk/upload',
      'port 9999: GET /health',
    ])
    assert.deepEqual(unknown(namedPaths(wrong), pathsOf(operationsOf('sso'))), ['/sign-inn'])
    assert.deepEqual(namedCodes(wrong), ['no_such_code'])
    assert.deepEqual(namedWords(wrong), ['no_such_code', 'no_such_field'])
    assert.deepEqual(namedSettings(wrong), ['NO_SUCH_NAME'])
  })
})
