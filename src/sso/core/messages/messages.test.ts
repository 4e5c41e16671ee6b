import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { anAdmin, aSite, aUser, type Headers, homeSite, nobody, signIn } from '#testing/people.ts'
import { world } from '#testing/world.ts'
import { queueMessage } from './queue.ts'

async function list(headers: Headers, query = '') {
  const { sso } = await world()
  return sso.inject({ url: `/api/v1/messages${query}`, headers })
}
const forgot = async (email: string, headers: Headers) => {
  const { sso } = await world()
  await sso.inject({ method: 'POST', url: '/api/v1/auth/password/forgot', headers, payload: { email } })
}

/** A sandbox site and its ADMIN, a production person who manages it from the home site. */
async function aSandbox() {
  const site = await aSite({ environment: 'sandbox' })
  return { site, admin: site.owner, query: `?site_code=${site.site_code}` }
}

const withoutId = (body = '{}') => ({ ...(JSON.parse(body) as object), request_id: undefined })

describe('GET /api/v1/messages', () => {
  test('shows a sandbox site its mail newest first, with working links', async () => {
    const { site, admin, query } = await aSandbox()
    const [anna, ben] = [await aUser({ at: site }), await aUser({ at: site })]
    await forgot(anna.email, site.headers)
    const reply = await list(admin.headers, query)
    assert.equal(reply.statusCode, 200, reply.body)
    const { items, ...envelope } = reply.json()
    assert.deepEqual(envelope, { total: 3, page: 1, per_page: 20, pages: 1, next_cursor: null })
    assert.deepEqual(
      items.map(({ kind, recipient }: Record<string, string>) => [kind, recipient]),
      [
        ['password_reset', anna.email],
        ['email_verification', ben.email],
        ['email_verification', anna.email],
      ],
    )
    const [first] = items
    assert.deepEqual(
      [first.site_code, first.user_id, first.channel, first.status, first.subject],
      [site.site_code, anna.user_id, 'email', 'logged', 'Choose a new password'],
    )
    const token = /#token=(\S+)/.exec(first.text)?.[1]
    const { sso } = await world()
    const reset = await sso.inject({
      method: 'POST',
      url: '/api/v1/auth/password/reset',
      headers: site.headers,
      payload: { token, password: 'another staple 9' },
    })
    assert.equal(reset.statusCode, 204)
    await signIn({ email: anna.email, password: 'another staple 9' }, { at: site })
  })

  test('is never sent: there is no job', async () => {
    const { site } = await aSandbox()
    const anna = await aUser({ at: site })
    const { db } = await world()
    const rows = await db.pool<{ status: string; job_id: string | null }[]>`
      select status, job_id from sso.messages where user_id = ${anna.user_id}`
    assert.deepEqual([...rows], [{ status: 'logged', job_id: null }])
  })

  test('pages messages of one address in any case', async () => {
    const { site, admin, query } = await aSandbox()
    const [anna] = [await aUser({ at: site }), await aUser({ at: site })]
    await forgot(anna.email, site.headers)
    const found = (await list(admin.headers, `${query}&recipient=${anna.email.toUpperCase()}`)).json()
    assert.equal(found.total, 2)
    assert.ok(found.items.every(({ recipient }: { recipient: string }) => recipient === anna.email))
    const seen = []
    for (const page of [1, 2, 3, 4])
      seen.push(...(await list(admin.headers, `${query}&per_page=1&page=${page}`)).json().items)
    assert.equal(new Set(seen.map(({ message_id }) => message_id)).size, 3)
    assert.equal((await list(admin.headers, `${query}&per_page=101`)).statusCode, 422)
  })

  test('hides content for a person of another partner too', async () => {
    const [ours, theirs] = [await aSandbox(), await aSandbox()]
    const anna = await aUser({ at: theirs.site })
    await forgot(anna.email, ours.site.headers)
    assert.equal(
      (await list(ours.admin.headers, ours.query)).json().total,
      0,
      'not even that there is an account',
    )
    await signIn(anna, { at: ours.site })
    const [message] = (await list(ours.admin.headers, ours.query)).json().items
    assert.deepEqual([message.kind, message.subject, message.text], ['password_reset', null, null])
  })

  test('hides links and codes, and production content from sandbox ADMINs', async () => {
    const { site, admin, query } = await aSandbox()
    const { db, parts } = await world()
    const tester = await aUser({ at: site })
    await db.pool`
      update sso.memberships set role = 'ADMIN' where user_id = ${tester.user_id} and site_id = ${site.site_id}`
    await db.transaction((tx) =>
      queueMessage(tx, parts, {
        environment: 'sandbox',
        site_id: site.site_id,
        user_id: admin.user_id,
        channel: 'email',
        kind: 'deletion_untold_notice',
        recipient: admin.email,
        subject: 'A notice',
        text: 'without a link',
      }),
    )
    const seenBy = async (headers: Headers) => {
      const { items, total } = (await list(headers, query)).json()
      return [total, ...items.map(({ kind, text }: Record<string, string>) => [kind, text !== null])]
    }
    const own = ['email_verification', true]
    assert.deepEqual(await seenBy(admin.headers), [2, ['deletion_untold_notice', true], own])
    assert.deepEqual(await seenBy(tester.headers), [1, own])
  })

  test('is closed for a production site', async () => {
    const admin = await anAdmin()
    const reply = await list(admin.headers)
    assert.deepEqual([reply.statusCode, reply.json().code], [403, 'sandbox_only'])
  })

  test('answers 403 to members and 404 to everybody else', async () => {
    const { site, query } = await aSandbox()
    const member = await aUser({ at: site })
    assert.equal((await list(member.headers, query)).statusCode, 403)
    const stranger = await aUser()
    assert.equal((await list(stranger.headers, query)).statusCode, 404)
    const other = await aSandbox()
    const foreign = await list(other.admin.headers, query)
    const unknown = await list(other.admin.headers, '?site_code=no-such-site')
    assert.equal(foreign.statusCode, 404)
    assert.deepEqual(withoutId(foreign.body), withoutId(unknown.body))
  })

  test('needs an access token', async () => {
    for (const headers of [(await nobody()).headers, (await homeSite()).headers])
      assert.equal((await list(headers)).statusCode, 401)
  })
})
