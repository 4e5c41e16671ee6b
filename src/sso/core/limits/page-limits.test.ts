import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, test } from 'node:test'
import { aUser } from '#testing/people.ts'
import { aVisitor } from '#testing/visitor.ts'
import { buildWorld, type World } from '#testing/world.ts'

const WRONG = { name: 'nobody', password: '' }

const look = (lyceum: World, url: string, remoteAddress: string) =>
  lyceum.sso.inject({ url, remoteAddress, headers: { host: '127.0.0.1:8064' } })

/** Posts the form of /sign-in so many times, each from a browser of its own. */
async function submit(lyceum: World, forms: number): Promise<number[]> {
  const replies = await Promise.all(
    Array.from({ length: forms }, () => aVisitor({ lyceum }).submit('/sign-in', WRONG)),
  )
  return replies.map(({ statusCode }) => statusCode)
}

describe('the hosted pages', () => {
  test('admit a school of a hundred behind one address', async () => {
    const lyceum = await buildWorld({ env: { SSO_RATE_LIMIT_AUTH: '10' } })
    const { db } = lyceum
    const { email, password, user_id } = await aUser({ lyceum })
    const pupils = Array.from({ length: 100 }, (_, n) => `pupil-${n}-${email}`)
    await db.pool`
      insert into sso.users (user_id, environment, email, email_fold, password_hash, registration_source)
      select gen_random_uuid(), u.environment, pupil, pupil, u.password_hash, u.registration_source
        from sso.users u cross join unnest(${pupils}::text[]) as pupil where u.user_id = ${user_id}`
    const replies = await Promise.all(
      pupils.map((name) => aVisitor({ lyceum }).submit('/sign-in', { name, password })),
    )
    assert.deepEqual(new Set(replies.map(({ statusCode }) => statusCode)), new Set([303]))
  })

  test('admit ten forms a minute per browser', async () => {
    const lyceum = await buildWorld({ env: { SSO_RATE_LIMIT_AUTH: '10' } })
    const visitor = aVisitor({ lyceum })
    const form_token = await visitor.formToken('/sign-in')
    const post = async () => (await visitor.post('/sign-in', { form_token, ...WRONG })).statusCode
    for (let n = 0; n < 10; n++) assert.equal(await post(), 422)
    assert.equal(await post(), 429)
    assert.deepEqual(await submit(lyceum, 1), [422])
  })

  test('admit ten forms a minute without cookie, shared with the API', async () => {
    const lyceum = await buildWorld({ env: { SSO_RATE_LIMIT_AUTH: '10' } })
    const post = async (cookie: string) => {
      const visitor = aVisitor({ lyceum })
      return (await visitor.post('/sign-in', { form_token: 'x', ...WRONG }, { headers: { cookie } }))
        .statusCode
    }
    for (let n = 0; n < 10; n++) assert.equal(await post(n % 2 === 0 ? 'a=b' : `sso_form=made-up-${n}`), 403)
    assert.equal(await post('sso_form=made-up'), 429)
  })

  test('refuse an address that forges browsers, with one log line', async () => {
    const lyceum = await buildWorld({ env: { SSO_RATE_LIMIT_AUTH: '10', SSO_RATE_LIMIT_PAGES: '24' } })
    const lines: unknown[] = []
    lyceum.parts.log.warn = ((line: unknown) => lines.push(line)) as never
    const statuses = await submit(lyceum, 40)
    assert.deepEqual(
      [422, 429].map((status) => statuses.filter((one) => one === status).length),
      [24, 16],
    )
    assert.deepEqual(lines, [{ address: '127.0.0.1', limit: 'page_forms', per_minute: 24 }])
    assert.match(
      await lyceum.parts.metrics.text(),
      /^lyceum_page_limit_reached_total\{limit="page_forms"\} 16$/m,
    )
  })

  for (const url of [
    '/sign-in',
    '/sign-up',
    '/forgot-password',
    '/reset-password',
    '/verify-email',
    '/sign-in/mfa',
    '/openid/authorize',
    '/openid/userinfo',
    `/sso/saml/${randomUUID()}/metadata`,
    `/sso/oidc/callback/${randomUUID()}`,
  ])
    test(`count ${url} per address`, async () => {
      const lyceum = await limited()
      const address = `198.51.100.${++addresses}`
      for (let n = 0; n < 10; n++) assert.notEqual((await look(lyceum, url, address)).statusCode, 429)
      const refused = await look(lyceum, url, address)
      assert.equal(refused.statusCode, 429)
      assert.ok(Number(refused.headers['retry-after']) >= 1)
      assert.equal((await look(lyceum, '/sign-in', address)).statusCode, 429)
      assert.equal((await look(lyceum, url, '198.51.100.250')).statusCode === 429, false)
    })

  for (const env of [{ SSO_RATE_LIMIT_AUTH: '0' }, { SSO_RATE_LIMIT_PAGES: '0' }])
    test(`are off per address with ${Object.keys(env).join()}=0`, async () => {
      const lyceum = await buildWorld({
        env: { SSO_RATE_LIMIT_AUTH: '10', SSO_RATE_LIMIT_PAGES: '2', ...env },
      })
      for (let n = 0; n < 30; n++)
        assert.notEqual((await look(lyceum, '/sign-in', '198.51.100.1')).statusCode, 429)
    })

  test('never block signing out', async () => {
    const lyceum = await limited()
    const address = `198.51.100.${++addresses}`
    for (let n = 0; n < 12; n++) await look(lyceum, '/sign-in', address)
    assert.equal((await look(lyceum, '/sign-in', address)).statusCode, 429)
    assert.equal((await look(lyceum, '/sign-in/out', address)).statusCode, 200)
  })
})

let shared: Promise<World> | undefined
const limited = () =>
  (shared ??= buildWorld({ env: { SSO_RATE_LIMIT_AUTH: '10', SSO_RATE_LIMIT_PAGES: '5' } }))
let addresses = 0
