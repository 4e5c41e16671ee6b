import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { challenge, giveTotp } from '#testing/mfa.ts'
import { aSite, aUser, type Headers, type Person, type TestSite } from '#testing/people.ts'
import { world } from '#testing/world.ts'

type Side = { site: TestSite & { owner: Person }; person: Person }

async function side(environment: 'sandbox' | 'production'): Promise<Side> {
  const site = await aSite({ environment })
  return { site, person: await aUser({ at: site }) }
}

async function post(path: string, headers: Headers, payload: object) {
  const { sso } = await world()
  return sso.inject({ method: 'POST', url: `/api/v1/auth/${path}`, headers, payload })
}
async function get(path: string, headers: Headers) {
  const { sso } = await world()
  return sso.inject({ url: `/api/v1/${path}`, headers })
}
const withoutId = (body: string) => ({ ...JSON.parse(body), request_id: undefined })
const RANDOM = '01890000-0000-7000-8000-000000000000'

/** The part of a token that says where it is good, changed to the other environment and left unsigned. */
function relabelled(token: string, env: string): string {
  const [header = '', payload = '', signature = ''] = token.split('.')
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as object
  return [header, Buffer.from(JSON.stringify({ ...claims, env })).toString('base64url'), signature].join('.')
}

for (const [own, other] of [
  ['sandbox', 'production'],
  ['production', 'sandbox'],
] as const)
  describe(`what is ${own}`, () => {
    test(`${other} does not know its people`, async () => {
      const [here, there] = [await side(own), await side(other)]
      const { email, password } = here.person
      const reply = await post('login', there.site.headers, { email, password })
      const nobody = await post('login', there.site.headers, { email: 'nobody@example.org', password })
      assert.equal(reply.statusCode, 401)
      assert.deepEqual(withoutId(reply.body), withoutId(nobody.body))
      const twice = await post('register', there.site.headers, { email, password: 'quite another one' })
      assert.equal(twice.statusCode, 201, 'the address is free there')
    })

    test(`${other} does not know its refresh tokens`, async () => {
      const [here, there] = [await side(own), await side(other)]
      const { refresh_token } = here.person
      for (const path of ['refresh', 'logout']) {
        const reply = await post(path, there.site.headers, { refresh_token })
        const nonsense = await post(path, there.site.headers, { refresh_token: `rt_${'A'.repeat(43)}` })
        assert.equal(reply.statusCode, 401)
        assert.deepEqual(withoutId(reply.body), withoutId(nonsense.body))
      }
      assert.equal((await post('revoke', there.site.headers, { token: refresh_token })).statusCode, 200)
      assert.equal(
        (await post('refresh', here.site.headers, { refresh_token })).statusCode,
        200,
        'and not spent',
      )
    })

    test(`${other} does not know its access tokens`, async () => {
      const [here, there] = [await side(own), await side(other)]
      const { access_token } = here.person
      const told = await post('introspect', there.site.headers, { token: access_token })
      assert.deepEqual(told.json(), { active: false })
      const bearer = { ...there.site.headers, authorization: `Bearer ${access_token}` }
      assert.equal((await post('logout', bearer, {})).statusCode, 401)
      assert.equal((await post('revoke', there.site.headers, { token: access_token })).statusCode, 200)
      assert.equal((await get('sessions', here.person.headers)).statusCode, 200, 'and not ended')
      const forged = { authorization: `Bearer ${relabelled(access_token, other)}` }
      assert.equal((await get('sessions', forged)).statusCode, 401)
    })

    test(`${other} does not know its mfa tokens`, async () => {
      const [here, there] = [await side(own), await side(other)]
      const totp = await giveTotp(here.person)
      const { mfa_token } = await challenge(here.person, here.site.headers)
      const ask = (token: string, { site }: Side) =>
        post('mfa/verify', site.headers, { mfa_token: token, code: totp.code() })
      const [reply, nonsense] = [await ask(mfa_token, there), await ask(`mfat_${'A'.repeat(43)}`, there)]
      assert.deepEqual([reply.statusCode, reply.json().code], [401, 'mfa_token_invalid'])
      assert.deepEqual(withoutId(reply.body), withoutId(nonsense.body))
      assert.equal((await ask(mfa_token, here)).statusCode, 200, 'at home it is good')
    })

    test(`${other} never creates its keys, nor accepts them`, async () => {
      const [here, there] = [await side(own), await side(other)]
      const prefix = { sandbox: 'sso_test_', production: 'sso_live_' }
      assert.ok(here.site.site_key.startsWith(prefix[own]) && there.site.site_key.startsWith(prefix[other]))
      const turned = here.site.site_key.replace(prefix[own], prefix[other])
      const reply = await post('introspect', { 'x-sso-site-key': turned }, { token: 'x' })
      assert.deepEqual([reply.statusCode, reply.json().code], [401, 'site_key_invalid'])
    })

    test(`a token of ${other} cannot use its ids`, async () => {
      const [here, there] = [await side(own), await side(other)]
      const { sso } = await world()
      for (const [path, random] of [
        [`users/${here.person.user_id}`, `users/${RANDOM}`],
        [`sites/${here.site.site_id}`, `sites/${RANDOM}`],
        [`sites/${here.site.site_id}/keys`, `sites/${RANDOM}/keys`],
        [`audit?site_code=${here.site.site_code}`, 'audit?site_code=no-such-site'],
      ] as const) {
        // What only ADMINs may ask is refused to a plain member before any id is looked up.
        const status = path.startsWith('users/') ? 404 : 403
        const [reply, unknown] = [
          await get(path, there.person.headers),
          await get(random, there.person.headers),
        ]
        assert.equal(reply.statusCode, status, path)
        assert.deepEqual(withoutId(reply.body), withoutId(unknown.body))
      }
      for (const [url, status] of [
        [`sessions/${here.person.session_id}`, 404],
        [`users/${here.person.user_id}/sessions`, 403],
      ] as const) {
        const headers = there.person.headers
        const reply = await sso.inject({ method: 'DELETE', url: `/api/v1/${url}`, headers })
        assert.equal(reply.statusCode, status)
      }
      assert.equal((await get('sessions', here.person.headers)).statusCode, 200)
    })
  })
