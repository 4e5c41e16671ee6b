import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { ApiError } from '#foundation/errors.ts'
import { newId } from '#foundation/ids.ts'
import { aColleague, anAdmin, anOperator, aUser, type Person } from '#testing/people.ts'
import { world } from '#testing/world.ts'
import { MESSAGE_KINDS, type MessageKind, queueMessage } from './queue.ts'
import { MOST_MAILS } from './turns.ts'

const lyceum = await world()
const { sso, db } = lyceum

const aMailbox = () => `mailbox-${newId()}@example.org`

/** When each mail to the address leaves, in seconds after the first, and how many leave never. */
async function mailsOf(address: string) {
  const rows = await db.pool<{ at: number | null; failure: string | null; has_words: boolean }[]>`
    select extract(epoch from j.run_at - min(j.run_at) over ())::float as at, m.failure,
           m.body_enc is not null as has_words
      from sso.messages m left join foundation.jobs j using (job_id)
     where lower(m.recipient) = lower(${address}) order by j.run_at, m.message_id`
  return {
    turns: rows.flatMap(({ at }) => (at === null ? [] : [at])),
    left_out: rows.filter(({ at }) => at === null),
  }
}

function assertAMinuteApart(turns: readonly number[], what: string) {
  for (const [i, at] of turns.slice(1).entries())
    assert.ok(at - (turns[i] ?? 0) >= 59.99, `${what}: ${turns.join(', ')}`)
}

const write = (person: Pick<Person, 'user_id'>, recipient: string, kind: MessageKind) =>
  db.transaction((tx) =>
    queueMessage(tx, lyceum.parts, {
      environment: 'production',
      site_id: null,
      user_id: person.user_id,
      channel: 'email',
      kind,
      recipient,
      subject: 'A subject',
      text: 'A text',
    }),
  )

describe('mails to one address', () => {
  for (const kind of MESSAGE_KINDS.filter((each) => each !== 'mfa_code'))
    test(`leave one a minute and up to the daily bound, whoever has them written: ${kind}`, async () => {
      const address = aMailbox()
      const people = [await aUser(), await aUser()]
      const most = kind === 'learning_letter' ? 50 : MOST_MAILS.unproven
      await Promise.all(
        Array.from({ length: most + 3 }, (_, i) =>
          write(people[i % 2] ?? assert.fail(), i % 3 === 0 ? address.toUpperCase() : address, kind),
        ),
      )
      const { turns, left_out } = await mailsOf(address)
      assert.equal(turns.length, most)
      assertAMinuteApart(turns, kind)
      assert.deepEqual(
        left_out.map(({ failure, has_words }) => [failure, has_words]),
        Array.from({ length: 3 }, () => ['too_many', false]),
      )
    })

  test('are counted over all kinds where nobody has proven it', async () => {
    const [person, address] = [await aUser(), aMailbox()]
    for (const kind of ['invitation', 'email_verification', 'email_changed_notice'] as const)
      await write(person, address, kind)
    const { turns } = await mailsOf(address)
    assert.equal(turns.length, 3)
    assertAMinuteApart(turns, 'three kinds')
  })

  test('keep no warning waiting for what anybody may ask for, at their owner’s', async () => {
    const anna = await aUser()
    await db.pool`update sso.users set email_proven_at = clock_timestamp() where user_id = ${anna.user_id}`
    for (let mail = 0; mail < 5; mail++) await write(anna, anna.email, 'password_reset')
    await write(anna, anna.email, 'password_changed_notice')
    const [row] = await db.pool<{ waits: boolean }[]>`
      select j.run_at > clock_timestamp() as waits from sso.messages m join foundation.jobs j using (job_id)
       where m.recipient = ${anna.email} and m.kind = 'password_changed_notice'`
    assert.equal(row?.waits, false)
  })

  test('with codes leave one a minute too, and over the daily bound the sign-in is told', async () => {
    const anna = await aUser()
    const codes = Array.from({ length: 51 }, () => write(anna, anna.email, 'mfa_code'))
    const refused = (await Promise.allSettled(codes)).flatMap((code) =>
      code.status === 'rejected' ? [code.reason as ApiError] : [],
    )
    assert.deepEqual(
      refused.map(({ status, code }) => [status, code]),
      [[429, 'too_many_attempts']],
    )
    const rows = await db.pool<{ at: number }[]>`
      select extract(epoch from j.run_at - min(j.run_at) over ())::float as at
        from sso.messages m join foundation.jobs j using (job_id)
       where m.recipient = ${anna.email} and m.kind = 'mfa_code' order by j.run_at`
    assert.equal(rows.length, 50)
    assertAMinuteApart(
      rows.map(({ at }) => at),
      'codes',
    )
  })
})

describe('an ADMIN', () => {
  const call = (
    method: 'POST' | 'PATCH' | 'DELETE',
    url: string,
    { headers }: Pick<Person, 'headers'>,
    payload: object,
  ) => sso.inject({ method, url: `/api/v1/users${url}`, headers, payload })

  test('floods no stranger by moving somebody to their address and back', async () => {
    const [admin, stranger] = [await anAdmin(), aMailbox()]
    const dummy = await aColleague(admin)
    for (let round = 0; round < 10; round++)
      for (const email of [stranger, aMailbox()])
        assert.equal((await call('PATCH', `/${dummy.user_id}`, admin, { email })).statusCode, 200)
    const { turns, left_out } = await mailsOf(stranger)
    assertAMinuteApart(turns, 'moved')
    assert.deepEqual([turns.length, left_out.length], [MOST_MAILS.unproven, 20 - MOST_MAILS.unproven])
  })

  test('floods no stranger by making and erasing people', async () => {
    const [admin, operator, stranger] = [await anAdmin(), await anOperator(), aMailbox()]
    for (let round = 0; round < MOST_MAILS.unproven + 2; round++) {
      const made = await call('POST', '', admin, { email: stranger })
      assert.equal(made.statusCode, 201, made.body)
      // Their messages go with the people, so each round is looked at by itself.
      const { turns, left_out } = await mailsOf(stranger)
      assert.deepEqual([turns.length, left_out.length], round < MOST_MAILS.unproven ? [1, 0] : [0, 1])
      const [job] = await db.pool<{ wait: number }[]>`
        select extract(epoch from j.run_at - clock_timestamp())::float as wait
          from sso.messages m join foundation.jobs j using (job_id) where m.recipient = ${stranger}`
      assert.ok(!job || job.wait > 59 * round - 1, `${round}: ${job?.wait}`)
      assert.equal((await call('DELETE', `/${made.json().user_id}`, operator, {})).statusCode, 204)
    }
  })

  test('hurries no mail that waits for its turn', async () => {
    const [admin, operator] = [await anAdmin(), await anOperator()]
    const dummy = await aColleague(admin)
    const message_id = await write(dummy, dummy.email, 'email_changed_notice')
    const turnOf = async () => {
      const [job] = await db.pool<{ run_at: string }[]>`
        select j.run_at from sso.messages m join foundation.jobs j using (job_id) where m.message_id = ${message_id}`
      return job?.run_at ?? assert.fail()
    }
    const before = await turnOf()
    const url = `/api/v1/admin/messages/${message_id}/send-now`
    assert.equal((await sso.inject({ method: 'POST', url, headers: operator.headers })).statusCode, 202)
    assert.equal(await turnOf(), before)
  })
})
