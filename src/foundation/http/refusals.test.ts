import assert from 'node:assert/strict'
import { test } from 'node:test'
import { world } from '#testing/world.ts'
import { unavailable } from '../errors.ts'
import { createApp } from './http.ts'
import { createLog } from '../log.ts'
import { createLimiter } from '../rate-limit/limiter.ts'

const { parts } = await world()
const lines: Record<string, unknown>[] = []
const log = createLog('info', {
  write: (line) => void lines.push(JSON.parse(line) as Record<string, unknown>),
})
const app = await createApp({
  service: 'sso',
  version: '0',
  log,
  database: parts.database,
  limiter: createLimiter({ service: 'test', log: parts.log }),
  metrics: parts.metrics.http('refusals-test'),
  isOwnHost: () => true,
  trustedProxies: [],
  isStopping: () => false,
  identify: async () => {},
  bucketsOf: () => [],
  isText: () => true,
})
const lost = () => Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' })
const routes: Record<string, () => Error> = {
  '/busy': () => unavailable('passwords_busy', 'Too many sign-ins at once', 5),
  '/lost': () => unavailable('database_unavailable', 'The database does not answer', 1, lost()),
  '/broken': () => new TypeError('a fault of the code'),
}
for (const [url, make] of Object.entries(routes))
  app.get(url, { config: { auth: 'public' } }, () => {
    throw make()
  })

/** The log lines of one request, except the line that every request gets. */
async function logged(url: string, status: number) {
  lines.length = 0
  assert.equal((await app.inject(url)).statusCode, status)
  return lines.filter((line) => line['status'] === undefined)
}

test('logs an intended refusal in one line without stack', async () => {
  for (const [url, code, reason] of [
    ['/busy', 'passwords_busy', undefined],
    ['/lost', 'database_unavailable', 'ECONNRESET: read ECONNRESET'],
  ] as const) {
    const [line, ...more] = await logged(url, 503)
    assert.deepEqual(more, [])
    assert.deepEqual([line?.['code'], line?.['route'], line?.['reason']], [code, url, reason])
    assert.doesNotMatch(JSON.stringify(line), /stack|\.ts:\d+/)
  }
})

test('logs a fault of the code with its stack', async () => {
  const [line] = await logged('/broken', 500)
  assert.equal(line?.['code'], 'internal')
  assert.match(JSON.stringify(line), /a fault of the code.*refusals\.test\.ts/)
})
