import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { aColleague, anAdmin, anOperator, type Headers } from '#testing/people.ts'
import { world } from '#testing/world.ts'

const { sso, db } = await world()

const ask = (headers: Headers, query: Record<string, string>) =>
  sso.inject({ url: `/api/v1/audit/export?${new URLSearchParams(query).toString()}`, headers })

const write = ({ site_id }: { site_id: string }, count: number, details: object = {}) =>
  db.pool`
    insert into sso.audit_log (audit_id, action, environment, site_id, details)
    select gen_random_uuid(), 'login.failed', 'production', ${site_id}, ${db.pool.json(details as never)}
      from generate_series(1, ${count})`

describe('GET /api/v1/audit/export', () => {
  test('writes every entry once as JSON Lines, newest first, filtered like the list', async () => {
    const [admin, other] = [await anAdmin(), await anAdmin()]
    await write(admin.site, 2_500)
    await write(other.site, 1)
    const reply = await ask(admin.headers, { format: 'jsonl', action: 'login.failed' })
    assert.equal(reply.headers['content-type'], 'application/jsonl; charset=utf-8')
    assert.equal(reply.headers['content-disposition'], 'attachment; filename="audit.jsonl"')
    const lines = reply.body
      .trimEnd()
      .split('\n')
      .map((line): Record<string, string> => JSON.parse(line))
    assert.equal(new Set(lines.map((line) => line['audit_id'])).size, 2_500)
    assert.ok(
      lines.every(({ action, site_code }) => action === 'login.failed' && site_code === admin.site_code),
    )
    const times = lines.map((line) => line['occurred_at'] ?? '')
    assert.deepEqual(times, times.toSorted().toReversed())
    const none = await ask(admin.headers, { format: 'jsonl', action: 'no.such' })
    assert.deepEqual([none.statusCode, none.body], [200, ''])
  })

  test('writes a CSV whose cells start no formula', async () => {
    const admin = await anAdmin()
    await db.pool`
      update sso.audit_log set user_agent = '=cmd|x', details = ${db.pool.json({ a: 'b,"c"' })}
       where site_id = ${admin.site.site_id} and action = 'site.created'`
    const { body, headers } = await ask(admin.headers, { format: 'csv', action: 'site.created' })
    assert.equal(headers['content-type'], 'text/csv; charset=utf-8')
    const [header, line, end] = body.split('\r\n')
    assert.equal(
      header,
      'audit_id,occurred_at,action,site_code,actor_user_id,subject_user_id,ip_address,user_agent,details',
    )
    assert.ok(line?.endsWith(`,'=cmd|x,"{""a"":""b,\\""c\\""""}"`), line)
    assert.equal(end, '')
  })

  test('refuses more than a hundred thousand entries instead of leaving some out', async () => {
    const admin = await anAdmin()
    await write(admin.site, 100_001)
    const reply = await ask(admin.headers, { format: 'csv', action: 'login.failed' })
    assert.deepEqual([reply.statusCode, reply.json().errors[0].code], [422, 'too_many'])
    const since = new Date(Date.now() + 60_000).toISOString()
    const narrowed = await ask(admin.headers, { format: 'csv', action: 'login.failed', since })
    assert.equal(narrowed.statusCode, 200)
  })

  test('is for ADMINs of the site: 401, 403 for members, 404 otherwise, 422 for other formats', async () => {
    const [admin, stranger] = [await anAdmin(), await anAdmin()]
    const member = await aColleague(admin)
    const { site_code } = admin.site
    for (const [headers, status] of [
      [{}, 401],
      [member.headers, 403],
      [stranger.headers, 404],
    ] as const)
      assert.equal((await ask(headers, { site_code, format: 'csv' })).statusCode, status)
    for (const format of ['xml', ''])
      assert.equal((await ask(admin.headers, { format })).statusCode, 422, format)
    const operator = await anOperator()
    assert.equal((await ask(operator.headers, { site_code, format: 'jsonl' })).statusCode, 200)
  })
})
