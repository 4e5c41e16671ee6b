import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isUuid, newId, newRequestId } from './ids.ts'

test('100,000 ids are distinct, version 7 and sorted by creation', () => {
  const ids = Array.from({ length: 100_000 }, newId)
  assert.equal(new Set(ids).size, ids.length)
  assert.ok(ids.every((id) => isUuid(id) && id[14] === '7' && /[89ab]/.test(id[19] ?? '')))
  assert.deepEqual(ids.toSorted(), ids)
})

test('request ids are distinct UUIDs of version 7', () => {
  const ids = Array.from({ length: 100_000 }, newRequestId)
  assert.equal(new Set(ids).size, ids.length)
  assert.ok(ids.every((id) => isUuid(id) && id[14] === '8' && id[19] === '8'))
})
