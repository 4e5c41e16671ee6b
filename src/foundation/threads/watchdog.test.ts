import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { createLog } from '../log.ts'
import { createMetrics } from '../metrics.ts'
import { loopDelay, noteBegin, noteEnd, startWatchdog } from './watchdog.ts'

type Line = { ms: number; cpu_ms: number; routes: string[]; msg: string }

/** What the watchdog logs while `work` runs. */
async function watched(work: () => void): Promise<{ lines: Line[]; metrics: string }> {
  const lines: Line[] = []
  const metrics = createMetrics()
  const log = createLog('info', { write: (line) => lines.push(JSON.parse(line) as Line) })
  const watchdog = startWatchdog({ log, metrics })
  try {
    await wait(60)
    work()
    await wait(60)
  } finally {
    watchdog.stop()
  }
  return { lines, metrics: await metrics.text() }
}

function compute(ms: number) {
  for (const until = performance.now() + ms; performance.now() < until;);
}

test('logs a block with its length, its work and running routes', async () => {
  const [before, during] = [{}, {}]
  const { lines, metrics } = await watched(() => {
    noteBegin(before, 'GET /before')
    noteBegin(during, 'POST /slow')
    compute(300)
    noteEnd(during)
  })
  const [block] = lines
  assert.ok(block)
  assert.equal(block.msg, 'the event loop was blocked')
  assert.ok(block.ms > 200, `${block.ms} ms`)
  assert.ok(block.cpu_ms > 0)
  assert.deepEqual(block.routes.toSorted(), ['GET /before', 'POST /slow'])
  assert.match(metrics, /^lyceum_event_loop_blocks_total [1-9]/m)
})

test('does not name routes that ended before', async () => {
  const token = {}
  const { lines } = await watched(() => {
    noteBegin(token, 'GET /early')
    noteEnd(token)
    setTimeout(() => compute(300), 30)
    compute(1)
  })
  for (const { routes } of lines) assert.deepEqual(routes, [])
})

test('counts no processor time while a thread waits', async () => {
  const { lines } = await watched(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 400))
  const block = lines.find(({ ms }) => ms > 300)
  assert.ok(block)
  assert.ok(block.cpu_ms < 200, `${block.cpu_ms} ms`)
})

test('finds the event loop late only after several blocks', async () => {
  const watchdog = startWatchdog({ log: createLog('silent'), metrics: createMetrics() })
  try {
    await wait(200)
    compute(1_000)
    await wait(1)
    assert.ok(loopDelay() < 900, `${loopDelay()} ms`)
    for (let blocks = 0; blocks < 5; blocks++) {
      compute(100)
      await wait(1)
    }
    assert.ok(loopDelay() >= 70, `${loopDelay()} ms`)
    while (loopDelay() >= 70) await wait(25)
  } finally {
    watchdog.stop()
  }
  assert.equal(loopDelay(), 0)
})
