import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isUuid, newId, newRequestId } from './ids.ts'

test('a hundred thousand ids are different, version 7, and sort as they were made', () => {
  const ids = Array.from({ length: 100_000 }, newId)
  assert.equal(new Set(ids).size, ids.length)
  assert.ok(ids.every((id) => isUuid(id) && id[14] === '7' && /[89ab]/.test(id[19] ?? '')))
  assert.deepEqual(ids.toSorted(), ids)
})

test('request ids are UUIDs of version 8, all different', () => {
  const ids = Array.from({ length: 100_000 }, newRequestId)
  assert.equal(new Set(ids).size, ids.length)
  assert.ok(ids.every((id) => isUuid(id) && id[14] === '8' && id[19] === '8'))
})
