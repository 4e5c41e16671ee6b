import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLog } from '../log.ts'
import { startPolling } from './polling.ts'

test('a retry after 15 s is claimed when it is due, also if the database rounds its time up', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout', 'setInterval'] })
  let claims = 0
  const polling = startPolling(createLog('silent'), async () => void claims++)
  const settle = () => new Promise((resolve) => setImmediate(resolve))
  polling.wakeIn(15_001)
  t.mock.timers.tick(15_000)
  await settle()
  const polled = claims
  t.mock.timers.tick(1)
  await settle()
  assert.equal(claims, polled + 1)
  await polling.stop()
})
