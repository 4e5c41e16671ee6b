import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { operationOf, withoutNames } from '#testing/contract.ts'
import { sourceFiles } from '#testing/source.ts'
import { world } from '#testing/world.ts'

const { sso } = await world()

const operations = new Set(sso.declaredRoutes.map((route) => withoutNames(operationOf(route))))
const paths = new Set([...operations].map((operation) => operation.replace(/^\w+ /, '')))

const METHOD = '(GET|POST|PUT|PATCH|DELETE)'
const PATH = String.raw`(/[\w./{}-]+)`

/** Words in capitals stand for values: USER_ID in an example is what {user_id} is elsewhere. */
const asDeclared = (path: string) => withoutNames(path.replaceAll(/\/[A-Z_]+(?=\/|$)/g, '/{x}'))

/** `GET /path` in the text, and the examples of curl with the method they use. */
function namedOperations(text: string): string[] {
  const spoken = Array.from(
    text.matchAll(new RegExp(`\`${METHOD} ${PATH}`, 'g')),
    ([, method = '', path = '']) => `${method} ${asDeclared(path)}`,
  )
  const examples = Array.from(text.matchAll(/^ +curl (?:.*\\\n)*.*$/gm), ([example]) => {
    const path = new RegExp(`http://127\\.0\\.0\\.1:8064${PATH}`).exec(example)?.[1] ?? ''
    const method = /-X (\w+)/.exec(example)?.[1] ?? (/ (?:--json|-d) /.test(example) ? 'POST' : 'GET')
    return `${method} ${asDeclared(path)}`
  })
  return [...spoken, ...examples]
}

/** `/path` without a method, and addresses of the sso that are no example of curl. */
const namedPaths = (text: string): string[] =>
  Array.from(
    text.matchAll(new RegExp(`(?:\`|^ +http://127\\.0\\.0\\.1:8064)${PATH}`, 'gm')),
    ([, path = '']) => asDeclared(path),
  )

/** `word_like_this` after a status: what `code` of an error may say. */
const namedCodes = (text: string): string[] =>
  Array.from(text.matchAll(/\b4\d\d(?: from \w+)?:? ((?:`[a-z_]+`(?:, )?)+)/g), ([, codes = '']) =>
    Array.from(codes.matchAll(/[a-z_]+/g), ([code]) => code),
  ).flat()

const unknown = (named: string[], known: { has: (name: string) => boolean }) =>
  named.filter((name) => !known.has(name))

describe('the guides', () => {
  for (const [file, least] of [
    ['docs/integrating.md', 40],
    ['docs/operating.md', 5],
  ] as const)
    test(`name no route of the sso that is not there: ${file}`, () => {
      const [{ text } = { text: '' }] = sourceFiles(file)
      const named = namedOperations(text)
      assert.ok(named.length >= least, `${named.length} are found`)
      assert.deepEqual(unknown(named, operations), [])
      assert.deepEqual(unknown(namedPaths(text), paths), [])
    })

  test('name no code of an error that the source does not know', () => {
    const [{ text } = { text: '' }] = sourceFiles('docs/integrating.md')
    const source = sourceFiles('src/foundation/**/*.ts', 'src/sso/**/*.ts')
      .filter(({ path }) => !path.endsWith('.test.ts'))
      .map((one) => one.text)
      .join('\n')
    const named = namedCodes(text)
    assert.ok(named.length >= 15, `${named.length} are found`)
    assert.deepEqual(unknown(named, { has: (code) => source.includes(`'${code}'`) }), [])
  })

  test('are caught when they are wrong', () => {
    const wrong = [
      'Call `GET /api/v1/people/{user_id}`, look at `/sign-inn`, expect 409 `no_such_code`.',
      '    curl -X PUT http://127.0.0.1:8064/api/v1/users/USER_ID \\',
      "      --json '{}'",
    ].join('\n')
    assert.deepEqual(unknown(namedOperations(wrong), operations), [
      'GET /api/v1/people/{}',
      'PUT /api/v1/users/{}',
    ])
    assert.deepEqual(unknown(namedPaths(wrong), paths), ['/sign-inn'])
    assert.deepEqual(namedCodes(wrong), ['no_such_code'])
  })
})
