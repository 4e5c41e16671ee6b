import assert from 'node:assert/strict'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { breaksBetween, type Description, majorOf, typesOf } from '#testing/client-types.ts'
import type { ServiceName } from '#testing/contract.ts'
import { world } from '#testing/world.ts'

/**
 * `node_modules/.bin/node test/client-types.test.ts --write` writes the types of @lyceum/client anew. It refuses to where
 * programs of partners would break, until the major version of the package moves.
 */
const FOLDER = join(import.meta.dirname, '../packages/client')
const { version } = JSON.parse(readFileSync(join(FOLDER, 'package.json'), 'utf8')) as { version: string }
const [major = ''] = version.split('.')
const apps = await world()

describe('the types of @lyceum/client', () => {
  for (const service of ['sso', 'learning', 'collections'] as ServiceName[])
    test(`are those of the routes of ${service}`, async () => {
      const reply = await apps[service].inject({ url: '/docs/openapi.json' })
      const [fresh, file] = [
        await typesOf(reply.json<Description>(), major),
        join(FOLDER, `types/${service}.d.ts`),
      ]
      const kept = existsSync(file) ? readFileSync(file, 'utf8') : undefined
      if (kept === fresh) return
      const broken = kept === undefined || majorOf(kept) !== major ? [] : await breaksBetween(kept, fresh)
      assert.deepEqual(broken, [], 'Programs of partners break: move the major version of packages/client')
      assert.ok(
        process.argv.includes('--write'),
        `${file} is not what the routes say: run this test with --write`,
      )
      writeFileSync(file, fresh)
    })
})

describe('a change of the contract', () => {
  const text = { type: 'string' }
  const answer = (properties: object, required: string[]) => ({
    200: {
      description: '',
      content: { 'application/json': { schema: { type: 'object', properties, required } } },
    },
  })
  const asked = (properties: object, required: string[]) => ({
    content: { 'application/json': { schema: { type: 'object', properties, required } } },
    required: true,
  })
  const describe = (get: object, post: object = {}) =>
    typesOf(
      {
        info: {},
        paths: { '/a': { get: { responses: answer({ id: text, name: text }, ['id']), ...get }, post } },
      } as unknown as Description,
      '1',
    )
  const POST = { requestBody: asked({ id: text }, ['id']), responses: answer({ id: text }, ['id']) }
  const was = describe({}, POST)
  const query = (name: string, required: boolean) => ({ name, in: 'query', required, schema: text })

  const changes: [name: string, changed: Promise<string>, broken: string[]][] = [
    [
      'an answer with one field more breaks nothing',
      describe({ responses: answer({ id: text, name: text, more: text }, ['id', 'more']) }, POST),
      [],
    ],
    [
      'a parameter that may be left out breaks nothing',
      describe({ parameters: [query('q', false)] }, POST),
      [],
    ],
    [
      'a field of an answer that is gone breaks',
      describe({ responses: answer({ name: text }, []) }, POST),
      ['get /a'],
    ],
    [
      'a field of another type breaks',
      describe({ responses: answer({ id: { type: 'integer' } }, ['id']) }, POST),
      ['get /a'],
    ],
    [
      'every call that breaks is named',
      describe({ responses: answer({}, []) }, { ...POST, responses: answer({}, []) }),
      ['get /a', 'post /a'],
    ],
    ['a parameter that is demanded breaks', describe({ parameters: [query('q', true)] }, POST), ['get /a']],
    [
      'a field of a body that is demanded breaks',
      describe({}, { ...POST, requestBody: asked({ id: text, more: text }, ['id', 'more']) }),
      ['post /a'],
    ],
    [
      'a field of a body that may be left out breaks nothing',
      describe({}, { ...POST, requestBody: asked({ id: text, more: text }, ['id']) }),
      [],
    ],
  ]
  const words = (...list: string[]) => ({ type: 'string', enum: list })
  const worded = (list: object) =>
    describe(
      { responses: answer({ list: { type: 'array', items: list } }, ['list']) },
      { ...POST, requestBody: asked({ word: list }, ['word']) },
    )
  test('a word more in a list of words breaks nothing, a word less what is sent', async () => {
    const [one, two] = await Promise.all([worded(words('a')), worded(words('a', 'b'))])
    assert.deepEqual(await breaksBetween(one, two), [])
    assert.deepEqual(await breaksBetween(two, one), ['post /a'])
  })

  for (const [name, changed, broken] of changes)
    test(name, async () => assert.deepEqual(await breaksBetween(await was, await changed), broken))

  test('breaks where a route is gone', async () => {
    const other = await typesOf({ info: {}, paths: { '/b': { get: {} } } }, '1')
    assert.deepEqual(await breaksBetween(await was, other), ['all /a'])
  })
})
