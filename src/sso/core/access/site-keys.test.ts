import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { isSiteKey, newSiteKey, randomBase62 } from './site-keys.ts'

describe('a site key', () => {
  test('shows its environment, 43 random characters and a checksum', () => {
    assert.match(newSiteKey('production'), /^sso_live_[0-9A-Za-z]{49}$/)
    assert.match(newSiteKey('sandbox'), /^sso_test_[0-9A-Za-z]{49}$/)
    assert.equal(isSiteKey(newSiteKey('sandbox')), true)
  })

  test('is invalid with any one character changed', () => {
    const key = newSiteKey('production')
    for (let i = 0; i < key.length; i++) {
      const changed = key.slice(0, i) + (key[i] === 'x' ? 'y' : 'x') + key.slice(i + 1)
      assert.equal(isSiteKey(changed), false, changed)
    }
  })

  for (const text of [
    '',
    'sso_live_',
    `sso_live_${'a'.repeat(49)}`,
    `${newSiteKey('sandbox')} `,
    `${newSiteKey('sandbox')}\n`,
  ])
    test(`does not match ${JSON.stringify(text)}`, () => assert.equal(isSiteKey(text), false))

  test('keeps its checksum across releases', () => {
    assert.equal(isSiteKey(`sso_live_${'0'.repeat(43)}${KNOWN}`), true)
  })

  test('draws every digit equally often', () => {
    const counts = new Map<string, number>()
    for (const digit of randomBase62(62_000)) counts.set(digit, (counts.get(digit) ?? 0) + 1)
    assert.equal(counts.size, 62)
    // Five standard deviations around 1000.
    for (const [digit, count] of counts) assert.ok(Math.abs(count - 1_000) < 160, `${digit}: ${count}`)
  })
})

/** CRC32 of `sso_live_` and 43 zeros in base62, computed apart with Python's zlib. */
const KNOWN = '33BGfs'
