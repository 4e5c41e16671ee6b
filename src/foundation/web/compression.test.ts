import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { acceptedCodings } from './compression.ts'

describe('Accept-Encoding', () => {
  const cases: [string | undefined, string[]][] = [
    [undefined, []],
    ['', []],
    ['gzip', ['gzip']],
    ['GZIP, deflate, br', ['br', 'gzip']],
    ['gzip;q=0', []],
    ['gzip;q=0.000, br;q=0.1', ['br']],
    ['*', ['br', 'gzip']],
    ['*;q=0, gzip', ['gzip']],
    ['identity', []],
  ]
  for (const [header, expected] of cases) {
    test(`${JSON.stringify(header)} accepts ${expected.join(' and ') || 'neither coding'}`, () =>
      assert.deepEqual([...acceptedCodings(header)], expected))
  }
})
