import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { createLog } from '../log.ts'
import { createMetrics } from '../metrics.ts'
import { loopDelay, noteBegin, noteEnd, startWatchdog } from './watchdog.ts'

type Line = { ms: number; cpu_ms: number; routes: string[]; msg: string }

/** How often the watchdog looks. */
const EVERY_MS = 25

/** A watchdog whose event loop is blocked as long as the test says. */
function watched(t: TestContext) {
  const lines: Line[] = []
  const metrics = createMetrics()
  const log = createLog('info', { write: (line) => lines.push(JSON.parse(line) as Line) })
  let [now, cpu_ms] = [0, 0]
  t.mock.timers.enable({ apis: ['setInterval'] })
  t.mock.method(performance, 'now', () => now)
  t.mock.method(process, 'threadCpuUsage', () => ({ user: cpu_ms * 1_000, system: 0 }))
  const watchdog = startWatchdog({ log, metrics })
  t.after(() => watchdog.stop())
  /** The next look of the watchdog is `late` ms late, and this thread worked `work` ms meanwhile. */
  const look = (late = 0, work = late) => {
    now += EVERY_MS + late
    cpu_ms += work
    t.mock.timers.tick(EVERY_MS)
  }
  return { lines, metrics, look, watchdog }
}

test('logs a block with its length, its work and running routes', async (t) => {
  const { lines, metrics, look } = watched(t)
  const [before, during] = [{}, {}]
  look()
  noteBegin(before, 'GET /before')
  noteBegin(during, 'POST /slow')
  noteEnd(during)
  look(300)
  look()
  const [block] = lines
  assert.ok(block && lines.length === 1)
  assert.equal(block.msg, 'the event loop was blocked')
  assert.deepEqual([block.ms, block.cpu_ms], [300, 300])
  assert.deepEqual(block.routes.toSorted(), ['GET /before', 'POST /slow'])
  assert.match(await metrics.text(), /^lyceum_event_loop_blocks_total 1$/m)
})

test('logs no block of 200 ms or less', (t) => {
  const { lines, look } = watched(t)
  look(200)
  assert.deepEqual(lines, [])
  look(201)
  assert.equal(lines.length, 1)
})

test('does not name routes that ended before', (t) => {
  const { lines, look } = watched(t)
  const token = {}
  noteBegin(token, 'GET /early')
  noteEnd(token)
  look()
  look(300)
  assert.deepEqual(
    lines.map(({ routes }) => routes),
    [[]],
  )
})

test('counts no processor time while a thread waits', (t) => {
  const { lines, look } = watched(t)
  look(400, 0)
  assert.deepEqual(
    lines.map(({ ms, cpu_ms }) => [ms, cpu_ms]),
    [[400, 0]],
  )
})

test('finds the event loop late only after several blocks', (t) => {
  const { look, watchdog } = watched(t)
  for (let checks = 0; checks < 5; checks++) look()
  look(1_000)
  assert.equal(loopDelay(), 0)
  for (let blocks = 0; blocks < 2; blocks++) look(100)
  assert.equal(loopDelay(), 100)
  for (let checks = 0; checks < 3; checks++) look()
  assert.equal(loopDelay(), 0)
  watchdog.stop()
  assert.equal(loopDelay(), 0)
})
