import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { limitKey } from './address-key.ts'

describe('the key an address counts under', () => {
  for (const [address, key] of [
    ['203.0.113.7', '203.0.113.7'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['2a01:4f8:c17:b0f:1:2:3:4', '2a01:4f8:c17:b0f::/64'],
    ['2A01:4F8:C17:B0F::1', '2a01:4f8:c17:b0f::/64'],
    ['2a01::1', '2a01:0:0:0::/64'],
    ['2a01:0:0:1::1', '2a01:0:0:1::/64'],
    ['::1', '0:0:0:0::/64'],
  ] as const)
    test(`${address} counts as ${key}`, () => assert.equal(limitKey(address), key))
})
