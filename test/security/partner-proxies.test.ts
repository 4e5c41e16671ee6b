import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { after, afterEach, describe, test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { aPartner, forge, verdictOf } from '#testing/partner.ts'
import { sharedProduct } from '#testing/shared-product.ts'
import { eventually } from '#testing/eventually.ts'
import { readEvents } from '../../packages/server/src/events.ts'
import type { Revocation } from '../../packages/server/src/index.ts'

const STREAM = '/api/v1/revocations'
const product = await sharedProduct()
const partner = await aPartner(product)
const { relay } = partner
after(() => partner.close())
afterEach(() => {
  partner.stopServers()
  relay.answerBy(() => false)
})

/** The proxy answers the stream of revocations itself. */
const streamBy = (answer: (outgoing: ServerResponse) => void) =>
  relay.answerBy((path, outgoing) => {
    if (path !== STREAM) return false
    answer(outgoing)
    return true
  })
const startStream = (outgoing: ServerResponse, text: string) => {
  outgoing.writeHead(200, { 'content-type': 'text/event-stream' })
  outgoing.write(`${text}event: ready\ndata: {}\n\n`)
}
const revoked = (data: object) => `event: revoked\ndata: ${JSON.stringify(data)}\n\n`

describe('a proxy before the sso', () => {
  test('cannot make the partner ask without a pause by a huge Retry-After', async (t) => {
    for (const seconds of ['99999999', 'Infinity', '9e307']) {
      streamBy((outgoing) => outgoing.writeHead(503, { 'retry-after': seconds }).end())
      const before = relay.countOf(STREAM)
      const timers = t.mock.method(globalThis, 'setTimeout')
      const delays = () =>
        timers.mock.calls
          .filter(({ stack }) => stack.stack?.includes('/revocations.ts'))
          .map(({ arguments: [, ms = 0] }) => ms)
      partner.aServer()
      // A timer of more than 24 days, or of no number, would fire at once.
      await eventually(() => delays().some((ms) => ms >= 30_000))
      assert.ok(delays().every((ms) => ms <= 60_000))
      assert.equal(relay.countOf(STREAM) - before, 1)
      timers.mock.restore()
      partner.stopServers()
    }
  })

  test('cannot keep the stream away for ever by an id that no header may hold', async () => {
    streamBy((outgoing) => {
      startStream(outgoing, 'id: 1\u20ac\n\n')
      outgoing.end()
    })
    const server = partner.aServer()
    await eventually(() => relay.countOf(STREAM) > 0 && server.revocations.silentFor() < Infinity)
    const before = relay.countOf(STREAM)
    relay.answerBy(() => false)
    await eventually(() => relay.countOf(STREAM) > before && server.revocations.silentFor() === 0)
  })

  test('cannot make a revoked token good again by a version that is no number', async () => {
    const { access_token } = await partner.signIn()
    const server = partner.aServer()
    const { sub, sv } = await server.verifyToken(access_token)
    partner.stopServers()
    for (const session_version of ['x', null, {}, [], '99', 1.5]) {
      streamBy((outgoing) =>
        startStream(
          outgoing,
          `${revoked({ sub, session_version: sv + 1, at: '' })}${revoked({ sub, session_version, at: '' })}`,
        ),
      )
      const deceived = partner.aServer()
      await eventually(async () => (await verdictOf(deceived.verifyToken(access_token))) === 'token_revoked')
      assert.ok(deceived.revocations.isRevoked({ sub, sv }))
      assert.ok(!deceived.revocations.isRevoked({ sub, sv: sv + 1 }))
      partner.stopServers()
    }
  })

  test('cannot fill the memory of the partner by an answer without end', async () => {
    const { access_token, refresh_token } = await partner.signIn()
    const server = partner.aServer()
    assert.equal(await verdictOf(server.verifyToken(access_token)), 'good')
    await eventually(() => server.revocations.silentFor() === 0)
    const led = await server.handle(new Request('http://127.0.0.1:3999/auth/sign-in'))
    const [visit = ''] = led?.headers.getSetCookie()[0]?.split(';') ?? []
    const back = new URL(new URL(led?.headers.get('location') ?? '').searchParams.get('return_to') ?? '')
    back.searchParams.set('code', 'c'.repeat(43))
    let sent = 0
    relay.answerBy((path, outgoing) => {
      if (path === STREAM) return false
      outgoing.writeHead(200, { 'content-type': 'application/json' })
      const piece = Buffer.alloc(65_536, ' ')
      const more = () => {
        while (!outgoing.destroyed) {
          sent += piece.length
          if (!outgoing.write(piece)) return void outgoing.once('drain', more)
        }
      }
      more()
      return true
    })
    const fresh = partner.aServer()
    assert.equal(await verdictOf(fresh.verifyToken(access_token)), 'sso_unreachable')
    // Who has the keys goes on with them.
    const unknown = forge(access_token, { head: { kid: 'unknown' } })
    assert.equal(await verdictOf(server.verifyToken(unknown)), 'token_invalid')
    assert.equal(await verdictOf(server.verifyToken(access_token)), 'good')
    const [session = ''] =
      (await server.sessions?.write({ access_token: 'x', refresh_token }))?.split(';') ?? []
    assert.equal(await verdictOf(server.authenticate({ cookie: session })), 'sso_unreachable')
    const reply = await server.handle(new Request(back, { headers: { cookie: visit } }))
    assert.deepEqual([reply?.status, reply?.headers.getSetCookie()], [503, []])
    assert.ok(sent < 40_000_000, `${sent} bytes`)
  })

  test('pays no more than its length for a long event in tiny pieces', async () => {
    const piece = new TextEncoder().encode('data: aaaaaaaaaaaaaa')
    let pieces = 0
    const body = new ReadableStream<Uint8Array>({ pull: (to) => (pieces++, to.enqueue(piece)) })
    const { user, system } = process.cpuUsage()
    await assert.rejects(readEvents(body).next(), /too long/)
    const used = process.cpuUsage({ user, system })
    assert.ok(pieces > 50_000)
    assert.ok(used.user + used.system < 3_000_000, `${used.user + used.system} µs`)
  })
})

test('a partner that fails to act on a revocation goes on, with a promise too', async () => {
  const told: Revocation[] = []
  const unhandled: unknown[] = []
  const note = (error: unknown) => void unhandled.push(error)
  process.on('unhandledRejection', note)
  try {
    const server = partner.aServer({
      async onRevoked(revocation) {
        told.push(revocation)
        await turn()
        throw new Error('the database is away')
      },
    })
    const { access_token } = await partner.signIn()
    await eventually(() => server.revocations.silentFor() === 0)
    await partner.signOut(access_token)
    await eventually(() => told.length > 0)
    for (let turns = 0; turns < 5; turns++) await turn()
    assert.deepEqual(unhandled, [])
  } finally {
    process.off('unhandledRejection', note)
  }
})
