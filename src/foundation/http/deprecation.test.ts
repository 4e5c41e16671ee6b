import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type Deprecation, deprecationHeaders } from './deprecation.ts'

const announced: Deprecation = {
  since: '2026-08-31',
  sunset: '2027-02-28',
  link: 'https://lyceum.example.org/changes#old',
}
const headersOf = (more: Partial<Deprecation> = {}) =>
  deprecationHeaders('GET /old', { ...announced, ...more })

describe('the headers of a deprecated route', () => {
  test('are those of RFC 9745, RFC 8594 and RFC 8288', () => {
    assert.deepEqual(headersOf({ successor: '/api/v2/new' }), {
      // RFC 9745 section 2.1: a structured-field Date, which is @ and the seconds since the epoch.
      deprecation: `@${Date.UTC(2026, 7, 31) / 1_000}`,
      sunset: 'Sun, 28 Feb 2027 00:00:00 GMT',
      link: '<https://lyceum.example.org/changes#old>; rel="deprecation"; type="text/html", </api/v2/new>; rel="successor-version"',
    })
    assert.ok(!headersOf()['link']?.includes('successor'))
  })

  for (const [since, sunset, isAllowed] of [
    ['2026-01-15', '2026-07-15', true],
    ['2026-01-15', '2026-07-14', false],
    ['2026-08-31', '2027-02-28', true],
    ['2026-08-31', '2027-02-27', false],
    ['2027-08-31', '2028-02-29', true],
    ['2027-08-31', '2028-02-28', false],
    ['2026-01-15', '2025-12-31', false],
  ] as const)
    test(`a sunset on ${sunset} announced ${since} is ${isAllowed ? 'accepted' : 'refused'}`, () => {
      if (isAllowed) headersOf({ since, sunset })
      else assert.throws(() => headersOf({ since, sunset }), /GET \/old .* must stay until/)
    })

  for (const day of ['2026-02-30', '2026-13-01', 'soon', '', '2026-1-1'])
    test(`"${day}" is not a day`, () => {
      assert.throws(() => headersOf({ since: day }), /a date that is none/)
      assert.throws(() => headersOf({ sunset: day }), /a date that is none/)
    })
})
