import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { mailsTo } from '#testing/mail.ts'
import {
  aColleague,
  anAdmin,
  anOperator,
  aSite,
  aUser,
  type Headers,
  homeSite,
  nobody,
  type Person,
  signIn,
} from '#testing/people.ts'
import { world } from '#testing/world.ts'
import { queueMessage } from '../../core/messages/queue.ts'

const lyceum = await world()
const { sso, db } = lyceum

const list = async (headers: Headers, query: Record<string, string> = {}) =>
  sso.inject({ url: `/api/v1/admin/messages?${new URLSearchParams(query).toString()}`, headers })
async function read(headers: Headers, query?: Record<string, string>) {
  const reply = await list(headers, query)
  assert.equal(reply.statusCode, 200, reply.body)
  return reply.json() as { items: Record<string, unknown>[]; total: number; next_cursor: string | null }
}
const resend = (headers: Headers, message_id: string) =>
  sso.inject({ method: 'POST', url: `/api/v1/admin/messages/${message_id}/resend`, headers })

const sendNow = (headers: Headers, message_id: string) =>
  sso.inject({ method: 'POST', url: `/api/v1/admin/messages/${message_id}/send-now`, headers })

/** As if an attempt had failed: the newest message to this address waits for an hour. */
async function waiting({ email }: Pick<Person, 'email'>) {
  const [row] = await db.pool<{ message_id: string }[]>`
    update foundation.jobs set run_at = now() + interval '1 hour', attempts = 1
      from (select job_id, message_id from sso.messages where recipient = ${email} order by message_id desc limit 1) m
     where jobs.job_id = m.job_id returning m.message_id`
  return row?.message_id ?? assert.fail()
}

/** As if the server of the recipient had refused the newest message to this address. */
async function failed({ email }: Pick<Person, 'email'>, changes: Record<string, unknown> = {}) {
  const [row] = await db.pool<{ message_id: string }[]>`
    update sso.messages set ${db.pool({ status: 'failed', failure: 'smtp_550', body_enc: null, ...changes })}
     where message_id = (select message_id from sso.messages where recipient = ${email} order by message_id desc limit 1)
    returning message_id`
  return row?.message_id ?? assert.fail()
}
const forgot = (email: string, headers: Headers) =>
  sso.inject({ method: 'POST', url: '/api/v1/auth/password/forgot', headers, payload: { email } })

describe('GET /api/v1/admin/messages', () => {
  test('shows an ADMIN the mail to members of their site, never its words', async () => {
    const [admin, other] = [await anAdmin(), await anAdmin()]
    const [anna, ben] = [await aColleague(admin), await aColleague(other)]
    const { items, total } = await read(admin.headers)
    assert.equal(total, 1)
    const [message = assert.fail()] = items
    const [{ token } = assert.fail()] = await mailsTo(anna.email)
    assert.deepEqual(
      [message['kind'], message['recipient'], message['status'], message['site_code'], message['attempts']],
      ['email_verification', anna.email, 'queued', admin.site_code, 0],
    )
    const text = JSON.stringify(items)
    assert.ok(token.length > 40 && !text.includes(token) && !text.includes(ben.email))
    assert.deepEqual([message['subject'], message['text']], [null, null])
  })

  test('hides from an ADMIN who else has an account, and other addresses of members', async () => {
    const [admin, operator] = [await anAdmin(), await anOperator()]
    const stranger = await aUser()
    await forgot(stranger.email, admin.site.headers)
    assert.equal((await read(admin.headers, { recipient: stranger.email })).total, 0)
    assert.ok((await read(operator.headers, { recipient: stranger.email })).total > 0)
    const anna = await aColleague(admin)
    await db.pool`update sso.messages set recipient = 'secret@example.org' where recipient = ${anna.email}`
    assert.equal((await read(admin.headers)).items[0]?.['recipient'], null)
    assert.equal((await read(admin.headers, { recipient: 'secret@example.org' })).total, 0)
  })

  test('filters by state, kind, recipient in any case, site and id', async () => {
    const [admin, operator] = [await anAdmin(), await anOperator()]
    const [anna, ben] = [await aColleague(admin), await aColleague(admin)]
    await forgot(anna.email, admin.site.headers)
    const message_id = await failed(ben)
    const of = async (query: Record<string, string>) =>
      (await read(operator.headers, { site_code: admin.site_code, ...query })).items.map(
        (each) => each['kind'],
      )
    assert.deepEqual(await of({}), ['password_reset', 'email_verification', 'email_verification'])
    assert.deepEqual(await of({ kind: 'password_reset' }), ['password_reset'])
    assert.deepEqual(await of({ recipient: anna.email.toUpperCase() }), [
      'password_reset',
      'email_verification',
    ])
    assert.deepEqual(await of({ status: 'failed' }), ['email_verification'])
    assert.deepEqual(await of({ message_id }), ['email_verification'])
    assert.deepEqual(await of({ status: 'sent' }), [])
    assert.equal((await list(operator.headers, { status: 'lost' })).statusCode, 422)
    assert.equal((await list(operator.headers, { message_id: 'x' })).statusCode, 422)
  })

  test('shows the sandbox too, and a token of the sandbox no people of production', async () => {
    const { owner, ...site } = await aSite({ environment: 'sandbox' })
    const tester = await aUser({ at: site })
    await db.pool`
      update sso.memberships set role = 'ADMIN' where user_id = ${tester.user_id} and site_id = ${site.site_id}`
    await db.transaction((tx) =>
      queueMessage(tx, lyceum.parts, {
        environment: 'sandbox',
        site_id: site.site_id,
        user_id: owner.user_id,
        channel: 'email',
        kind: 'sign_up',
        recipient: owner.email,
        subject: 'Secret of production',
        text: 'canary',
      }),
    )
    const { site_code } = site
    assert.equal((await read(owner.headers, { site_code })).total, 2)
    const { items } = await read(tester.headers)
    assert.deepEqual(
      items.map((each) => [each['status'], each['user_id'], each['may_resend'], each['subject']]),
      [['logged', tester.user_id, false, 'Confirm your e-mail address']],
    )
  })

  test('is 401 without a token, 403 for members, 404 for strangers', async () => {
    const admin = await anAdmin()
    const [member, stranger] = [await aColleague(admin), await anAdmin()]
    for (const { headers } of [await nobody(), await homeSite()])
      assert.equal((await list(headers)).statusCode, 401)
    assert.equal((await list(member.headers)).statusCode, 403)
    const foreign = await list(stranger.headers, { site_code: admin.site_code })
    assert.ok([403, 404].includes(foreign.statusCode))
    assert.equal((await read(stranger.headers)).total, 0)
  })
})

describe('POST /api/v1/admin/messages/{message_id}/resend', () => {
  test('writes a failed letter anew with a link that works, once for fifty clicks', async () => {
    const [admin, operator] = [await anAdmin(), await anOperator()]
    const anna = await aColleague(admin)
    const message_id = await failed(anna)
    const replies = await Promise.all(Array.from({ length: 50 }, () => resend(operator.headers, message_id)))
    const sent = new Set(replies.map((reply) => reply.json().message_id as string))
    assert.deepEqual([new Set(replies.map(({ statusCode }) => statusCode)), sent.size], [new Set([202]), 1])
    const mails = await mailsTo(anna.email)
    assert.deepEqual(
      mails.map((mail) => [mail.message_id, mail.kind, mail.status]),
      [[[...sent][0], 'email_verification', 'queued']],
    )
    const verified = await sso.inject({
      method: 'POST',
      url: '/api/v1/auth/email/verify',
      headers: admin.site.headers,
      payload: { token: mails[0]?.token, password: anna.password },
    })
    assert.equal(verified.statusCode, 200, verified.body)
    const lines = await db.pool`
      select actor_user_id, subject_user_id, details from sso.audit_log
       where action = 'message.resent' and site_id = ${admin.site.site_id}`
    assert.deepEqual(
      [...lines],
      [
        {
          actor_user_id: operator.user_id,
          subject_user_id: anna.user_id,
          details: { message_id, kind: 'email_verification', resent_as: [...sent][0] },
        },
      ],
    )
    const [, old] = (await read(admin.headers)).items
    assert.deepEqual(
      [old?.['message_id'], old?.['resent_as'], old?.['may_resend']],
      [message_id, [...sent][0], false],
    )
  })

  test('sends notices and invitations to the members of an own site', async () => {
    const admin = await anAdmin()
    const ben = await aColleague(admin)
    for (const kind of ['invitation', 'password_changed_notice']) {
      const message_id = await failed(ben, { kind })
      assert.equal((await resend(admin.headers, message_id)).statusCode, 202)
      const mail = (await mailsTo(ben.email)).at(-1)
      assert.deepEqual([mail?.kind, mail?.text.includes(admin.site_code)], [kind, true])
    }
  })

  test('refuses what did not fail, has gone stale or held a code', async () => {
    const admin = await anAdmin()
    const anna = await aColleague(admin)
    const [{ message_id } = assert.fail()] = await mailsTo(anna.email)
    const isRefused = async () => {
      const reply = await resend(admin.headers, message_id)
      assert.deepEqual([reply.statusCode, reply.json().code], [409, 'not_repeatable'])
    }
    await isRefused()
    await failed(anna, { kind: 'mfa_code', channel: 'sms' })
    await isRefused()
    await failed(anna, { kind: 'email_verification', channel: 'email' })
    await db.pool`update sso.users set email_proven_at = now() where user_id = ${anna.user_id}`
    await isRefused()
    await db.pool`
      update sso.users set email_proven_at = null, email = 'x' || email, email_fold = 'x' || email_fold
       where user_id = ${anna.user_id}`
    await isRefused()
    const [{ lines } = assert.fail()] = await db.pool<{ lines: number }[]>`
      select count(*) as lines from sso.audit_log where action = 'message.resent' and site_id = ${admin.site.site_id}`
    assert.equal(lines, 0)
  })

  test('is 404 for the ADMIN of another site, 403 for members, 401 without a token', async () => {
    const [admin, other] = [await anAdmin(), await anAdmin()]
    const anna = await aColleague(admin)
    const message_id = await failed(anna)
    assert.equal((await resend(other.headers, message_id)).statusCode, 404)
    assert.equal((await resend(other.headers, crypto.randomUUID())).statusCode, 404)
    assert.equal((await resend(anna.headers, message_id)).statusCode, 403)
    assert.equal((await resend((await nobody()).headers, message_id)).statusCode, 401)
    assert.equal((await mailsTo(anna.email)).length, 0)
    assert.equal(
      (await resend((await signIn(admin)).headers, message_id)).statusCode,
      202,
      'from a site of ours',
    )
  })
})

describe('POST /api/v1/admin/messages/{message_id}/send-now', () => {
  const waitsUntil = async (message_id: string) => {
    const [row] = await db.pool<{ run_at: string }[]>`
      select j.run_at from foundation.jobs j join sso.messages m using (job_id) where m.message_id = ${message_id}`
    return Date.parse(row?.run_at ?? assert.fail())
  }
  const linesOf = (admin: { site: { site_id: string } }) => db.pool`
    select actor_user_id, subject_user_id, details from sso.audit_log
     where action = 'message.hurried' and site_id = ${admin.site.site_id}`

  test('makes a waiting letter due, with one audit line for fifty clicks', async () => {
    const [admin, operator] = [await anAdmin(), await anOperator()]
    const anna = await aColleague(admin)
    const message_id = await waiting(anna)
    const replies = await Promise.all(Array.from({ length: 50 }, () => sendNow(operator.headers, message_id)))
    assert.deepEqual(new Set(replies.map(({ statusCode }) => statusCode)), new Set([202]))
    assert.deepEqual(replies[0]?.json(), { message_id })
    assert.ok((await waitsUntil(message_id)) <= Date.now() + 1_000)
    assert.deepEqual(
      [...(await linesOf(admin))],
      [
        {
          actor_user_id: operator.user_id,
          subject_user_id: anna.user_id,
          details: { message_id, kind: 'email_verification' },
        },
      ],
    )
  })

  test('leaves an attempt under way alone', async () => {
    const admin = await anAdmin()
    const message_id = await waiting(await aColleague(admin))
    await db.pool`
      update foundation.jobs set lease_token = ${crypto.randomUUID()}, lease_until = now() + interval '1 minute'
       where job_id = (select job_id from sso.messages where message_id = ${message_id})`
    assert.equal((await sendNow(admin.headers, message_id)).statusCode, 202)
    assert.ok((await waitsUntil(message_id)) > Date.now() + 60_000)
    assert.equal((await linesOf(admin)).length, 0)
  })

  test('refuses what was sent, failed or is kept in the sandbox', async () => {
    const admin = await anAdmin()
    const ben = await aColleague(admin)
    const { owner, ...site } = await aSite({ environment: 'sandbox' })
    const tester = await aUser({ at: site })
    const [kept = assert.fail()] = await mailsTo(tester.email)
    for (const [headers, message_id] of [
      [admin.headers, await failed(ben)],
      [admin.headers, await failed(ben, { status: 'sent', failure: null })],
      [owner.headers, kept.message_id],
    ] as const) {
      const reply = await sendNow(headers, message_id)
      assert.deepEqual([reply.statusCode, reply.json().code], [409, 'not_waiting'])
    }
  })

  test('is 404 for the ADMIN of another site, 403 for members, 401 without a token', async () => {
    const [admin, other] = [await anAdmin(), await anAdmin()]
    const anna = await aColleague(admin)
    const message_id = await waiting(anna)
    assert.equal((await sendNow(other.headers, message_id)).statusCode, 404)
    assert.equal((await sendNow(admin.headers, crypto.randomUUID())).statusCode, 404)
    assert.equal((await sendNow(anna.headers, message_id)).statusCode, 403)
    assert.equal((await sendNow((await nobody()).headers, message_id)).statusCode, 401)
    assert.equal((await sendNow(admin.headers, 'x')).statusCode, 404)
    assert.ok((await waitsUntil(message_id)) > Date.now() + 60_000)
  })
})
