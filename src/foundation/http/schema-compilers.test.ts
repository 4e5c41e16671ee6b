import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Type } from 'typebox'
import { compileSerializer, compileValidator } from './schema-compilers.ts'
import { Time } from './schemas.ts'

const validatorOf = (schema: object) =>
  compileValidator({ schema, method: 'POST', url: '/', httpPart: 'body' }) as {
    (data: unknown): boolean
    errors?: unknown[] | null
  }

describe('a validator', () => {
  const isRight = validatorOf(
    Type.Object({ title: Type.String(), tags: Type.Array(Type.String(), { maxItems: 20 }) }),
  )

  test('reports every fault of a small body', () => {
    assert.equal(isRight({ tags: [1, 'a', 2] }), false)
    assert.equal(isRight.errors?.length, 3)
    assert.equal(isRight({ title: 'x', tags: ['a'] }), true)
  })

  test('reports one fault of a body with a million', () => {
    const tags = Array.from({ length: 1_000_000 }, () => 1)
    for (const body of [{ title: 'x', tags }, { title: 5, tags }, { tags }]) {
      assert.equal(isRight(body), false)
      assert.equal(isRight.errors?.length, 1)
    }
  })
})

test('a serializer leaves out what the schema does not declare, at any depth', () => {
  const shown = Type.Object({ id: Type.String() })
  const schema = Type.Object({ id: Type.String(), own: shown, list: Type.Array(shown) })
  const serialize = compileSerializer({ schema, method: 'GET', url: '/', httpStatus: '200' })
  const one = { id: 'a', secret: 'b' }
  assert.deepEqual(JSON.parse(serialize({ ...one, own: one, list: [one] })), {
    id: 'a',
    own: { id: 'a' },
    list: [{ id: 'a' }],
  })
})

describe('the format date-time', () => {
  const isTime = validatorOf(Time)

  for (const text of [
    '1970-01-01T00:00:00Z',
    '9999-12-31T23:59:59.999Z',
    '2026-01-01t00:00:00.123456789z',
    '2026-01-01T00:00:00+15:59',
    '2026-01-01T00:00:00-15:59',
  ])
    test(`accepts ${text}`, () => assert.equal(isTime(text), true))

  for (const [name, text] of [
    ['an offset that PostgreSQL does not know', '2026-01-01T00:00:00+16:00'],
    ['an offset of a whole day', '2026-01-01T00:00:00+23:59'],
    ['more digits than PostgreSQL reads', `2026-01-01T00:00:00.${'1'.repeat(200)}Z`],
    ['a time that is year 10000 in UTC', '9999-12-31T23:00:00-15:00'],
    ['a fraction that rounds up to year 10000', '9999-12-31T23:59:59.9999Z'],
    ['a time that is before 1970 in UTC', '1970-01-01T00:00:00+14:00'],
    ['a day that does not exist', '2026-02-30T00:00:00Z'],
    ['a leap second', '2016-12-31T23:59:60Z'],
    ['a date', '2026-01-01'],
  ] as const)
    test(`refuses ${name}`, () => assert.equal(isTime(text), false))
})

describe('the format date', () => {
  const isDate = validatorOf(Type.String({ format: 'date' }))

  test('accepts the days PostgreSQL can store', () => {
    for (const text of ['0001-01-01', '2024-02-29', '9999-12-31']) assert.equal(isDate(text), true, text)
    for (const text of ['0000-01-01', '2023-02-29', '2024-2-9', '10000-01-01'])
      assert.equal(isDate(text), false, text)
  })
})
