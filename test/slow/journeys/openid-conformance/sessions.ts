import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { JWTPayload } from 'jose'
import {
  assertInvalidGrant,
  postToken,
  readIdToken,
  readTokens,
  refusalOf,
  requestOf,
  runFlow,
  userInfo,
} from './flow.ts'
import { eventually } from '#testing/eventually.ts'
import type { Provider } from './provider.ts'

/** The modules that sign in twice in one browser, or come back with a token or code. */
export function sessionModules(op: Provider) {
  describe('signed in at the provider', () => {
    /** Signs in, then again in the same browser with `given`; the first sign-in is moved `seconds` into the past. */
    async function twice(given: Record<string, string>, { first = {}, seconds = 0 } = {}) {
      const browser = await op.signedInBrowser()
      const before = await runFlow(op, { browser, given: first })
      if (seconds > 0) await op.pass(seconds)
      const after = await runFlow(op, { browser, given })
      assert.equal(after.claims.sub, before.claims.sub)
      const dated = { ...before.claims, auth_time: authTime(before.claims) - seconds }
      return { before: dated, after: after.claims, pages: after.pages }
    }
    const authTime = ({ auth_time }: JWTPayload) => Number(auth_time)

    test('oidcc-prompt-login: the person signs in again, and auth_time is later', async () => {
      const { before, after, pages } = await twice({ prompt: 'login' }, { seconds: 1 })
      assert.deepEqual(pages, ['/sign-in'])
      assert.ok(authTime(after) > authTime(before))
    })

    test('oidcc-prompt-none-logged-in: no page, the same sign-in', async () => {
      const { before, after, pages } = await twice({ prompt: 'none' })
      assert.deepEqual([pages, authTime(after)], [[], authTime(before)])
    })

    test('oidcc-id-token-hint: is taken along with prompt=none', async () => {
      const browser = await op.signedInBrowser()
      const before = await runFlow(op, { browser })
      const given = { prompt: 'none', id_token_hint: before.tokens.id_token }
      const { pages, claims } = await runFlow(op, { browser, given })
      assert.deepEqual(
        [pages, claims.sub, authTime(claims)],
        [[], before.claims.sub, authTime(before.claims)],
      )
    })

    test('oidcc-max-age-1: a sign-in two seconds old is asked for again', async () => {
      const { before, after, pages } = await twice({ max_age: '1' }, { seconds: 2 })
      assert.deepEqual(pages, ['/sign-in'])
      assert.ok(authTime(after) > authTime(before))
      assert.ok(authTime(after) > Date.now() / 1_000 - 60)
    })

    test('oidcc-max-age-10000: a sign-in of today is recent enough', async () => {
      const { before, after, pages } = await twice({ max_age: '10000' }, { first: { max_age: '15000' } })
      assert.deepEqual([pages, authTime(after)], [[], authTime(before)])
    })
  })

  test('oidcc-prompt-none-not-logged-in: redirects back with login_required and the whole state', async () => {
    const request = requestOf(op.client, { prompt: 'none', state: 'x'.repeat(128) })
    assert.equal(await refusalOf(op, request), 'login_required')
  })

  test('oidcc-codereuse: a second presentation is invalid_grant', async () => {
    const { redeemAgain } = await runFlow(op)
    assertInvalidGrant(await redeemAgain())
  })

  test('oidcc-codereuse-30seconds: half a minute later the tokens end too', async () => {
    const { redeemAgain, tokens } = await runFlow(op)
    await op.pass(30)
    assertInvalidGrant(await redeemAgain())
    assert.equal((await userInfo(op, tokens)).status, 401)
  })

  test('oidcc-refresh-token: renews the tokens of its own client only', async () => {
    assert.ok((op.metadata['grant_types_supported'] as string[]).includes('refresh_token'))
    const given = { scope: 'openid offline_access', prompt: 'consent' }
    const first = await runFlow(op, { given })
    assert.deepEqual(first.pages, ['/sign-in', '/sign-in/consent'])
    // The second ID token must have a later `iat`.
    const signedIn = Math.floor(Date.now() / 1_000)
    await eventually(() => Math.floor(Date.now() / 1_000) > signedIn)
    const refresh = { grant_type: 'refresh_token', refresh_token: String(first.tokens['refresh_token']) }
    assert.match(refresh.refresh_token, /^[\x20-\x7e]{16,}$/)
    const renewed = readTokens(await postToken(op, op.client, { ...refresh, scope: given.scope }))
    assert.notEqual(renewed.access_token, first.tokens.access_token)
    const claims = await readIdToken(op, op.client, renewed.id_token, null)
    for (const name of ['iss', 'sub', 'aud', 'auth_time', 'azp'])
      assert.deepEqual(claims[name], first.claims[name], name)
    assert.ok(Number(claims.iat) > Number(first.claims.iat))
    assert.equal((await userInfo(op, renewed)).status, 200)

    const second = await runFlow(op, { client: op.other, given })
    const stolen = { ...refresh, refresh_token: String(second.tokens['refresh_token']), scope: given.scope }
    assertInvalidGrant(await postToken(op, op.client, stolen))
  })
}
