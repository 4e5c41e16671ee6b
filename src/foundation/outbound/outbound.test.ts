import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { after, describe, test } from 'node:test'
import { makeCertificate } from '#testing/certificate.ts'
import { eventually } from '#testing/eventually.ts'
import { answers, drip, head, startReceiver, type Behaviour, type Receiver } from '#testing/receiver.ts'
import {
  openOutbound,
  type OutboundEdges,
  type OutboundPolicy,
  type OutboundReply,
  vetUrl,
} from './outbound.ts'

const PRODUCTION: OutboundPolicy = {
  mayUseHttp: false,
  mayUseLoopback: false,
  allow: [],
  ownPorts: [8064, 5432],
}
const SANDBOX: OutboundPolicy = { ...PRODUCTION, mayUseHttp: true, mayUseLoopback: true }
/** Allows 127.0.0.0/8 as a partner's in-house network, so that a name can resolve to the test's receiver. */
const IN_HOUSE: OutboundPolicy = { ...PRODUCTION, mayUseHttp: true, allow: ['127.0.0.0/8'] }

const ending: (() => Promise<void>)[] = []
after(() => Promise.all(ending.map((end) => end())))

async function receiver(...given: Parameters<typeof startReceiver>): Promise<Receiver> {
  const started = await startReceiver(...given)
  ending.push(() => started.close())
  return started
}

function outbound(edges: OutboundEdges = { resolve: async () => [] }) {
  const opened = openOutbound(edges)
  ending.push(() => opened.close())
  return opened
}

type Extra = Partial<Parameters<ReturnType<typeof openOutbound>['send']>[0]>
const post = (via: ReturnType<typeof openOutbound>, url: string, extra: Extra = {}) =>
  via.send({
    url,
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{}',
    policy: SANDBOX,
    partition: 'site',
    ...extra,
  })

const errorOf = (reply: OutboundReply) => (reply.ok ? `status ${reply.status}` : reply.error)

describe('vetting a URL', () => {
  const table: [url: string, production: string, sandbox: string][] = [
    ['https://partner.example/hook?x=1', 'ok', 'ok'],
    ['https://partner.example:8443/hook', 'ok', 'ok'],
    ['https://PARTNER.example', 'ok', 'ok'],
    ['https://bücher.example/', 'ok', 'ok'],
    ['https://8.8.8.8/', 'ok', 'ok'],
    ['https://[2606:4700::1111]/', 'ok', 'ok'],
    ['http://partner.example/', 'scheme', 'ok'],
    ['http://127.0.0.1:3000/hook', 'scheme', 'ok'],
    ['https://127.0.0.1/', 'address', 'ok'],
    ['https://localhost/', 'address', 'ok'],
    ['https://app.localhost/', 'address', 'ok'],
    ['https://[::1]/', 'address', 'ok'],
    ['https://0x7f000001/', 'address', 'ok'],
    ['https://2130706433/', 'address', 'ok'],
    ['https://017700000001/', 'address', 'ok'],
    ['https://127.1/', 'address', 'ok'],
    ['https://127.0.0.1./', 'address', 'ok'],
    ['https://①②⑦.⓪.⓪.①/', 'address', 'ok'],
    ['https://%31%32%37.0.0.1/', 'address', 'ok'],
    ['https://[::ffff:127.0.0.1]/', 'address', 'ok'],
    ['https://10.0.0.1/', 'address', 'address'],
    ['https://168.63.129.16/', 'address', 'address'],
    ['https://168.63.129.17/', 'ok', 'ok'],
    ['https://[::ffff:168.63.129.16]/', 'address', 'address'],
    ['https://0xa9fea9fe/', 'address', 'address'],
    ['https://169.254.169.254/latest/meta-data/', 'address', 'address'],
    ['https://[::ffff:a9fe:a9fe]/', 'address', 'address'],
    ['https://[64:ff9b::a9fe:a9fe]/', 'address', 'address'],
    ['https://[2002:a9fe:a9fe::1]/', 'address', 'address'],
    ['https://[2001:0:4136:e378:8000:63bf:3fff:fdd2]/', 'address', 'address'],
    ['https://[fd00:ec2::254]/', 'address', 'address'],
    ['https://0/', 'address', 'address'],
    ['https://intranet/', 'host', 'host'],
    ['https://localhost./', 'host', 'host'],
    ['https://partner.example./', 'host', 'host'],
    ['https://partner..example/', 'host', 'host'],
    [`https://${'a'.repeat(64)}.example/`, 'host', 'host'],
    ['https://user@partner.example/', 'credentials', 'credentials'],
    ['https://:secret@partner.example/', 'credentials', 'credentials'],
    ['https://partner.example@10.0.0.1/', 'credentials', 'credentials'],
    ['https://partner.example/#part', 'fragment', 'fragment'],
    ['https://partner.example/#', 'fragment', 'fragment'],
    ['ftp://partner.example/', 'scheme', 'scheme'],
    ['file:///etc/passwd', 'scheme', 'scheme'],
    ['gopher://partner.example/', 'scheme', 'scheme'],
    ['javascript:alert(1)', 'scheme', 'scheme'],
    ['partner.example/hook', 'url', 'url'],
    ['//partner.example/hook', 'url', 'url'],
    ['https://', 'url', 'url'],
    ['https://[fe80::1%25eth0]/', 'url', 'url'],
    ['', 'url', 'url'],
    ['https://partner.example:25/', 'port', 'port'],
    ['https://partner.example:8064/', 'port', 'port'],
    ['https://partner.example:6379/', 'port', 'port'],
    ['http://127.0.0.1:2375/', 'scheme', 'port'],
    ['http://127.0.0.1:11211/', 'scheme', 'port'],
    ['http://127.0.0.1:27017/', 'scheme', 'port'],
    ['https://127.0.0.1:5432/', 'address', 'port'],
    ['http://localhost:8064/', 'scheme', 'port'],
  ]
  const judge = (url: string, policy: OutboundPolicy) => {
    const vetted = vetUrl(url, policy)
    return 'refused' in vetted ? vetted.refused : 'ok'
  }
  for (const [url, production, sandbox] of table) {
    test(`"${url}" is ${production} in production and ${sandbox} in a sandbox`, () => {
      assert.deepEqual([judge(url, PRODUCTION), judge(url, SANDBOX)], [production, sandbox])
    })
  }

  test('exempts hosts and ranges of the operator from address rules only', () => {
    const policy = { ...PRODUCTION, allow: ['10.1.0.0/16', 'fd00::5', 'Crm', 'localhost'] }
    assert.deepEqual(
      ['https://10.1.2.3/', 'https://[fd00::5]/', 'https://crm/', 'https://localhost:11434/'].map((url) =>
        judge(url, policy),
      ),
      ['ok', 'ok', 'ok', 'ok'],
    )
    assert.deepEqual(
      [
        'https://10.2.0.1/',
        'https://[fd00::6]/',
        'https://crm2/',
        'http://crm/',
        'https://crm:8064/',
        'https://127.0.0.1/',
      ].map((url) => judge(url, policy)),
      ['address', 'address', 'host', 'scheme', 'port', 'address'],
    )
  })
})

describe('ports of databases, queues and container engines', () => {
  for (const port of [
    2375, 2376, 2379, 2380, 3306, 5432, 6379, 6443, 8500, 9200, 9300, 10_250, 11_211, 27_017,
  ])
    test(`refuses port ${port} also on a host of the operator`, () => {
      const policy = { ...SANDBOX, ownPorts: [], allow: ['127.0.0.0/8', 'docker'] }
      for (const host of ['127.0.0.1', 'docker'])
        assert.deepEqual(vetUrl(`http://${host}:${port}/`, policy), { refused: 'port' })
    })
})

describe('an ordinary call', () => {
  test('sends the exact bytes and reads status, headers and body', async () => {
    const partner = await receiver(answers(202, 'thanks', { 'x-seen': 'yes' }))
    const body = Buffer.from('{"name":"Zoë ✓"}')
    const reply = await post(outbound(), `${partner.url}?a=1`, {
      body,
      headers: { 'content-type': 'application/json', 'x-sso-event-id': '7' },
    })
    assert.ok(reply.ok)
    assert.deepEqual(
      [reply.status, reply.headers['x-seen'], reply.body.toString(), reply.isComplete],
      [202, 'yes', 'thanks', true],
    )
    const [request] = partner.requests
    assert.deepEqual(
      [
        request?.method,
        request?.path,
        request?.headers['x-sso-event-id'],
        request?.headers['accept-encoding'],
        request?.body.equals(body),
      ],
      ['POST', '/hook?a=1', '7', 'identity', true],
    )
  })

  for (const status of [200, 204, 301, 400, 410, 429, 500, 503]) {
    test(`returns a ${status} as a reply`, async () => {
      const partner = await receiver((socket) =>
        socket.write(head(status, status === 204 ? {} : { 'content-length': '0' })),
      )
      assert.equal(errorOf(await post(outbound(), partner.url)), `status ${status}`)
    })
  }

  test('does not follow redirects', async () => {
    const other = await receiver(answers(200))
    const partner = await receiver(answers(307, '', { location: other.url }))
    const metadata = await receiver(
      answers(302, '', { location: 'http://169.254.169.254/latest/meta-data/' }),
    )
    assert.equal(errorOf(await post(outbound(), partner.url)), 'status 307')
    assert.equal(errorOf(await post(outbound(), metadata.url)), 'status 302')
    assert.equal(other.connections(), 0)
  })

  test('ignores proxy variables', async () => {
    const [proxy, partner] = [await receiver(answers(200)), await receiver(answers(204))]
    const before = process.env['http_proxy']
    process.env['http_proxy'] = proxy.url
    try {
      assert.equal(errorOf(await post(outbound(), partner.url)), 'status 204')
    } finally {
      if (before === undefined) delete process.env['http_proxy']
      else process.env['http_proxy'] = before
    }
    assert.equal(proxy.connections(), 0)
  })

  test('shares connections within a site, never between sites', async () => {
    const partner = await receiver(answers(200))
    const via = outbound()
    for (const path of ['a', 'a', 'b', 'a', 'b', 'a', 'a', 'b', 'a']) {
      await post(via, `${partner.url}/${path}`, { partition: path })
    }
    const used = (site: string) =>
      new Set(partner.requests.filter(({ path }) => path.endsWith(site)).map(({ connection }) => connection))
    assert.ok(used('a').size < 6)
    assert.deepEqual(
      [...used('a')].filter((connection) => used('b').has(connection)),
      [],
    )
  })

  test('does not reuse a connection for another policy', async () => {
    const partner = await receiver(answers(200))
    const via = outbound()
    await post(via, partner.url)
    assert.equal(errorOf(await post(via, partner.url, { policy: PRODUCTION })), 'refused_url')
    await post(via, partner.url, { policy: IN_HOUSE })
    assert.deepEqual(
      partner.requests.map((request) => request.connection),
      [1, 2],
    )
  })

  test('idle connections close by themselves', async () => {
    const partner = await receiver(answers(200))
    await post(outbound(), partner.url)
    assert.equal(partner.open(), 1)
    await eventually(() => partner.open() === 0)
  })

  test('uses at most eight connections for twenty concurrent calls', async () => {
    const partner = await receiver(
      (socket) => void setTimeout(() => answers(200)(socket, partner.requests[0]!), 5),
    )
    const via = outbound()
    const replies = await Promise.all(Array.from({ length: 20 }, () => post(via, partner.url)))
    assert.ok(replies.every((reply) => reply.ok))
    assert.ok(partner.connections() <= 8)
  })

  test('throws a mistake of the caller instead of blaming the partner', async () => {
    const partner = await receiver(answers(200))
    await assert.rejects(post(outbound(), partner.url, { headers: { 'bad name': 'x' } }))
  })
})

describe('names and addresses', () => {
  test('[1.3.6] refuses a listed literal at the send without connecting', async () => {
    const partner = await receiver(answers(200))
    for (const host of ['127.0.0.1', '0x7f.1', '2130706433', '[::ffff:127.0.0.1]', 'localhost']) {
      const url = `https://${host}:${partner.port}/`
      assert.equal(errorOf(await post(outbound(), url, { policy: PRODUCTION })), 'blocked_address')
    }
    assert.equal(partner.connections(), 0)
  })

  for (const addresses of [
    ['10.0.0.7'],
    ['127.0.0.1'],
    ['8.8.8.8', '127.0.0.1'],
    ['127.0.0.1', '2606:4700::1111'],
    ['::ffff:169.254.169.254'],
    ['64:ff9b::7f00:1'],
    ['not an address'],
  ]) {
    test(`[1.3.6] refuses a name leading to ${addresses.join(' and ')} without connecting`, async () => {
      const partner = await receiver(answers(200))
      const via = outbound({ resolve: async () => addresses })
      const url = `https://partner.example:${partner.port}/`
      assert.equal(errorOf(await post(via, url, { policy: PRODUCTION })), 'blocked_address')
      assert.deepEqual(await via.vet(url, PRODUCTION), { refused: 'address' })
      assert.equal(partner.connections(), 0)
    })
  }

  test('[1.3.6] refuses a name whose address changed after registration', async () => {
    const answersOfDns = [['8.8.8.8'], ['127.0.0.1']]
    const partner = await receiver(answers(200))
    const via = outbound({ resolve: async () => answersOfDns.shift() ?? [] })
    const url = `https://rebinding.example:${partner.port}/`
    assert.ok('url' in (await via.vet(url, PRODUCTION)))
    assert.equal(errorOf(await post(via, url, { policy: PRODUCTION })), 'blocked_address')
    assert.equal(partner.connections(), 0)
  })

  test('[1.3.6] resolves once per connection and connects to the checked address', async () => {
    const [first, second] = [
      await receiver(answers(200)),
      await receiver(answers(200), { host: '127.0.0.2' }),
    ]
    let asked = 0
    const via = outbound({ resolve: async () => (++asked === 1 ? ['127.0.0.1'] : ['127.0.0.2']) })
    assert.equal(
      errorOf(await post(via, `http://rebinding.example:${first.port}/`, { policy: IN_HOUSE })),
      'status 200',
    )
    assert.deepEqual([asked, first.connections(), second.connections()], [1, 1, 0])
    assert.equal(first.requests[0]?.headers['host'], `rebinding.example:${first.port}`)
  })

  test('tries the next address when a checked one does not answer', async () => {
    const partner = await receiver(answers(200), { host: '127.0.0.3' })
    const via = outbound({ resolve: async () => ['127.0.0.9', '127.0.0.3'] })
    assert.equal(
      errorOf(await post(via, `http://partner.example:${partner.port}/`, { policy: IN_HOUSE })),
      'status 200',
    )
  })

  test('an unknown name fails the send, but not the registration', async () => {
    for (const resolve of [async () => [], () => Promise.reject(new Error('SERVFAIL'))]) {
      const via = outbound({ resolve })
      assert.equal(errorOf(await post(via, 'https://unknown.example/')), 'dns')
      assert.ok('url' in (await via.vet('https://unknown.example/', PRODUCTION)))
    }
  })

  test('a silent name server hits the deadline', async () => {
    const via = outbound({ resolve: () => new Promise(() => {}) })
    const reply = await post(via, 'https://slow.example/', { deadlineMs: 150 })
    assert.equal(errorOf(reply), 'timeout')
    assert.ok(reply.duration_ms >= 149 && reply.duration_ms < 400, `${reply.duration_ms} ms`)
  })

  test('a request behind silent names hits its own deadline', async () => {
    const via = outbound({ resolve: () => new Promise(() => {}) })
    const all = Array.from({ length: 20 }, () => post(via, 'https://slow.example/', { deadlineMs: 150 }))
    for (const reply of await Promise.all(all)) {
      assert.equal(errorOf(reply), 'timeout')
      assert.ok(reply.duration_ms < 280, `${reply.duration_ms} ms`)
    }
  })

  test('a closed port is a connect error', async () => {
    const gone = await startReceiver(answers(200))
    await gone.close()
    assert.equal(errorOf(await post(outbound(), gone.url)), 'connect')
  })
})

describe('TLS', () => {
  const certificate = makeCertificate(['partner.example'])
  const ca = certificate.cert
  const resolve = async () => ['127.0.0.1']

  test('accepts a certificate for the name and sends it as SNI', async () => {
    const partner = await receiver(answers(200), { tls: certificate })
    const reply = await post(outbound({ resolve, ca }), `https://partner.example:${partner.port}/`, {
      policy: IN_HOUSE,
    })
    assert.equal(errorOf(reply), 'status 200')
    assert.equal(partner.requests[0]?.headers['host'], `partner.example:${partner.port}`)
  })

  test('wrong names, unknown authorities and missing TLS are TLS errors', async () => {
    const [partner, plain] = [
      await receiver(answers(200), { tls: certificate }),
      await receiver(answers(200), { onConnect: (socket) => socket.write('220 mail\r\n') }),
    ]
    const send = (edges: OutboundEdges, url: string) =>
      post(outbound(edges), url, { policy: IN_HOUSE, deadlineMs: 1_000 })
    assert.equal(errorOf(await send({ resolve, ca }, `https://other.example:${partner.port}/`)), 'tls')
    assert.equal(errorOf(await send({ resolve }, `https://partner.example:${partner.port}/`)), 'tls')
    assert.equal(errorOf(await send({ resolve, ca }, `https://127.0.0.1:${partner.port}/`)), 'tls')
    assert.equal(errorOf(await send({ resolve, ca }, `https://partner.example:${plain.port}/`)), 'tls')
    assert.equal(partner.requests.length, 0)
  })

  test('a stalled handshake hits the deadline and leaves no connection', async () => {
    const stalled = await receiver(answers(200))
    const reply = await post(outbound({ resolve }), `https://partner.example:${stalled.port}/`, {
      policy: IN_HOUSE,
      deadlineMs: 150,
    })
    assert.equal(errorOf(reply), 'timeout')
    await eventually(() => stalled.open() === 0)
  })
})

describe('hostile receivers', () => {
  const DEADLINE_MS = 300
  const forever = function* (text: string) {
    for (;;) yield text
  }

  const hostile: [name: string, behave: Behaviour, expected: string][] = [
    ['is silent', () => {}, 'timeout'],
    [
      'sends one byte of its headers at a time',
      (socket) => drip(socket, head(200, { 'content-length': '0' }), 20),
      'timeout',
    ],
    [
      'never ends its headers',
      (socket) => {
        socket.write('HTTP/1.1 200 OK\r\n')
        drip(socket, forever('x-more: 1\r\n'), 20)
      },
      'timeout',
    ],
    ['sends interim answers for ever', (socket) => drip(socket, forever(head(103)), 20), 'timeout'],
    [
      'sends ten thousand headers',
      (socket) =>
        socket.write(
          head(200, Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`x-${i}`, 'y']))),
        ),
      'protocol',
    ],
    [
      'sends one header of a megabyte',
      (socket) => socket.write(head(200, { 'x-long': 'y'.repeat(1_000_000) })),
      'protocol',
    ],
    ['sends garbage', (socket) => socket.write('\u0000\u0001 220 ESMTP hello\r\n\r\n'), 'protocol'],
    ['sends half a status line and leaves', (socket) => socket.end('HTTP/1.'), 'protocol'],
    ['leaves without a word', (socket) => socket.end(), 'protocol'],
    ['resets the connection', (socket) => socket.resetAndDestroy(), 'protocol'],
    [
      'switches to another protocol',
      (socket) => socket.write(head(101, { upgrade: 'x', connection: 'upgrade' })),
      'protocol',
    ],
    [
      'names two different lengths',
      (socket) => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab'),
      'protocol',
    ],
  ]
  for (const [name, behave, expected] of hostile) {
    test(`one that ${name} gives ${expected}`, async () => {
      const partner = await receiver(behave)
      const reply = await post(outbound(), partner.url, { deadlineMs: DEADLINE_MS })
      assert.equal(errorOf(reply), expected)
      if (!reply.ok) await eventually(() => partner.open() === 0)
    })
  }

  for (const [when, expected] of [
    ['before', 'status 200'],
    ['after', 'timeout'],
  ] as const)
    test(`one that answers just ${when} the deadline gives ${expected}`, async (t) => {
      const { promise: arrived, resolve } = Promise.withResolvers<Socket>()
      const partner = await receiver((socket) => resolve(socket))
      const via = outbound()
      t.mock.timers.enable({ apis: ['setTimeout'] })
      const reply = post(via, partner.url, { deadlineMs: DEADLINE_MS })
      const socket = await arrived
      t.mock.timers.tick(DEADLINE_MS - 1)
      if (when === 'after') t.mock.timers.tick(1)
      else socket.write(head(200, { 'content-length': '0' }))
      assert.equal(errorOf(await reply), expected)
    })

  const bodies: [name: string, behave: (socket: Socket) => void, length: number, isComplete: boolean][] = [
    [
      'of exactly the limit is read whole',
      (socket) => socket.write(head(200, { 'content-length': '16384' }) + 'x'.repeat(16_384)),
      16_384,
      true,
    ],
    [
      'one byte longer is cut',
      (socket) => socket.write(head(200, { 'content-length': '16385' }) + 'x'.repeat(16_385)),
      16_384,
      false,
    ],
    ['that never ends is cut', (socket) => flood(socket), 16_384, false],
    [
      'that stalls is what had arrived',
      (socket) => socket.write(`${head(200, { 'content-length': '10' })}abc`),
      3,
      false,
    ],
    [
      'that drips is what had arrived',
      (socket) => {
        socket.write(head(200))
        drip(socket, forever('x'), 1_000)
      },
      0,
      false,
    ],
    [
      'cut by a reset is what had arrived',
      (socket) =>
        socket.write(`${head(200, { 'content-length': '10' })}abc`, () =>
          setTimeout(() => socket.resetAndDestroy(), 30),
        ),
      3,
      false,
    ],
    [
      'in broken chunks is what had arrived',
      (socket) => socket.write(`${head(200, { 'transfer-encoding': 'chunked' })}3\r\nabc\r\nzz\r\n`),
      3,
      false,
    ],
  ]
  for (const [name, behave, length, isComplete] of bodies) {
    test(`returns the status, and a body ${name}`, async () => {
      const partner = await receiver(behave)
      const reply = await post(outbound(), partner.url, { deadlineMs: DEADLINE_MS })
      assert.ok(reply.ok)
      assert.deepEqual([reply.status, reply.body.length, reply.isComplete], [200, length, isComplete])
      if (!isComplete) await eventually(() => partner.open() === 0)
    })
  }

  test('does not decompress a body', async () => {
    const partner = await receiver(answers(200, 'not really gzip', { 'content-encoding': 'gzip' }))
    const reply = await post(outbound(), partner.url)
    assert.ok(reply.ok && reply.body.toString() === 'not really gzip')
  })

  test('never sends a request whose deadline passed while waiting', async () => {
    const partner = await receiver(() => {})
    const via = outbound()
    const deadlineMs = 1_000
    const sent = Array.from({ length: 8 }, () => post(via, partner.url, { deadlineMs }))
    await eventually(() => partner.requests.length === 8)
    const waiting = Array.from({ length: 4 }, () => post(via, partner.url, { deadlineMs }))
    // Blocks the event loop until every deadline has passed, so that no request gets a connection just before its own.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, deadlineMs + 100)
    for (const reply of await Promise.all([...sent, ...waiting])) assert.equal(errorOf(reply), 'timeout')
    // What is sent now comes after all that was waiting.
    const last = post(via, partner.url, { deadlineMs })
    await eventually(() => partner.requests.length > 8)
    assert.equal(errorOf(await last), 'timeout')
    assert.equal(partner.requests.length, 9)
  })

  test('the next call works after a silent receiver', async () => {
    let isSilent = true
    const partner = await receiver((socket, request) => isSilent || answers(200)(socket, request))
    const via = outbound()
    assert.equal(errorOf(await post(via, partner.url, { deadlineMs: 100 })), 'timeout')
    isSilent = false
    assert.equal(errorOf(await post(via, partner.url, { deadlineMs: 100 })), 'status 200')
  })

  test('close ends running calls', async () => {
    const partner = await receiver(() => {})
    const via = openOutbound()
    const reply = post(via, partner.url)
    await eventually(() => partner.requests.length === 1)
    await via.close()
    assert.equal(errorOf(await reply), 'protocol')
    await eventually(() => partner.open() === 0)
  })
})

function flood(socket: Socket) {
  socket.write(head(200))
  const more = () => {
    while (!socket.destroyed && socket.write('x'.repeat(65_536)));
  }
  socket.on('drain', more)
  more()
}
