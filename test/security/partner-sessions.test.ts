import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, afterEach, describe, test } from 'node:test'
import { EncryptJWT, UnsecuredJWT } from 'jose'
import { signInOnThePage } from '#testing/hosted-page.ts'
import { sendRaw } from '#testing/hostile.ts'
import { ACCOUNT, aPartner, SECRET, verdictOf } from '#testing/partner.ts'
import { sharedProduct } from '#testing/shared-product.ts'
import { eventually } from '#testing/eventually.ts'
import { lyceumRoutes } from '../../packages/server/src/express.ts'
import type { Lyceum } from '../../packages/server/src/index.ts'

const HOME = 'http://127.0.0.1:3999'
const product = await sharedProduct()
const partner = await aPartner(product)
after(() => partner.close())
afterEach(() => partner.stopServers())

/** The cookie of somebody who is signed in, as a browser sends it. */
async function aCookie(server: Lyceum) {
  const { access_token, refresh_token } = await partner.signIn()
  const [cookie = ''] = (await server.sessions?.write({ access_token, refresh_token }))?.split(';') ?? []
  return { cookie, access_token, refresh_token }
}
const verdict = (server: Lyceum, cookie: string) => verdictOf(server.authenticate({ cookie }))

describe('the session cookie', () => {
  test('is for this host, hidden from scripts, and holds nothing readable', async () => {
    const callbackUrl = 'https://school.example/auth/callback'
    const server = partner.aServer({ callbackUrl })
    const { access_token, refresh_token } = await partner.signIn()
    const set = (await server.sessions?.write({ access_token, refresh_token })) ?? ''
    assert.match(set, /^__Host-lyceum=[^;]+; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Lax; Secure$/)
    assert.ok(set.length < 4_096)
    const [, value = ''] = /=([^;]+);/.exec(set) ?? []
    const readable = value.split('.').map((part) => Buffer.from(part, 'base64url').toString('latin1'))
    assert.ok(!readable.join('').includes(refresh_token))
  })

  test('opens with the secret before the newest, and with no other', async () => {
    const { cookie } = await aCookie(partner.aServer())
    const fresh = 'another secret of thirty-two characters'
    assert.equal(await verdict(partner.aServer({ cookieSecret: [fresh, SECRET] }), cookie), 'good')
    assert.equal(await verdict(partner.aServer({ cookieSecret: fresh }), cookie), 'token_missing')
    assert.throws(() => partner.aServer({ cookieSecret: 'short' }), /32 characters/)
  })

  test('is refused with any character changed', async () => {
    const server = partner.aServer()
    const { cookie } = await aCookie(server)
    const [name = '', value = ''] = cookie.split(/=(.*)/s)
    for (let n = 0; n < 60; n++) {
      const at = Math.floor((value.length * n) / 60)
      // Of the last character of a part only some bits count.
      const changed = value[at] === 'A' || value[at] === '.' ? 'Z' : 'A'
      const wrong = `${value.slice(0, at)}${changed}${value.slice(at + 1)}`
      if (
        Buffer.from(wrong.replaceAll('.', ''), 'base64url').equals(
          Buffer.from(value.replaceAll('.', ''), 'base64url'),
        )
      )
        continue
      assert.equal(await verdict(server, `${name}=${wrong}`), 'token_missing', `character ${at}`)
    }
  })

  test('is refused if it is another cookie of ours, or made without the secret', async () => {
    const server = partner.aServer()
    const tokens = await partner.signIn()
    const led = await server.handle(new Request(`${HOME}/auth/sign-in`))
    const [, visit = ''] = /^lyceum-visit=([^;]+)/.exec(led?.headers.getSetCookie()[0] ?? '') ?? []
    assert.ok(visit)
    const plain = new UnsecuredJWT({ content: tokens }).setExpirationTime('1h').encode()
    const raw = Buffer.alloc(32, SECRET)
    const own = await new EncryptJWT({ content: tokens })
      .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
      .setExpirationTime('1h')
      .encrypt(raw)
    for (const value of [visit, plain, own, tokens.access_token, '', '%', 'a'.repeat(9_000)])
      assert.equal(await verdict(server, `lyceum=${value}`), 'token_missing')
  })
})

test('a server with a wrong setting does not start', () => {
  for (const [wrong, message] of [
    [{ siteKey: '' }, /siteKey/],
    [{ sso: 'sso.example' }, /sso/],
    [{ jwtSecret: '' }, /jwtSecret/],
    [{ webhookSecret: ['', 'whsec_0123456789'] }, /webhookSecret/],
    [{ cookieSecret: undefined }, /cookieSecret/],
    [{ callbackUrl: '/auth/callback' }, /callbackUrl/],
  ] as const)
    assert.throws(() => partner.aServer(wrong as Parameters<typeof partner.aServer>[0]), message)
})

describe('a session', () => {
  test('is renewed once for twenty requests to two servers', async () => {
    const [one, two] = [partner.aServer(), partner.aServer()]
    const { cookie } = await aCookie(one)
    await partner.endSession((await partner.signIn()).refresh_token)
    const before = partner.relay.countOf('/api/v1/auth/refresh')
    const ask = (server: Lyceum) => server.authenticate({ cookie })
    // The token is dead as soon as both have heard of it.
    await eventually(async () => {
      const [a, b] = await Promise.all([ask(one), ask(two)])
      return a.cookies.length > 0 && b.cookies.length > 0
    })
    const answers = await Promise.all(Array.from({ length: 20 }, (_, n) => ask(n % 2 ? one : two)))
    assert.equal(new Set(answers.map(({ token }) => token)).size, 1)
    assert.equal(partner.relay.countOf('/api/v1/auth/refresh') - before, 2)
    // What was written is a session that goes on by itself.
    const [fresh = ''] = answers[0]?.cookies[0]?.split(';') ?? []
    assert.deepEqual((await one.authenticate({ cookie: fresh })).cookies, [])
  })

  test('serves no page of another origin to change something', async () => {
    const server = partner.aServer()
    const { cookie, access_token } = await aCookie(server)
    const ask = (headers: Record<string, string>, method = 'POST') =>
      verdictOf(server.authenticate({ cookie, ...headers }, { method }))
    for (const site of ['cross-site', 'same-site']) {
      assert.equal(await ask({ 'sec-fetch-site': site, origin: HOME }), 'foreign_page')
      assert.equal(await ask({ 'sec-fetch-site': site }, 'GET'), 'good')
    }
    assert.equal(await ask({ origin: 'https://evil.example' }, 'DELETE'), 'foreign_page')
    assert.equal(await ask({ origin: 'null' }), 'foreign_page')
    for (const own of [{ 'sec-fetch-site': 'same-origin' }, { origin: HOME }, {}])
      assert.equal(await ask(own), 'good')
    assert.equal(
      await ask({ 'sec-fetch-site': 'cross-site', authorization: `Bearer ${access_token}` }),
      'good',
    )
  })

  test('is renewed for the address of its visitor, so that the limits are theirs', async () => {
    const server = partner.aServer()
    const { cookie } = await aCookie(server)
    await partner.endSession((await partner.signIn()).refresh_token)
    const ask = () => server.authenticate({ cookie }, { ip: '203.0.113.7' })
    await eventually(async () => (await ask()).cookies.length > 0)
    assert.equal(partner.relay.headersOf('/api/v1/auth/refresh')['x-sso-client-ip'], '203.0.113.7')
  })

  test('that is over is refused, and its cookie is taken away', async () => {
    const server = partner.aServer()
    const { cookie, access_token } = await aCookie(server)
    await partner.signOut(access_token)
    await eventually(async () => (await verdict(server, cookie)) === 'session_over')
    const error = await server.authenticate({ cookie }).catch((refusal: { cookies: string[] }) => refusal)
    assert.match(String(error.cookies[0]), /^lyceum=; Max-Age=0;/)
  })

  test('is kept while the sso cannot be asked, and lets nobody in meanwhile', async () => {
    const server = partner.aServer()
    const { cookie } = await aCookie(server)
    await partner.endSession((await partner.signIn()).refresh_token)
    partner.relay.cut((path) => path !== '/api/v1/revocations')
    try {
      await eventually(async () => (await verdict(server, cookie)) === 'sso_unreachable')
    } finally {
      partner.relay.cut(() => false)
    }
    await eventually(async () => (await verdict(server, cookie)) === 'good')
  })
})

test('signing out is not over where the sso refused the site key', async () => {
  const [server, keyless] = [partner.aServer(), partner.aServer({ siteKey: 'sso_live_withdrawn' })]
  const { cookie } = await aCookie(server)
  const request = () => new Request(`${HOME}/auth/sign-out`, { method: 'POST', headers: { cookie } })
  const refused = await keyless.handle(request())
  assert.deepEqual([refused?.status, refused?.headers.getSetCookie()], [503, []])
  assert.equal((await server.handle(request()))?.status, 303)
})

test('a code that the sso could not be asked about is not told to be invalid', async () => {
  const keyless = partner.aServer({ siteKey: 'sso_live_withdrawn' })
  const led = await keyless.handle(new Request(`${HOME}/auth/sign-in`))
  const [cookie = ''] = led?.headers.getSetCookie()[0]?.split(';') ?? []
  const back = new URL(new URL(led?.headers.get('location') ?? '').searchParams.get('return_to') ?? '')
  back.searchParams.set('code', 'c'.repeat(43))
  const reply = await keyless.handle(new Request(back, { headers: { cookie } }))
  assert.deepEqual([reply?.status, reply?.headers.getSetCookie()], [503, []])
})

describe('signing in', () => {
  const begin = async (server: Lyceum, query = '') => {
    const led = await server.handle(new Request(`${HOME}/auth/sign-in${query}`))
    const location = new URL(led?.headers.get('location') ?? '')
    const cookie = led?.headers.getSetCookie()[0]?.split(';')[0] ?? ''
    return { location, cookie }
  }
  const finish = async (server: Lyceum, at: string | URL, cookie: string) => {
    const reply = await server.handle(new Request(at, { headers: { cookie } }))
    return { status: reply?.status, location: reply?.headers.get('location'), reply }
  }

  test('leads to the own origin in the end, whatever return_to says', async () => {
    const server = partner.aServer()
    const places: [asked: string, led: string][] = [
      ['/me?a=1#b', `${HOME}/me?a=1#b`],
      ['https://evil.example/', `${HOME}/`],
      ['//evil.example', `${HOME}/`],
      ['/\\evil.example', `${HOME}/`],
      ['/\t/evil.example', `${HOME}/`],
      ['\\\\evil.example', `${HOME}/`],
      ['/.//evil.example', `${HOME}//evil.example`],
      ['/..//evil.example', `${HOME}//evil.example`],
      ['javascript:alert(1)', `${HOME}/`],
      ['@evil.example', `${HOME}/`],
      ['.evil.example', `${HOME}/`],
      ['', `${HOME}/`],
    ]
    for (const [asked, led] of places) {
      const { location, cookie } = await begin(
        server,
        `?${new URLSearchParams({ return_to: asked }).toString()}`,
      )
      assert.equal(`${location.origin}${location.pathname}`, `${product.sso}/sign-in`)
      const back = new URL(location.searchParams.get('return_to') ?? '')
      // As if the person had cancelled.
      back.searchParams.set('error', 'access_denied')
      assert.equal((await finish(server, back, cookie)).location, led, asked)
    }
  })

  test('leads to the front page where return_to is too long for a cookie', async () => {
    const server = partner.aServer()
    const { location, cookie } = await begin(server, `?return_to=/${'%C3%A4'.repeat(1_000)}`)
    const back = new URL(location.searchParams.get('return_to') ?? '')
    assert.equal((await finish(server, back, cookie)).location, `${HOME}/`)
  })

  test('ends only in the browser where it began, and once', async () => {
    const server = partner.aServer()
    const [mine, theirs] = [await begin(server), await begin(server)]
    const back = await signInOnThePage(mine.location, ACCOUNT)
    for (const cookie of ['', theirs.cookie, mine.cookie.replace(/.$/, '')])
      assert.equal((await finish(server, back, cookie)).status, 400)
    const stateless = new URL(back)
    stateless.searchParams.delete('state')
    assert.equal((await finish(server, stateless, mine.cookie)).status, 400)
    const { status, location, reply } = await finish(server, back, mine.cookie)
    assert.deepEqual([status, location], [303, `${HOME}/`])
    assert.equal(reply?.headers.get('referrer-policy'), 'no-referrer')
    assert.equal((await finish(server, back, mine.cookie)).status, 400)
  })

  test('does not finish with a code that another visit was given', async () => {
    const server = partner.aServer()
    const [mine, theirs] = [await begin(server), await begin(server)]
    const back = new URL(theirs.location.searchParams.get('return_to') ?? '')
    const code = (await signInOnThePage(mine.location, ACCOUNT)).searchParams.get('code') ?? ''
    back.searchParams.set('code', code)
    const { status, reply } = await finish(server, back, theirs.cookie)
    assert.equal(status, 400)
    assert.match((await reply?.text()) ?? '', /code_invalid/)
  })
})

test('the routes of Express answer 405 to every method that they do not know', async () => {
  const routes = lyceumRoutes(partner.aServer())
  const faults: unknown[] = []
  const http = createServer((request, response) => {
    routes(request, response, (error) => response.writeHead(404).end(String(error))).catch((error) => {
      faults.push(error)
      response.writeHead(500).end()
    })
  })
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  const { port } = http.address() as AddressInfo
  try {
    for (const method of ['TRACE', 'HEAD', 'PUT', 'DELETE', 'OPTIONS', 'PROPFIND', 'QUERY'])
      for (const path of ['/auth/sign-in', '/auth/callback?code=x', '/auth/sign-out', '/auth/webhook']) {
        const sent = `${method} ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`
        const { statuses } = await sendRaw(port, sent)
        assert.deepEqual([statuses, faults], [[405], []], `${method} ${path}`)
      }
  } finally {
    http.close()
  }
})

describe('webhooks', () => {
  const send = async (
    server: Lyceum,
    event_id: string,
    body = JSON.stringify({ event_type: 'ping', event_id }),
  ) => {
    const timestamp = String(Math.floor(Date.now() / 1_000))
    const secret = Buffer.from((partner.site['webhook_secret'] ?? '').replace(/^whsec_/, ''), 'base64')
    const signature = createHmac('sha256', secret).update(`${event_id}.${timestamp}.${body}`).digest('base64')
    const headers = {
      'x-sso-event-id': event_id,
      'webhook-id': event_id,
      'webhook-timestamp': timestamp,
      'webhook-signature': `v1,${signature}`,
    }
    const request = new Request(`${HOME}/auth/webhook`, { method: 'POST', headers, body })
    return (await server.handle(request))?.status
  }

  test('that are sent again are told once, fifty at the same moment too', async () => {
    const told: string[] = []
    const server = partner.aServer({ onWebhook: ({ event_id }) => told.push(event_id) })
    const statuses = await Promise.all(Array.from({ length: 50 }, () => send(server, 'e1')))
    assert.deepEqual(new Set(statuses), new Set([204]))
    await send(server, 'e2')
    assert.equal(await send(server, 'e1'), 204)
    assert.deepEqual(told, ['e1', 'e2'])
  })

  test('that could not be acted on are told again', async () => {
    let tries = 0
    const server = partner.aServer({
      onWebhook: () => {
        if (tries++ === 0) throw new Error('the database is away')
      },
    })
    await assert.rejects(send(server, 'e3'), /the database is away/)
    assert.equal(await send(server, 'e3'), 204)
    assert.equal(tries, 2)
  })

  test('that are too long, or no JSON, are refused', async () => {
    const server = partner.aServer({ onWebhook: () => assert.fail('told') })
    assert.equal(await send(server, 'e4', 'a'.repeat(1_048_577)), 413)
    assert.equal(await send(server, 'e5', 'nonsense'), 400)
  })
})
