import assert from 'node:assert/strict'
import { Redis } from 'ioredis'
import {
  type AttemptKey,
  type AttemptLog,
  type AttemptRule,
  createAttemptLog,
} from '#foundation/rate-limit/attempt-log.ts'
import { createAttemptMemory } from '#foundation/rate-limit/attempt-memory.ts'
import { BEGIN } from '#foundation/rate-limit/shared-attempts.ts'
import { createLog } from '#foundation/log.ts'
import { eventually } from '#testing/eventually.ts'
import { testsWith } from '#testing/programs.ts'
import { type RedisServer, startRedis } from '#testing/redis.ts'

const { after, afterEach, before, describe, test } = testsWith(
  'redis-server or valkey-server',
  'the shared attempts',
)
const log = createLog('silent')
const FIVE: AttemptRule = { limit: 5, window: 900, pause: 'window' }
const CLOSED: AttemptRule = { limit: 10, window: 900, pause: 'window' }
/** For tests of a store that works: a busy machine makes none of its answers late. */
const PATIENCE = 1_500
const SHORT = 50
let redis: RedisServer
let keys = 0

before(async () => void (redis = await startRedis()))
after(() => redis.close())

const leftOpen: { close(): unknown }[] = []
afterEach(() => {
  redis.continue()
  for (const one of leftOpen.splice(0)) one.close()
})

const aKey = (rule = FIVE): AttemptKey => ({ key: `key-${++keys}`, rule, isClearedBySuccess: true })

/** The log of one process, returned once it uses the store: only then does it see the counts of others. */
async function aLog(patience = PATIENCE): Promise<AttemptLog> {
  const attempts = createAttemptLog({ service: 'sso', redisUrl: redis.url, log, patience })
  leftOpen.push(attempts)
  await untilShared(attempts)
  return attempts
}

async function untilShared(attempts: AttemptLog) {
  const client = new Redis(redis.url)
  try {
    await eventually(async () => {
      const key = aKey()
      await attempts.begin([key])
      return (await client.exists(`{sso}:attempts:${key.key}`)) === 1
    })
  } finally {
    client.disconnect()
  }
}

const waitOf = async (attempts: AttemptLog, ...asked: AttemptKey[]) => {
  const turn = await attempts.begin(asked)
  return turn.isLetIn ? 0 : turn.wait
}

/** The whole window, less the time that the test takes. */
const isClosed = (wait: number) => assert.ok(wait > 800_000 && wait <= 900_000, `${wait} ms`)

describe('failed attempts in the shared store', () => {
  test('pause random schedules as in memory', async () => {
    const clockLine = "local t=redis.call('TIME'); local now=t[1]*1000+math.floor(t[2]/1000)"
    assert.equal(BEGIN.split(clockLine).length, 2)
    const client = new Redis(redis.url)
    leftOpen.push({ close: () => client.disconnect() })
    client.defineCommand('beginAttempt', {
      lua: BEGIN.replace(clockLine, 'local now=tonumber(ARGV[#ARGV])'),
    })
    const memory = createAttemptMemory()
    let seed = 20_260_104
    const random = (below: number) => (seed = (seed * 48_271) % 2_147_483_647) % below
    const seen = { letIn: 0, refused: 0 }
    for (let schedule = 0; schedule < 150; schedule++) {
      const asked = [1, 2].map(() =>
        aKey({
          limit: 1 + random(7),
          window: 5 + random(200),
          pause: random(3) > 0 ? 'doubling' : 'window',
        }),
      )
      let now = 1_700_000_000_000 + random(1e9)
      for (let step = 0; step < 30; step++) {
        const some = asked.slice(0, 1 + random(2))
        const names = some.flatMap(({ key }) => `{equal}:${key}`)
        const marks = names.map((name) => `${name}:cleared`)
        const rules = some.flatMap(({ rule }) => [
          rule.limit,
          rule.window * 1_000,
          rule.pause === 'doubling' ? 1 : 0,
        ])
        const [wait] = await client.beginAttempt(
          names.length * 2,
          ...names,
          ...marks,
          `${step}`,
          ...rules,
          now,
        )
        assert.equal(wait, memory.waitOf(some, now))
        if (wait === 0) memory.record(`${step}`, some, now)
        seen[wait === 0 ? 'letIn' : 'refused']++
        const kind = random(10)
        now += wait > 0 && kind < 4 ? wait : wait > 1 && kind < 6 ? wait - 1 : random(20_000)
      }
    }
    assert.ok(seen.letIn > 500 && seen.refused > 500, JSON.stringify(seen))
  })

  test('count over all processes: fifty concurrent ones in two are five', async () => {
    const logs = [await aLog(), await aLog()] as const
    const key = aKey()
    const turns = await Promise.all(Array.from({ length: 50 }, (_, n) => logs[n % 2 ? 0 : 1].begin([key])))
    assert.equal(turns.filter(({ isLetIn }) => isLetIn).length, 5)
  })

  test('are cleared in every process by one success', async () => {
    const [one, two] = [await aLog(), await aLog()]
    const key = aKey()
    const first = await one.begin([key])
    for (let n = 0; n < 4; n++) assert.equal(await waitOf(two, key), 0)
    isClosed(await waitOf(two, key))
    assert.ok(first.isLetIn)
    await first.succeed()
    for (let n = 0; n < 5; n++) assert.equal(await waitOf(two, key), 0)
    isClosed(await waitOf(one, key))
  })

  test('are given back in the store that counted them', async () => {
    const [one, two] = [await aLog(), await aLog()]
    const key = aKey()
    for (let n = 0; n < 20; n++) {
      const turn = await one.begin([key])
      assert.ok(turn.isLetIn)
      await turn.giveBack()
    }
    for (let n = 0; n < 5; n++) assert.equal(await waitOf(two, key), 0)
    isClosed(await waitOf(one, key))
  })

  const FAULTS: [what: string, fault: () => Promise<unknown>][] = [
    ['is killed', () => redis.kill()],
    [
      'is killed and comes back empty',
      async () => {
        await redis.kill()
        await redis.restart()
      },
    ],
    ['is stopped', async () => redis.stop()],
    ['loses its data without losing a connection', () => redis.command('FLUSHALL')],
  ]
  for (const [what, fault] of FAULTS)
    test(`keep their state when the store ${what}`, async () => {
      const attempts = await aLog(SHORT)
      const [spent, half, fresh] = [aKey(CLOSED), aKey(CLOSED), aKey(CLOSED)]
      for (let n = 0; n < 10; n++) assert.equal(await waitOf(attempts, spent), 0)
      for (let n = 0; n < 6; n++) assert.equal(await waitOf(attempts, half), 0)
      await fault()
      // Also while the store is stopped, which goes on only afterwards: no answer waits for it.
      const check = async () => isClosed(await waitOf(attempts, spent))
      await check()
      const turns = await Promise.all(Array.from({ length: 20 }, () => attempts.begin([half])))
      assert.equal(turns.filter(({ isLetIn }) => isLetIn).length, 4)
      for (let n = 0; n < 10; n++) assert.equal(await waitOf(attempts, fresh), 0)
      assert.ok((await waitOf(attempts, fresh)) > 0)
      redis.continue()
      await redis.restart()
      await untilShared(attempts)
      await check()
      assert.ok((await waitOf(attempts, half)) > 0 && (await waitOf(attempts, fresh)) > 0)
    })
})
