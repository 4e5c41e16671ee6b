import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, test } from 'node:test'
import type { DeclaredRoute } from '#foundation/http/http.ts'
import type { ServiceName } from '#testing/contract.ts'
import {
  assertRefused,
  JSON_TYPE,
  MISSHAPEN,
  pathOf,
  portOf,
  sendRaw,
  UNREADABLE,
  withoutRequestId,
} from '#testing/hostile.ts'
import { aUser, anAdmin, anOperator, homeSite } from '#testing/people.ts'
import { world } from '#testing/world.ts'

const apps = await world()
const services = ['sso', 'learning', 'collections'] as const
const [site, admin, operator] = [await homeSite(), await anAdmin(), await anOperator()]

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
const methodOf = ({ method }: DeclaredRoute) => method as Method
/** These routes are opened in a browser, so their errors are pages. */
const isPage = ({ config }: DeclaredRoute) => config.errorPage !== undefined
/** Some of these routes answer JSON to programs. */
const acceptOf = (route: DeclaredRoute) => (isPage(route) ? { accept: 'text/html' } : {})
const nameOf = ({ method, url }: DeclaredRoute) => `${method} ${url}`

/** Credentials that every route of this kind accepts. */
const credentialFor = ({ config: { auth, first_party } }: DeclaredRoute): Record<string, string> =>
  first_party !== undefined
    ? operator.headers
    : auth === 'site'
      ? site.headers
      : auth === 'user' || auth === 'admin'
        ? admin.headers
        : {}

/** An answer that does not end, for as long as the client listens. */
const isStream = ({ schema: { response } }: DeclaredRoute) =>
  JSON.stringify(response ?? {}).includes('text/event-stream')

const readsBody = ({ method }: DeclaredRoute) => method !== 'GET' && method !== 'DELETE'
for (const service of services) {
  const app = apps[service]
  // SCIM has errors of another form and a credential of its own: src/sso/federation/scim/hostile.test.ts.
  const routes = app.declaredRoutes.filter(({ config }) => config.auth !== 'connection')

  describe(`${service} without a token`, () => {
    test('answers 401 on private routes before parsing anything', async () => {
      const guarded = routes.filter(
        ({ config: { auth } }) => auth === 'user' || auth === 'admin' || auth === 'site',
      )
      assert.ok(guarded.length > 0)
      for (const route of guarded)
        for (const headers of [
          {},
          { authorization: 'Bearer' },
          { authorization: 'Bearer a b' },
          { authorization: `Bearer ${'a'.repeat(9_000)}` },
          { authorization: 'Bearer lyc_%00' },
          { authorization: 'Basic YTpi' },
          { authorization: 'Bearer eyJhbGciOiJub25lIn0.e30.' },
          { 'x-sso-site-key': 'sso_live_nonsense', authorization: 'Bearer x.y.z' },
          { 'x-sso-site-key': '\u00ff' },
        ] as Record<string, string>[]) {
          const reply = await app.inject({
            method: methodOf(route),
            url: `${pathOf(route, 'not-an-id')}?page=0`,
            headers: { ...headers, ...(readsBody(route) && { 'content-type': JSON_TYPE }) },
            ...(readsBody(route) && { payload: '{' }),
          })
          assertRefused(service, reply, [401], `${nameOf(route)} ${JSON.stringify(headers).slice(0, 80)}`)
          assert.ok(reply.headers['www-authenticate'], nameOf(route))
        }
    })
  })

  describe(`${service} with an unreadable body`, () => {
    for (const [name, body, type, statuses] of UNREADABLE)
      test(`refuses ${name} with ${statuses.join(' or ')} on every route`, async () => {
        for (const route of routes.filter(readsBody)) {
          const reply = await app.inject({
            method: methodOf(route),
            url: pathOf(route, randomUUID()),
            headers: { ...credentialFor(route), ...acceptOf(route), 'content-type': type },
            payload: body,
          })
          // An upload route accepts multipart, but finds no part in this body.
          const isUpload = route.config.upload && name === 'multipart'
          // A signed route verifies the signature before it parses the body, and has no secret here.
          const isSigned = route.config.rawBody && statuses.includes(400)
          const expected = isUpload ? [400, 422] : isSigned ? [503] : statuses
          assertRefused(service, reply, expected, nameOf(route), isPage(route))
        }
      })

    for (const [name, body] of MISSHAPEN)
      test(`answers 400 or 422 to ${name} on every object route`, async () => {
        for (const route of routes.filter(({ schema }) => schema.body)) {
          const reply = await app.inject({
            method: methodOf(route),
            url: pathOf(route, randomUUID()),
            headers: { ...credentialFor(route), ...acceptOf(route), 'content-type': JSON_TYPE },
            payload: body,
          })
          // An object without fields can be valid; then the unknown id, the state or the sender decides.
          // A page that needs no field redirects.
          if (body === '' && isPage(route) && reply.statusCode === 303) continue
          // The token endpoint authenticates the client first.
          const empty = route.config.errorBody ? [401] : [400, 403, 404, 409, 422]
          const statuses = body === '' ? empty : [400, 422]
          assertRefused(service, reply, statuses, nameOf(route), isPage(route))
        }
      })
  })

  describe(`${service} with an unknown address`, () => {
    test('answers 405 with Allow to unsupported methods', async () => {
      const byUrl = Map.groupBy(routes, ({ url }) => url)
      for (const [url, declared] of byUrl) {
        const methods = declared.map(methodOf)
        const missing = (['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const).filter(
          (method) => !methods.includes(method),
        )
        for (const method of missing) {
          const reply = await app.inject({ method, url: url.replaceAll(/:\w+/g, randomUUID()) })
          assertRefused(service, reply, [405], `${method} ${url}`)
          const allowed = String(reply.headers['allow']).split(', ')
          assert.deepEqual(allowed.filter((one) => one !== 'HEAD').toSorted(), methods.toSorted(), url)
        }
      }
    })

    for (const url of [
      '/nope',
      '/api',
      '/api/',
      '/api//channels',
      '/API/collections',
      '/api/v1/auth/login/',
      '/api/../etc/passwd',
      '/api/%2e%2e%2fetc%2fpasswd',
      '/%00',
      '/__proto__',
      '/constructor',
      `/${'x'.repeat(8_000)}`,
    ])
      test(`answers 404 for ${url.slice(0, 40)}`, async () => {
        for (const headers of [{}, admin.headers])
          assertRefused(service, await app.inject({ url, headers }), [404], url.slice(0, 40))
      })

    for (const url of ['/api/%', '/api/%E0%A4%A', '/%zz'])
      test(`answers 400 for the malformed ${url}`, async () => {
        assertRefused(service, await app.inject({ url }), [400, 404], url)
      })
  })

  describe(`${service} with an unknown id`, () => {
    // Pages answer with a page, and send strangers to the sign-in.
    const withIds = routes.filter(({ url, config }) => /:\w*id\b/.test(url) && !config.errorPage)
    const MALFORMED = [
      'not-an-id',
      '%00',
      '%27%20or%201=1--',
      '..%2f..%2fetc',
      `${randomUUID()}x`,
      `%20${randomUUID()}`,
      `${randomUUID()}%0a`,
      'null',
      '0',
      'x'.repeat(600),
    ]

    test('answers malformed and unknown ids with the same bytes', async () => {
      for (const route of withIds) {
        const ask = (id: string) =>
          app.inject({
            method: methodOf(route),
            url: pathOf(route, id),
            headers: { ...credentialFor(route), ...(readsBody(route) && { 'content-type': JSON_TYPE }) },
            ...(readsBody(route) && { payload: '{' }),
          })
        const replies = await Promise.all(MALFORMED.map(ask))
        for (const [place, reply] of replies.entries())
          assertRefused(service, reply, [404], `${nameOf(route)} ${MALFORMED[place]}`)
        // When the body cannot be parsed, an id that could exist gets 400 first.
        if (!readsBody(route)) replies.push(await ask(randomUUID()))
        assert.equal(new Set(replies.map(withoutRequestId)).size, 1, nameOf(route))
      }
    })
  })

  describe(`${service} with a hostile query`, () => {
    const lists = routes.filter(
      ({ method, schema: { querystring } }) =>
        method === 'GET' &&
        'per_page' in ((querystring as { properties?: object } | undefined)?.properties ?? {}),
    )

    for (const query of ['page=%00', 'page=1&page=2', 'page=1e3', 'page=-1', 'per_page=99999999999999999999'])
      test(`refuses ${query} with 422 on every list`, async () => {
        assert.ok(lists.length > 0)
        for (const route of lists) {
          const url = `${pathOf(route, randomUUID())}?${query}`
          const reply = await app.inject({ url, headers: credentialFor(route) })
          assertRefused(service, reply, [422], `${nameOf(route)} ${query}`)
        }
      })

    for (const query of [
      'page[]=1',
      '__proto__=1',
      '__proto__[role]=ADMIN',
      'q=%00',
      'q=%ff',
      '%ff=1',
      'q=%',
      `q=${'x'.repeat(5_000)}`,
      '&&&=&',
    ])
      test(`never fails on ${query.slice(0, 30)}`, async () => {
        for (const route of routes.filter((one) => one.method === 'GET' && !isStream(one))) {
          const url = `${pathOf(route, randomUUID())}?${query}`
          const reply = await app.inject({ url, headers: credentialFor(route) })
          assert.ok(
            reply.statusCode < 500,
            `${nameOf(route)}: ${reply.statusCode} ${reply.body.slice(0, 200)}`,
          )
        }
        assert.equal(({} as Record<string, unknown>)['role'], undefined)
      })
  })
}

describe('text that cannot be stored', () => {
  const PLACES: [
    service: ServiceName,
    url: string,
    headers: Record<string, string>,
    field: string,
    rest: object,
  ][] = [
    ['sso', '/api/v1/auth/register', site.headers, 'email', { password: 'correct horse battery' }],
    ['sso', '/api/v1/auth/register', site.headers, 'password', { email: 'hostile@example.org' }],
    ['sso', '/api/v1/auth/login', site.headers, 'email', { password: 'correct horse battery' }],
    ['sso', '/api/v1/sites', admin.headers, 'name', { environment: 'sandbox' }],
    ['learning', '/api/channels', admin.headers, 'title', {}],
    ['collections', '/api/auth/login', {}, 'email', { password: 'correct horse battery' }],
  ]
  const TEXTS = {
    NUL: '\\u0000',
    'half a pair': '\\ud800',
    'the other half': '\\udc00x',
  }
  /** Learning stores text as it was sent, except characters that no database can store. */
  const NAMES = { 'an escape sequence': '\\u001b[2J', DEL: '\\u007f' }

  for (const [service, url, headers, field, rest] of PLACES)
    test(`answers 422 in ${field} of ${url} on ${service}`, async () => {
      for (const [name, text] of Object.entries(service === 'learning' ? TEXTS : { ...TEXTS, ...NAMES })) {
        const payload = JSON.stringify({ ...rest, [field]: 'TEXT' }).replace('TEXT', `a${text}@example.org`)
        const reply = await apps[service].inject({
          method: 'POST',
          url,
          headers: { ...headers, 'content-type': JSON_TYPE },
          payload,
        })
        assertRefused(service, reply, [422], `${name}: ${payload}`)
      }
    })

  test('answers 422 to an overflowing number', async () => {
    const reply = await apps.learning.inject({
      method: 'POST',
      url: '/api/channels',
      headers: { ...admin.headers, 'content-type': JSON_TYPE },
      payload: '{"title": "Numbers", "passing_percent": 1e999}',
    })
    assertRefused('learning', reply, [422], '1e999')
  })

  test('takes the last of duplicate keys', async () => {
    const reply = await apps.sso.inject({
      method: 'POST',
      url: '/api/v1/auth/login',
      headers: { ...site.headers, 'content-type': JSON_TYPE },
      payload: `{"email": 5, "email": "${admin.email}", "password": 5, "password": "not the password"}`,
    })
    assertRefused('sso', reply, [401], 'the last ones are strings')
  })
})

describe('objects of somebody else', () => {
  test('answer like missing objects, byte for byte', async () => {
    const [anna, stranger] = [await aUser(), await anAdmin()]
    const made = await apps.learning.inject({
      method: 'POST',
      url: '/api/channels',
      headers: anna.headers,
      payload: { title: 'Private', visibility: 'private' },
    })
    assert.equal(made.statusCode, 201, made.body)
    const channel_id = made.json().id as string
    const asked: [service: ServiceName, method: Method, url: string, payload?: object][] = [
      ['sso', 'GET', `/api/v1/users/${anna.user_id}`],
      ['sso', 'DELETE', `/api/v1/sessions/${anna.session_id}`],
      ['learning', 'GET', `/api/channels/${channel_id}`],
      ['learning', 'PUT', `/api/channels/${channel_id}`, { title: 'Taken' }],
      ['learning', 'DELETE', `/api/channels/${channel_id}`],
      ['learning', 'GET', `/api/device/feed/${channel_id}`],
    ]
    for (const [service, method, url, payload] of asked) {
      const ask = (address: string) =>
        apps[service].inject({ method, url: address, headers: stranger.headers, ...(payload && { payload }) })
      const foreign = await ask(url)
      assertRefused(service, foreign, [404], `${method} ${url}`)
      const unknown = await ask(url.replace(/[0-9a-f-]{36}/, randomUUID()))
      assert.equal(withoutRequestId(foreign), withoutRequestId(unknown), `${method} ${url}`)
    }
    const untouched = await apps.learning.inject({
      url: `/api/channels/${channel_id}`,
      headers: anna.headers,
    })
    assert.equal(untouched.json().title, 'Private')
    assert.equal((await apps.sso.inject({ url: '/api/v1/sessions', headers: anna.headers })).statusCode, 200)
  })
})

/** Requests that only a raw socket can send. Each gets one error and the connection closes, so nothing can follow it. */
const SMUGGLED = 'GET /livez HTTP/1.1\r\nHost: x\r\n\r\n'
const RAW: [name: string, bytes: string][] = [
  [
    'a length beside chunks',
    `POST /x HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${SMUGGLED}`,
  ],
  [
    'chunks beside a length',
    `POST /x HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n${SMUGGLED}`,
  ],
  ['two lengths', `POST /x HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\nContent-Length: 5\r\n\r\n${SMUGGLED}`],
  ['a list of lengths', `POST /x HTTP/1.1\r\nHost: x\r\nContent-Length: 0, 5\r\n\r\n${SMUGGLED}`],
  ['a negative length', `POST /x HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n${SMUGGLED}`],
  ['a length with a sign', `POST /x HTTP/1.1\r\nHost: x\r\nContent-Length: +5\r\n\r\n${SMUGGLED}`],
  [
    'an encoding that only ends like chunked',
    `POST /x HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n${SMUGGLED}`,
  ],
  [
    'an encoding before chunked',
    `POST /x HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n${SMUGGLED}`,
  ],
  ['two Hosts', `GET /livez HTTP/1.1\r\nHost: localhost\r\nHost: x\r\n\r\n${SMUGGLED}`],
  [
    'chunked before another encoding',
    `POST /x HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n${SMUGGLED}`,
  ],
  [
    'a space before the colon',
    `POST /x HTTP/1.1\r\nHost: x\r\nTransfer-Encoding : chunked\r\n\r\n0\r\n\r\n${SMUGGLED}`,
  ],
  [
    'a folded header',
    `POST /x HTTP/1.1\r\nHost: x\r\nTransfer-Encoding:\r\n chunked\r\nX: y\r\n z\r\n\r\n0\r\n\r\n${SMUGGLED}`,
  ],
  [
    'a chunk size that overflows',
    `POST /x HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n\r\n${SMUGGLED}`,
  ],
  ['NUL in a header', `GET /livez HTTP/1.1\r\nHost: x\r\nX-Note: a\0b\r\n\r\n${SMUGGLED}`],
  ['a bare CR in a header', `GET /livez HTTP/1.1\r\nHost: x\r\nX-Note: a\rb: c\r\n\r\n${SMUGGLED}`],
  ['an expectation nobody meets', `GET /livez HTTP/1.1\r\nHost: x\r\nExpect: tea\r\n\r\n${SMUGGLED}`],
  ['no Host', `GET /livez HTTP/1.1\r\n\r\n${SMUGGLED}`],
  ['no HTTP at all', `hello\r\n\r\n${SMUGGLED}`],
  ['a method nobody knows', `BREW /livez HTTP/1.1\r\nHost: x\r\n\r\n${SMUGGLED}`],
  ['a version that does not exist', `GET /livez HTTP/9.9\r\nHost: x\r\n\r\n${SMUGGLED}`],
  ['20 KiB of headers', `GET /livez HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(20_480)}\r\n\r\n${SMUGGLED}`],
]

for (const service of services)
  describe(`${service} on a raw socket`, () => {
    for (const [name, bytes] of RAW)
      test(`refuses ${name} once and hangs up`, async () => {
        const { text, statuses, isClosed } = await sendRaw(await portOf(apps[service]), bytes)
        assert.equal(statuses.length, 1, text)
        assert.ok([400, 404, 417, 431, 501].includes(statuses[0] ?? 0), text)
        assert.ok(isClosed, 'the connection stays open')
        const [head = '', body = ''] = text.split('\r\n\r\n')
        assert.match(head, /\r\nx-request-id: [0-9a-f-]{36}\r\n/i)
        assert.match(head, /\r\nx-content-type-options: nosniff\r\n/i)
        assert.match(head, /\r\ncache-control: no-store\r\n/i)
        const type = /content-type: ([^\r\n]+)/i.exec(head)?.[1]
        if (body !== '')
          assertRefused(
            service,
            { statusCode: statuses[0] ?? 0, headers: { 'content-type': type }, body },
            [400, 404, 417, 431, 501],
            name,
          )
      })

    test('reports a truncated body as client error, not database failure', async () => {
      const [route] = apps[service].declaredRoutes.filter(readsBody)
      assert.ok(route)
      const credential = Object.entries(credentialFor(route)).map(([name, value]) => `${name}: ${value}\r\n`)
      const head = `${route.method} ${pathOf(route, randomUUID())} HTTP/1.1\r\nHost: localhost\r\n${credential.join('')}`
      await sendRaw(
        await portOf(apps[service]),
        `${head}Content-Type: application/json\r\nContent-Length: 99\r\n\r\n{"a": `,
      )
      // By the time of another answer the broken request has ended.
      assert.deepEqual((await sendRaw(await portOf(apps[service]), SMUGGLED)).statuses, [200])
      assert.equal(apps.db.isAvailable(), true)
    })

    test('answers two pipelined requests', async () => {
      const { statuses } = await sendRaw(await portOf(apps[service]), SMUGGLED + SMUGGLED)
      assert.deepEqual(statuses, [200, 200])
    })
  })
