import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { ApiError, conflict, unauthorized } from '#foundation/errors.ts'
import { createAttemptLog } from '#foundation/rate-limit/attempt-log.ts'
import { world } from '#testing/world.ts'
import { createThrottle, type Guess } from './throttle.ts'

/** The throttle of a product whose limits are on, on a clock the test moves. */
async function aThrottle({ limit = 10 } = {}) {
  const { parts } = await world()
  const time = { now: 1_000 }
  const monotonic = () => time.now
  const throttle = createThrottle({
    ...parts,
    config: { ...parts.config, SSO_RATE_LIMIT_AUTH: limit },
    limits: {
      ...parts.limits,
      attempts: (service) => createAttemptLog({ service, log: parts.log, monotonic }),
    },
    metrics: { ...parts.metrics, counter: () => ({ inc: () => {} }) },
  })
  /** 'in' when the guess was made, else the seconds of Retry-After. */
  const guess = async (guessed: Guess, attempt: () => Promise<unknown> = wrong) => {
    let isMade = false
    try {
      await throttle.guard(guessed, () => {
        isMade = true
        return attempt()
      })
    } catch (error) {
      assert.ok(error instanceof ApiError)
      if (!isMade) {
        assert.deepEqual([error.status, error.code], [429, 'too_many_attempts'])
        return Number(error.headers['Retry-After'])
      }
    }
    return 'in'
  }
  return { guess, time, throttle }
}

const wrong = async () => {
  throw unauthorized('invalid_credentials', 'wrong')
}
const right = async () => 'right'
const broken = async () => {
  throw conflict('other', 'something else')
}

const anna: Guess = {
  kind: 'password',
  environment: 'production',
  email: 'anna@example.org',
  client_ip: '192.0.2.1',
}
const factor: Guess = { kind: 'mfa', user_id: 'anna' }

describe('guessing a password', () => {
  test('allows five per person and address, then doubles the pause', async () => {
    const { guess, time } = await aThrottle()
    for (let n = 0; n < 5; n++) assert.equal(await guess(anna), 'in')
    for (const seconds of [1, 2, 4, 8, 16, 32, 60, 60]) {
      assert.equal(await guess(anna), seconds)
      time.now += seconds * 1_000 - 1
      assert.equal(await guess(anna), 1)
      time.now += 1
      assert.equal(await guess(anna), 'in')
    }
    assert.equal(await guess({ ...anna, client_ip: '192.0.2.2' }), 'in')
    assert.equal(await guess({ ...anna, environment: 'sandbox' }), 'in')
    assert.equal(await guess({ ...anna, email: 'ben@example.org' }), 'in')
  })

  test('normalizes addresses and mailboxes', async () => {
    const { guess } = await aThrottle()
    for (const email of ['anna@example.org', 'ANNA@example.org', 'Anna@Example.ORG'])
      assert.equal(await guess({ ...anna, email }), 'in')
    for (const client_ip of ['::ffff:192.0.2.1', '192.0.2.1'])
      assert.equal(await guess({ ...anna, client_ip }), 'in')
    assert.equal(await guess(anna), 1)
  })

  test('allows fifty per person over all addresses', async () => {
    const { guess, time } = await aThrottle()
    const from = (n: number): Guess => ({ ...anna, client_ip: `198.51.100.${n}` })
    for (let n = 0; n < 50; n++) assert.equal(await guess(from(n)), 'in')
    assert.equal(await guess(from(50)), 1)
    time.now += 1_000
    assert.equal(await guess(from(51)), 'in')
    assert.equal(await guess(from(52)), 2)
  })

  test('with success clears only the count of its address', async () => {
    const { guess } = await aThrottle()
    for (let round = 0; round < 12; round++) {
      for (let n = 0; n < 4; n++) assert.equal(await guess(anna), 'in')
      assert.equal(await guess(anna, right), 'in')
    }
    // 48 wrong ones of fifty.
    assert.equal(await guess(anna), 'in')
    assert.equal(await guess(anna), 'in')
    assert.equal(await guess(anna), 1)
  })

  test('does not count other errors', async () => {
    const { guess } = await aThrottle()
    for (let n = 0; n < 20; n++) assert.equal(await guess(anna, broken), 'in')
    for (let n = 0; n < 5; n++) assert.equal(await guess(anna), 'in')
    assert.equal(await guess(anna), 1)
  })

  test('checks five of fifty concurrent guesses, however slow', async () => {
    const { guess } = await aThrottle()
    const slow = async () => {
      for (let n = 0; n < 5; n++) await turn()
      return wrong()
    }
    const results = await Promise.all(Array.from({ length: 50 }, () => guess(anna, slow)))
    assert.equal(results.filter((result) => result === 'in').length, 5)
    assert.equal(results.filter((result) => result === 1).length, 45)
  })

  test('has no limit where sign-ins have none, unlike second factors', async () => {
    const { guess } = await aThrottle({ limit: 0 })
    for (let n = 0; n < 100; n++) assert.equal(await guess(anna), 'in')
    for (let n = 0; n < 10; n++) assert.equal(await guess(factor), 'in')
    assert.equal(await guess(factor), 900)
  })
})

describe('guessing a second factor', () => {
  test('allows ten wrong codes in 15 minutes, then blocks', async () => {
    const { guess, time } = await aThrottle()
    for (let n = 0; n < 10; n++) {
      assert.equal(await guess(factor, right), 'in')
      assert.equal(await guess(factor), 'in')
      time.now += 10_000
    }
    assert.equal(await guess(factor), 800)
    assert.equal(await guess(factor, right), 800)
    assert.equal(await guess({ kind: 'mfa', user_id: 'ben' }), 'in')
    time.now += 799_999
    assert.equal(await guess(factor), 1)
    time.now += 1
    assert.equal(await guess(factor), 'in')
    assert.equal(await guess(factor), 10)
  })

  test('checks ten of fifty concurrent guesses', async () => {
    const { guess } = await aThrottle()
    const results = await Promise.all(Array.from({ length: 50 }, () => guess(factor)))
    assert.equal(results.filter((result) => result === 'in').length, 10)
  })
})
