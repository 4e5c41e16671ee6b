import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { newSeed, seedForApp, stepOf } from './totp.ts'

const SEED = Buffer.from('12345678901234567890')
const STEP = 30_000

describe('a code of an authenticator app', () => {
  // RFC 6238, appendix B, SHA-1. The RFC prints eight digits; six are the last six of them.
  for (const [seconds, code] of [
    [59, '94287082'],
    [1_111_111_109, '07081804'],
    [1_111_111_111, '14050471'],
    [1_234_567_890, '89005924'],
    [2_000_000_000, '69279037'],
    [20_000_000_000, '65353130'],
  ] as const)
    test(`matches RFC 6238 at ${seconds} s`, () => {
      assert.equal(stepOf(SEED, code.slice(-6), seconds * 1_000), Math.floor(seconds / 30))
    })

  // RFC 4226, appendix D: the counter is the step.
  for (const [counter, code] of [
    '755224',
    '287082',
    '359152',
    '969429',
    '338314',
    '254676',
    '287922',
    '162583',
    '399871',
    '520489',
  ].entries())
    test(`matches RFC 4226 for the counter ${counter}`, () => {
      assert.equal(stepOf(SEED, code, counter * STEP), counter)
      assert.equal(stepOf(SEED, code, counter * STEP + 29_999), counter)
    })

  test('is valid one step early or late, with its step', () => {
    const [code, at] = ['287922', 6 * STEP]
    assert.equal(stepOf(SEED, code, at - STEP), 6)
    assert.equal(stepOf(SEED, code, at + STEP), 6)
    assert.equal(stepOf(SEED, code, at + 2 * STEP - 1), 6)
    assert.equal(stepOf(SEED, code, at - STEP - 1), undefined)
    assert.equal(stepOf(SEED, code, at + 2 * STEP), undefined)
  })

  for (const code of ['', '28708', '2870822', '28708a', '２８７０８２', ' 287082', '-87082'])
    test(`is not "${code}"`, () => {
      assert.equal(stepOf(SEED, code, STEP), undefined)
    })
})

describe('a seed', () => {
  test('has 160 bits in base32 and an otpauth address', () => {
    assert.equal(newSeed().length, 20)
    assert.notDeepEqual(newSeed(), newSeed())
    const { secret, otpauth_uri } = seedForApp(SEED, 'anna&co@example.org')
    assert.equal(secret, 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ')
    const url = new URL(otpauth_uri)
    assert.equal(url.protocol + url.host, 'otpauth:totp')
    assert.equal(decodeURIComponent(url.pathname), '/Lyceum:anna&co@example.org')
    assert.deepEqual(Object.fromEntries(url.searchParams), {
      issuer: 'Lyceum',
      secret,
      algorithm: 'SHA1',
      digits: '6',
      period: '30',
    })
  })
})
