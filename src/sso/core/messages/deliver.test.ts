import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { pino } from 'pino'
import { one } from '#foundation/database/database.ts'
import { makeCertificate } from '#testing/certificate.ts'
import { eventually } from '#testing/eventually.ts'
import { mailsTo } from '#testing/mail.ts'
import { smtpRefusal, startMailServer } from '#testing/mail-server.ts'
import { homeSite } from '#testing/people.ts'
import { answers, startReceiver } from '#testing/receiver.ts'
import { buildWorld, type World } from '#testing/world.ts'
import { startRunner } from '#foundation/jobs/runner.ts'
import { openDelivery, releaseWaitingMail } from './deliver.ts'
import { emailHealth } from './health.ts'
import { type Message, queueMessage } from './queue.ts'

const address = (name: string) => `${name}.${randomBytes(5).toString('hex')}@${name}.example.org`

const account = { user: 'lyceum', pass: 'p@ss word/1' }
const { key, cert } = makeCertificate(['localhost'])
let server: Awaited<ReturnType<typeof startMailServer>>
let lyceum: World
/** What the server says to a mail that has arrived; by recipient, once each. */
const surprises = new Map<string, () => Promise<void> | void>()

before(async () => {
  server = await startMailServer({
    judge: async ({ to }) => {
      const surprise = surprises.get(to)
      surprises.delete(to)
      await surprise?.()
    },
    judgeRecipient: (to) => {
      if (to.startsWith('unknown')) throw smtpRefusal(550, `no such mailbox ${to}`)
    },
  })
  lyceum = await buildWorld({
    env: { SMTP_URL: server.url, SSO_URL: 'https://id.lyceum.example', SSO_RATE_LIMIT_AUTH: '0' },
  })
  await lyceum.startJobs()
})
/** What a failed test left running. */
const open = new Set<() => Promise<unknown>>()
after(async () => {
  await Promise.all([...open].map((close) => close()))
  await server.close()
})

async function register(email: string, at: World = lyceum): Promise<string> {
  const reply = await at.sso.inject({
    method: 'POST',
    url: '/api/v1/auth/register',
    headers: (await homeSite(at)).headers,
    payload: { email, password: 'battery staple 7' },
  })
  assert.equal(reply.statusCode, 201, reply.body)
  return reply.json().user_id
}

type Row = {
  message_id: string
  status: string
  failure: string | null
  has_words: boolean
  state: string
  attempts: number
}

const rowOf = async (recipient: string, { db }: World = lyceum) =>
  one(
    await db.pool<Row[]>`
      select m.message_id, m.status, m.failure, m.body_enc is not null as has_words, j.state, j.attempts
        from sso.messages m join foundation.jobs j using (job_id) where m.recipient = ${recipient}`,
  )

const until = (recipient: string, holds: (row: Row) => boolean, at: World = lyceum) =>
  eventually(() => rowOf(recipient, at), holds)

/** The next attempt is now, not after its delay. */
const hurry = (recipient: string, { db }: World = lyceum) => db.pool`
  update foundation.jobs j set run_at = clock_timestamp() from sso.messages m
   where m.job_id = j.job_id and m.recipient = ${recipient} and j.state = 'pending'`

describe('mail of a production site', () => {
  test('arrives as text and HTML, and its content is deleted', async () => {
    const to = address('anna')
    await register(to)
    const [{ mail } = assert.fail()] = await server.wants(to, 1)
    assert.equal(mail.from?.address, 'no-reply@id.lyceum.example')
    assert.equal(mail.from?.name, 'Lyceum')
    assert.equal(mail.subject, 'Confirm your e-mail address')
    const [link = ''] =
      /https:\/\/id\.lyceum\.example\/verify-email#token=ott_[\w-]{43}/.exec(mail.text ?? '') ?? []
    assert.ok(link)
    assert.ok(mail.html?.includes(`<a href="${link}">${link}</a>`))
    const headers = Object.fromEntries(mail.headers.map(({ key, value }) => [key, value]))
    assert.equal(headers['auto-submitted'], 'auto-generated')
    const row = await until(to, ({ status }) => status === 'sent')
    assert.equal(mail.messageId, `<${row.message_id}@id.lyceum.example>`)
    assert.deepEqual([row.has_words, row.state, row.failure], [false, 'done', null])
  })

  test('retries after 451 under the same Message-ID', async () => {
    const to = address('greylisted')
    surprises.set(to, () => {
      throw smtpRefusal(451, 'come back later')
    })
    await register(to)
    const waiting = await until(to, ({ failure }) => failure !== null)
    assert.deepEqual(
      [waiting.status, waiting.failure, waiting.has_words, waiting.state],
      ['queued', 'smtp_451', true, 'pending'],
    )
    await hurry(to)
    const mails = await server.wants(to, 2)
    assert.equal(new Set(mails.map(({ mail }) => mail.messageId)).size, 1)
    const sent = await until(to, ({ status }) => status === 'sent')
    assert.deepEqual([sent.failure, sent.attempts], [null, 2])
  })

  test('fails at once after 550, without storing the quoted address', async () => {
    const to = address('unknown')
    await register(to)
    const row = await until(to, ({ status }) => status === 'failed')
    assert.deepEqual([row.failure, row.has_words, row.state, row.attempts], ['smtp_550', false, 'done', 1])
    assert.equal(server.to(to).length, 0)
  })

  test('repeats under its Message-ID when success could not be recorded', async () => {
    const to = address('crash')
    // As if this process had died after the server said yes and another had claimed the job.
    surprises.set(to, async () => {
      await lyceum.db.pool`
        update foundation.jobs j set lease_token = gen_random_uuid(), lease_until = clock_timestamp() from sso.messages m
         where m.job_id = j.job_id and m.recipient = ${to}`
    })
    await register(to)
    const mails = await server.wants(to, 2)
    assert.equal(new Set(mails.map(({ mail }) => mail.messageId)).size, 1)
    const row = await until(to, ({ status }) => status === 'sent')
    assert.equal(row.attempts, 1)
  })

  test('expires after seven days of waiting', async () => {
    const to = address('late')
    surprises.set(to, () => {
      throw smtpRefusal(451, 'come back later')
    })
    await register(to)
    await until(to, ({ failure }) => failure !== null)
    await lyceum.db.pool`
      update sso.messages set created_at = clock_timestamp() - interval '7 days 1 second' where recipient = ${to}`
    await hurry(to)
    const row = await until(to, ({ status }) => status === 'failed')
    assert.deepEqual([row.failure, row.has_words, row.state], ['too_old', false, 'done'])
    assert.equal(server.to(to).length, 1)
  })

  test('to a deleted person is not sent, and its job ends', async () => {
    const to = address('gone')
    const job_id = await lyceum.db.transaction(async (tx) => {
      const { user_id } = one(await tx<{ user_id: string }[]>`select user_id from sso.users limit 1`)
      const message_id = await queueMessage(tx, lyceum.parts, { ...letter(to), user_id })
      const rows = await tx<{ job_id: string }[]>`
        delete from sso.messages where message_id = ${message_id} returning job_id`
      return one(rows).job_id
    })
    await eventually(
      () => stateOf(job_id),
      (state) => state === 'done',
    )
    assert.equal(server.to(to).length, 0)
  })

  test('of a rolled back transaction never leaves', async () => {
    const to = address('rolledback')
    let message_id = ''
    await assert.rejects(
      lyceum.db.transaction(async (tx) => {
        const { user_id } = one(await tx<{ user_id: string }[]>`select user_id from sso.users limit 1`)
        message_id = await queueMessage(tx, lyceum.parts, { ...letter(to), user_id })
        throw new Error('the fact did not happen')
      }),
    )
    assert.deepEqual(
      [...(await lyceum.db.pool`select from foundation.jobs where payload->>'message_id' = ${message_id}`)],
      [],
    )
    assert.deepEqual([...(await lyceum.db.pool`select from sso.messages where recipient = ${to}`)], [])
  })

  test('leaves no token or address in logs or tables', async () => {
    const lines: string[] = []
    const log = pino({ level: 'trace' }, { write: (line) => void lines.push(line) })
    const own = await buildWorld()
    const [to, refused] = [address('canary'), address('unknown')]
    await register(to, own)
    await register(refused, own)
    const [mail = assert.fail()] = await mailsTo(to, own)
    const config = { ...own.parts.config, SMTP_URL: server.url }
    const stop = runDelivery(own, { config, log })
    await server.wants(to, 1)
    await until(to, ({ status }) => status === 'sent', own)
    await until(refused, ({ status }) => status === 'failed', own)
    await stop()
    for (const canary of [mail.token, to, refused])
      assert.ok(!lines.join('').includes(canary), `${canary} is in the log`)
    const tables = await own.db.pool<{ name: string }[]>`
      select schemaname || '.' || tablename as name from pg_tables where schemaname in ('sso', 'foundation')`
    assert.ok(tables.length > 10)
    for (const { name } of tables) {
      const rows = await own.db.pool`
        select from ${own.db.pool(name)} as t where strpos(t::text, ${mail.token}) > 0
            or strpos(t::text, ${Buffer.from(mail.token).toString('hex')}) > 0`
      assert.equal(rows.length, 0, `${name} holds the token`)
    }
    const jobs = await own.db.pool`select from foundation.jobs j where strpos(j::text, ${to}) > 0`
    assert.equal(jobs.length, 0, 'a job holds the address')
  })
})

describe('without SMTP_URL', () => {
  test('production mail waits, and leaves once it is set', async () => {
    const own = await buildWorld()
    const to = address('patient')
    await register(to, own)
    const stopWaiting = runDelivery(own, own.parts)
    const row = await until(to, ({ failure }) => failure !== null, own)
    await stopWaiting()
    assert.deepEqual([row.status, row.failure, row.state], ['queued', 'no_mail_server', 'pending'])
    const parts = { ...own.parts, config: { ...own.parts.config, SMTP_URL: server.url } }
    await releaseWaitingMail(parts)
    const stop = runDelivery(own, parts)
    await server.wants(to, 1)
    await until(to, ({ status }) => status === 'sent', own)
    await stop()
  })

  test('mail health is degraded; with it, only while mail is late', async () => {
    const own = await buildWorld()
    await register(address('slow'), own)
    assert.deepEqual(await emailHealth(own.db, {}), {
      status: 'degraded',
      reason: 'SMTP_URL is not set, so production mail waits',
    })
    assert.deepEqual(await emailHealth(own.db, { SMTP_URL: server.url }), { status: 'operational' })
    await own.db.pool`update sso.messages set created_at = clock_timestamp() - interval '11 minutes'`
    assert.deepEqual(await emailHealth(own.db, { SMTP_URL: server.url }), {
      status: 'degraded',
      reason: 'Mail has waited for SMTP_URL for more than 10 minutes',
    })
  })
})

describe('a mail server with a password', () => {
  test('accepts a login after STARTTLS only with the right password', async () => {
    const guarded = await startMailServer({ account, server: { key, cert } })
    open.add(guarded.close)
    const own = await buildWorld()
    const to = address('guarded')
    await register(to, own)
    const as = (pass: string) =>
      `smtp://${account.user}:${encodeURIComponent(pass)}@127.0.0.1:${guarded.port}/?requireTLS=true&tls.servername=localhost&tls.ca=${encodeURIComponent(cert)}`
    const run = (pass: string) =>
      runDelivery(own, { ...own.parts, config: { ...own.parts.config, SMTP_URL: as(pass) } })
    const stopWrong = run('wrong')
    const row = await until(to, ({ failure }) => failure !== null, own)
    await stopWrong()
    assert.deepEqual([row.status, row.failure], ['queued', 'smtp_535'])
    await hurry(to, own)
    const stop = run(account.pass)
    const [mail = assert.fail()] = await guarded.wants(to, 1)
    await stop()
    assert.deepEqual([mail.isSecure, mail.user], [true, account.user])
  })

  test('gets neither password nor mail with an untrusted certificate', async () => {
    const guarded = await startMailServer({ account, server: { key, cert } })
    open.add(guarded.close)
    const own = await buildWorld()
    const to = address('stranger')
    await register(to, own)
    const url = `smtp://${account.user}:x@127.0.0.1:${guarded.port}/?requireTLS=true&tls.servername=localhost`
    const stop = runDelivery(own, { ...own.parts, config: { ...own.parts.config, SMTP_URL: url } })
    const row = await until(to, ({ failure }) => failure !== null, own)
    await stop()
    assert.equal(row.status, 'queued')
    assert.equal(guarded.received.length, 0)
  })

  test('that never greets costs five seconds and keeps the mail', async () => {
    const silent = await startReceiver(() => {})
    open.add(() => silent.close())
    const own = await buildWorld()
    const to = address('mute')
    await register(to, own)
    const stop = runDelivery(own, {
      ...own.parts,
      config: { ...own.parts.config, SMTP_URL: `smtp://127.0.0.1:${silent.port}` },
    })
    const row = await until(to, ({ failure }) => failure !== null, own)
    await stop()
    assert.deepEqual([row.status, row.failure], ['queued', 'smtp_etimedout'])
  })
})

describe('an SMS', () => {
  const sms = (user_id: string): Message => ({
    ...letter('+4930123456'),
    user_id,
    channel: 'sms',
    kind: 'mfa_code',
    text: 'Your code is 123456',
  })
  const queueSms = async (own: World) => {
    const user_id = await register(address('sms'), own)
    await own.db.transaction((tx) => queueMessage(tx, own.parts, sms(user_id)))
  }

  test('is unsupported without a provider, and logs no content', async () => {
    const own = await buildWorld()
    await queueSms(own)
    const lines: string[] = []
    const log = pino({ level: 'trace' }, { write: (line) => void lines.push(line) })
    const stop = runDelivery(own, { ...own.parts, log })
    const row = await until('+4930123456', ({ status }) => status === 'failed', own)
    await stop()
    assert.deepEqual([row.failure, row.has_words, row.state], ['unsupported', false, 'done'])
    assert.ok(lines.some((line) => line.includes('an SMS was not sent')))
    assert.ok(!/4930123456|123456/.test(lines.join('').replaceAll(row.message_id, '')))
  })

  test('is not sent once its code has ended', async () => {
    const own = await buildWorld()
    await queueSms(own)
    await own.db.pool`
      update sso.messages set created_at = clock_timestamp() - interval '601 seconds' where channel = 'sms'`
    const provider = await startReceiver(answers(200))
    open.add(() => provider.close())
    const stop = runDelivery(own, {
      ...own.parts,
      config: { ...own.parts.config, SMS_URL: provider.url },
    })
    const row = await until('+4930123456', ({ status }) => status === 'failed', own)
    await stop()
    assert.deepEqual([row.failure, row.has_words, provider.requests.length], ['too_old', false, 0])
  })

  test('goes to the provider; 503 is retried, 400 is final', async () => {
    for (const [status, expected] of [
      [200, ['sent', null]],
      [503, ['queued', 'sms_503']],
      [400, ['failed', 'sms_400']],
    ] as const) {
      const own = await buildWorld()
      await queueSms(own)
      const provider = await startReceiver(answers(status))
      open.add(() => provider.close())
      const stop = runDelivery(own, {
        ...own.parts,
        config: { ...own.parts.config, SMS_URL: provider.url, SMS_TOKEN: 'sms-secret' },
      })
      const row = await until('+4930123456', (each) => each.failure !== null || each.status === 'sent', own)
      await stop()
      assert.deepEqual([row.status, row.failure], expected)
      const [request = assert.fail()] = provider.requests
      assert.equal(request.headers['authorization'], 'Bearer sms-secret')
      assert.deepEqual(JSON.parse(request.body.toString()), {
        to: '+4930123456',
        text: 'Your code is 123456',
        message_id: row.message_id,
      })
    }
  })
})

const letter = (recipient: string): Message => ({
  environment: 'production',
  site_id: null,
  user_id: '',
  channel: 'email',
  kind: 'password_changed_notice',
  recipient,
  subject: 'Subject',
  text: 'Text',
})

const stateOf = async (job_id: string) =>
  one(await lyceum.db.pool<{ state: string }[]>`select state from foundation.jobs where job_id = ${job_id}`)
    .state

/** Runs deliveries over a world with the given settings until the returned function is called. */
function runDelivery(own: World, changed: Partial<World['parts']>): () => Promise<void> {
  const delivery = openDelivery({ ...own.parts, ...changed })
  const runner = startRunner({
    db: own.db,
    log: changed.log ?? own.parts.log,
    handlers: delivery.handlers,
  })
  const stop = async () => {
    open.delete(stop)
    await runner.stop()
    await delivery.close()
  }
  open.add(stop)
  return stop
}
