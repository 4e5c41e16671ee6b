import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { world } from '#testing/world.ts'

const SERVICES = ['sso', 'learning', 'collections'] as const
const BROWSER = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' }

for (const service of SERVICES)
  describe(`an unknown address of ${service}`, () => {
    const ask = async (
      url: string,
      headers: Record<string, string> = {},
      method: 'GET' | 'POST' | 'HEAD' = 'GET',
    ) => (await world())[service].inject({ method, url, headers })

    test('is a page with a way back for a browser', async () => {
      const reply = await ask('/no/such-page?x=1', BROWSER)
      assert.equal(reply.statusCode, 404)
      assert.match(reply.headers['content-type'] as string, /^text\/html/)
      assert.match(reply.body, /<a href="\/">/)
      assert.match(
        reply.headers['content-security-policy'] as string,
        /default-src 'none'.*style-src 'sha256-/,
      )
      assert.equal(reply.headers['cache-control'], 'no-store')
    })

    for (const [what, url, headers, method] of [
      ['a program', '/no/such-page', {}, 'GET'],
      ['a program that takes anything', '/no/such-page', { accept: '*/*' }, 'GET'],
      ['a browser below /api', '/api/no-such-thing', BROWSER, 'GET'],
      ['a browser that posts', '/no/such-page', BROWSER, 'POST'],
    ] as const)
      test(`is JSON for ${what}`, async () => {
        const reply = await ask(url, headers, method)
        assert.equal(reply.statusCode, 404)
        assert.equal(typeof reply.json<{ detail: string }>().detail, 'string')
      })

    test('names nothing of the request', async () => {
      const { body } = await ask('/<script>alert(1)</script>?q=%3Cb%3E', BROWSER)
      assert.ok(!body.includes('alert') && !body.includes('<b>'))
    })

    test('that ends in a slash leads to the one without', async () => {
      const reply = await ask('/account/?to=%2Fa', BROWSER)
      assert.deepEqual([reply.statusCode, reply.headers.location], [308, '/account?to=%2Fa'])
    })

    for (const url of ['//evil.example/', '//', '///evil.example//', '/a//'])
      test(`never leads elsewhere: ${url}`, async () => {
        const reply = await ask(url, BROWSER)
        assert.equal(reply.headers.location, undefined)
        assert.equal(reply.statusCode, 404)
      })
  })

describe('the start page', () => {
  test('of the sso leads to the account, and from there to sign-in', async () => {
    const { sso } = await world()
    assert.equal((await sso.inject({ url: '/', headers: BROWSER })).headers.location, '/account')
    const account = await sso.inject({ url: '/account', headers: BROWSER })
    assert.match(account.headers.location as string, /^\/sign-in\?return_to=/)
  })

  test('of collections leads to the sign-in and back', async () => {
    const { collections } = await world()
    const { headers } = await collections.inject({
      url: '/',
      headers: { ...BROWSER, host: '127.0.0.1:8066' },
    })
    assert.match(
      String(headers.location),
      /^http:\/\/127\.0\.0\.1:8064\/sign-in\?site_code=collections&return_to=/,
    )
  })
})
