import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { connect } from 'node:net'
import { after, before, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { newId } from '#foundation/ids.ts'
import { paymentCompleted, recordFacts } from '#sso'
import { answers, type Behaviour, drip, head } from '#testing/receiver.ts'
import { eventually } from '#testing/eventually.ts'
import { aPartner, type Partner, startEngine } from '#testing/webhooks.ts'
import { buildWorld, type World } from '#testing/world.ts'

let lyceum: World
before(async () => {
  lyceum = await buildWorld()
  await startEngine(lyceum)
})

const ending: (() => void)[] = []
after(() => ending.forEach((end) => end()))

const ok = head(200, { 'content-length': '0' })
const later =
  (ms: number): Behaviour =>
  (socket) =>
    void setTimeout(() => socket.write(ok), ms)
const flooding =
  (first: string, chunk: Buffer, bytes: number): Behaviour =>
  (socket) => {
    let left = bytes
    socket.write(first)
    const more = () => {
      while (!socket.destroyed && left > 0) {
        left -= chunk.length
        if (!socket.write(chunk)) return
      }
    }
    socket.on('drain', more)
    more()
  }
const CHUNK = Buffer.alloc(65_536, 'x')
const BOMB = gzipSync(Buffer.alloc(20_000_000))
const GIGABYTE = 1_000_000_000

const HOSTILE: [name: string, behave: Behaviour, error: string | null, status: number | null][] = [
  ['is silent', () => {}, 'timeout', null],
  ['sends one byte per second', (socket) => drip(socket, ok, 1_000), 'timeout', null],
  ['answers after 4.9 s', later(4_850), null, 200],
  ['answers after 5.1 s', later(5_100), 'timeout', null],
  ['sends a body without an end', flooding(head(200), CHUNK, Infinity), null, 200],
  [
    'sends a body of a gigabyte',
    flooding(head(200, { 'content-length': `${GIGABYTE}` }), CHUNK, GIGABYTE),
    null,
    200,
  ],
  [
    'sends a gzip bomb',
    flooding(head(200, { 'content-encoding': 'gzip' }), BOMB, 50 * BOMB.length),
    null,
    200,
  ],
  ['stalls in its body', (socket) => socket.write(`${head(200, { 'content-length': '9' })}abc`), null, 200],
  ['resets the connection', (socket) => socket.resetAndDestroy(), 'protocol', null],
  [
    'redirects to the metadata address',
    answers(302, '', { location: 'http://169.254.169.254/latest/' }),
    'http_status',
    302,
  ],
]

type Attempt = {
  duration_ms: number | null
  error: string | null
  response_status: number | null
  seconds: number | null
  started_at: number
  finished_at: number | null
}

test('hostile receivers get one bounded attempt each and delay no other', async () => {
  const deaf = await neverAccepts()
  const all = await Promise.all(
    HOSTILE.map(async ([name, behave, error, status]) => ({
      name,
      error,
      status,
      partner: await aPartner(lyceum, { behave }),
    })),
  )
  const unheard = await aPartner(lyceum)
  await lyceum.db.pool`
    update sso.webhook_endpoints set url = ${deaf} where webhook_id = ${unheard.webhook_id}`
  all.push({ name: 'never accepts', error: 'timeout', status: null, partner: unheard })
  const healthy = await aPartner(lyceum)

  const before = process.memoryUsage().rss
  let most = before
  const watch = setInterval(() => (most = Math.max(most, process.memoryUsage().rss)), 20)
  await tell(all.map(({ partner }) => partner))
  await eventually(() => all.filter(({ partner }) => partner.receiver.requests.length > 0).length > 1)
  await tell([healthy])
  await eventually(async () => {
    const attempts = await Promise.all([healthy, ...all.map(({ partner }) => partner)].map(attemptsOf))
    return attempts.every(([attempt]) => attempt?.seconds)
  })
  clearInterval(watch)
  const [heard] = await attemptsOf(healthy)

  for (const { name, error, status, partner } of all) {
    const [attempt] = await attemptsOf(partner)
    assert.deepEqual([attempt?.error, attempt?.response_status], [error, status], `one that ${name}`)
    if (error === 'timeout')
      assert.ok(
        (heard?.started_at ?? 0) < (attempt?.finished_at ?? 0),
        `the healthy one waited for one that ${name}`,
      )
    assert.ok(partner.receiver.requests.length <= 1, `one that ${name} was asked again`)
  }
  const grown = (most - before) / 1_048_576
  assert.ok(grown < 64, `memory grew by ${grown.toFixed(0)} MiB`)
})

const tell = (partners: Partner[]) =>
  lyceum.db.transaction((tx) =>
    recordFacts(
      tx,
      partners.map(({ site }) =>
        paymentCompleted(
          { ...site, environment: 'sandbox' },
          { order_id: newId(), plan: null, amount: 1, currency: 'USD', fulfilled_at: '' },
        ),
      ),
    ),
  )

const attemptsOf = ({ webhook_id }: Partner) =>
  lyceum.db.pool<Attempt[]>`
    select a.duration_ms, a.error, a.response_status,
           extract(epoch from a.finished_at - a.started_at)::float8 as seconds,
           extract(epoch from a.started_at)::float8 as started_at, extract(epoch from a.finished_at)::float8 as finished_at
      from sso.webhook_attempts a join sso.webhook_deliveries d using (delivery_id)
     where d.webhook_id = ${webhook_id} order by a.claim`

/** A port with a full backlog: its process is stopped and accepts no connection. */
async function neverAccepts(): Promise<string> {
  const script = `const s = require('net').createServer().listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => console.log(s.address().port))`
  const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] })
  ending.push(() => child.kill('SIGKILL'))
  const port = await new Promise<number>((resolve) =>
    child.stdout.once('data', (text) => resolve(Number(text))),
  )
  child.kill('SIGSTOP')
  const sockets = Array.from({ length: 4 }, () => connect(port, '127.0.0.1').on('error', () => {}))
  ending.push(() => sockets.forEach((socket) => socket.destroy()))
  await eventually(() => sockets.filter(({ connecting }) => !connecting).length > 1)
  return `http://127.0.0.1:${port}/hook`
}
