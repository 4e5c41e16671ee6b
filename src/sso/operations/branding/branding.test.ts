import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { anAdmin, anOperator, aUser, nobody } from '#testing/people.ts'
import { buildWorld } from '#testing/world.ts'

const lyceum = await buildWorld()
const { sso, db } = lyceum
const URL = '/api/v1/admin/branding'
const OURS = { name: 'Lyceum', logo_url: null, color: null }
const THEIRS = {
  name: 'Abendschule <b>Köln</b>',
  logo_url: 'https://cdn.example.org/a.svg?v=1',
  color: '#7A1FA2',
}

const operator = await anOperator(lyceum)
const put = (
  payload: object,
  { headers }: { headers: Record<string, string> } = operator,
  version?: number,
) =>
  sso.inject({
    method: 'PUT',
    url: URL,
    payload,
    headers: { ...headers, ...(version !== undefined && { 'if-match': `"${version}"` }) },
  })
const signInPage = () => sso.inject({ url: '/sign-in', headers: { accept: 'text/html' } })

describe('the branding of the hosted pages', () => {
  test('is ours until an operator sets it, and then shown on sign-in and error pages', async () => {
    assert.deepEqual((await sso.inject({ url: URL, headers: operator.headers })).json(), {
      ...OURS,
      version: 0,
    })
    assert.match((await signInPage()).body, /<title>[^<]* · Lyceum<\/title>/)
    const reply = await put(THEIRS)
    assert.equal(reply.statusCode, 200, reply.body)
    assert.deepEqual(reply.json(), { ...THEIRS, color: '#7a1fa2', version: 1 })
    for (const page of [await signInPage(), await sso.inject({ url: '/sign-in?site_code=%00' })]) {
      assert.match(page.body, /<title>[^<]* · Abendschule &lt;b&gt;Köln&lt;\/b&gt;<\/title>/)
      assert.match(
        page.body,
        /<img class="logo" src="https:\/\/cdn\.example\.org\/a\.svg\?v=1" alt="Abendschule/,
      )
      assert.match(
        String(page.headers['content-security-policy']),
        /img-src 'self' https:\/\/cdn\.example\.org;/,
      )
      assert.match(page.body, /href="\/branding\.css\?color=7a1fa2"/)
    }
    const style = await sso.inject({ url: '/branding.css?color=7a1fa2' })
    assert.match(style.body, /^:root\{--accent:#7a1fa2;/)
    assert.match(String(style.headers['content-type']), /^text\/css/)
    const [{ actor_user_id, details } = assert.fail()] = await db.pool`
      select actor_user_id, details from sso.audit_log where action = 'branding.changed'`
    assert.deepEqual([actor_user_id, details.name], [operator.user_id, THEIRS.name])
  })

  test('refuses a colour that people with weak sight cannot read, and says its contrast', async () => {
    for (const color of ['#ffff00', '#8a8fa3', '#00bcd4']) {
      const reply = await put({ ...THEIRS, color })
      assert.equal(reply.statusCode, 422)
      assert.match(reply.body, /"field":"color"[^}]*contrast of \d/)
    }
  })

  test('refuses addresses that would open the policy of the pages, and blank names', async () => {
    for (const logo_url of [
      'http://cdn.example.org/a.svg',
      "https://a.example;script-src 'unsafe-inline'/x",
      'https://a.example,b/x',
      'https://user@a.example/x',
      'javascript:alert(1)',
      'https://a.example/"onerror=x',
    ])
      assert.equal((await put({ ...THEIRS, logo_url })).statusCode, 422, logo_url)
    for (const name of ['', '   ', 'x'.repeat(61)])
      assert.ok([400, 422].includes((await put({ ...THEIRS, name })).statusCode), name)
    for (const color of ['red', '#12345', '#12345g;}'])
      assert.equal((await put({ ...THEIRS, color })).statusCode, 422, color)
    for (const color of ['zzzzzz', '12345', '7a1fa2%7D'])
      assert.equal((await sso.inject({ url: `/branding.css?color=${color}` })).statusCode, 422)
  })

  test('is changed by one of two operators who saw the same version', async () => {
    const { version } = (await sso.inject({ url: URL, headers: operator.headers })).json()
    const replies = await Promise.all(
      Array.from({ length: 50 }, (_, i) => put({ ...THEIRS, name: `School ${i}` }, operator, version)),
    )
    assert.deepEqual(
      replies.map(({ statusCode }) => statusCode).toSorted((a, b) => a - b),
      [200, ...Array.from({ length: 49 }, () => 409)],
    )
  })

  test('is for operators alone', async () => {
    const [admin, person] = [await anAdmin({ lyceum }), await aUser({ lyceum })]
    for (const { headers } of [admin, person]) {
      assert.equal((await sso.inject({ url: URL, headers })).statusCode, 403)
      assert.equal((await put(OURS, { headers })).statusCode, 403)
    }
    assert.equal((await put(OURS, await nobody())).statusCode, 401)
  })
})
