import assert from 'node:assert/strict'
import { test } from 'node:test'
import { aCollection, call } from '#testing/collections.ts'
import { aUser } from '#testing/people.ts'

test('a 422 is `validation` on top, and the code of each field stands in errors', async () => {
  const anna = await aUser()
  const box = await aCollection(anna)
  for (const [query, field, code] of [
    ['sort=colour', 'sort', 'unknown_field'],
    ['fields=colour', 'fields', 'unknown_field'],
    ['filter[name][near]=x', 'filter[name][near]', 'unknown_operator'],
    ['filter[created_at][gt]=x', 'filter[created_at][gt]', 'invalid_value'],
    ['per_page=1000', 'per_page', 'out_of_range'],
  ] as const) {
    const reply = await call('GET', `/api/collections/${box}/items?${query}`, anna)
    const { code: top, errors } = reply.json()
    assert.deepEqual(
      [reply.statusCode, top, errors.length, errors[0].field],
      [422, 'validation', 1, field],
      query,
    )
    assert.equal(errors[0].code, code, query)
  }
})
