import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { eventually } from '#testing/eventually.ts'
import { startMailServer } from '#testing/mail-server.ts'
import { aUser, type Person } from '#testing/people.ts'
import { buildWorld, type World } from '#testing/world.ts'
import { type Kind, mailSoon } from './notify.ts'
import { createUnsubscribe } from './unsubscribe.ts'

let server: Awaited<ReturnType<typeof startMailServer>>
let lyceum: World

before(async () => {
  server = await startMailServer()
  lyceum = await buildWorld({ env: { SMTP_URL: server.url, SSO_URL: 'https://id.lyceum.example' } })
  await lyceum.startJobs()
  lyceum.startLearningJobs()
})
after(() => server.close())

async function send(method: 'GET' | 'POST' | 'PUT', url: string, { headers }: Person, payload?: object) {
  const reply = await lyceum.learning.inject({ method, url, headers, ...(payload && { payload }) })
  assert.ok(reply.statusCode < 300, `${method} ${url}: ${reply.body}`)
  return reply.json()
}

/** A channel with homework, its author and a learner with a proven address, of one tenant. */
async function aCourse(locale = 'en') {
  const author = await aUser({ lyceum })
  const learner = await aUser({ lyceum })
  await lyceum.db.pool`
    update sso.users set locale = ${locale}, email_verified = true, email_proven_at = clock_timestamp()
     where user_id = ${learner.user_id}`
  const channel = await send('POST', '/api/channels', author, {
    title: 'Weaving',
    episodes: [{ title: 'One' }],
  })
  const title = 'Über <b>Knots</b> & שלום'
  const homework = await send('POST', `/api/episodes/${channel.episodes[0].id}/homework`, author, { title })
  const grade = async () => {
    const { id } = await send('POST', `/api/episodes/homework/${homework.id}/submit`, learner, { text: 'x' })
    await send('PUT', `/api/episodes/homework/submissions/${id}/grade`, author, { score: 90 })
  }
  return { author, learner, title, grade, channel_id: String(channel.id) }
}

/** The mails of learning, beside the one that asks a new person to prove their address. */
async function mailsTo({ email }: Person, count: number) {
  const mails = await server.wants(email, count + 1)
  return mails.map(({ mail }) => mail).filter(({ subject }) => subject !== 'Confirm your e-mail address')
}

async function handedOver({ tenant_id, user_id }: Person) {
  const rows = await eventually(
    () => lyceum.db.pool<{ is_to_mail: boolean }[]>`
      select is_to_mail from learning.notifications where tenant_id = ${tenant_id} and user_id = ${user_id}`,
    (all) => all.every(({ is_to_mail }) => !is_to_mail),
  )
  return rows.length
}

const pathOf = (link: string) => link.replace(/^https?:\/\/[^/]+/, '')
const wantsMail = async (person: Person, kind: Kind) =>
  (await send('GET', '/api/notifications/settings', person))[kind].by_mail

test('a grade is mailed, and one click ends the mails of its kind', async () => {
  const { learner, title, grade } = await aCourse('de')
  await grade()
  const [mail] = await mailsTo(learner, 1)
  assert.equal(mail?.subject, `Neue Note oder Rückmeldung: ${title}`)
  assert.ok(mail.text?.includes(`„${title}“ in „Weaving“`))
  assert.ok(!String(mail.html).includes('<b>Knots</b>'))
  const lines = new Map(mail.headerLines.map(({ key, line }) => [key, line.replace(/\r?\n\s+/g, '')]))
  assert.equal(lines.get('list-unsubscribe-post'), 'List-Unsubscribe-Post: List-Unsubscribe=One-Click')
  const link = /<(http[^>]+)>/.exec(lines.get('list-unsubscribe') ?? '')?.[1] ?? assert.fail()
  assert.ok(mail.text?.includes(link))

  for (const method of ['GET', 'HEAD'] as const) {
    const page = await lyceum.learning.inject({
      method,
      url: pathOf(link),
      headers: { 'accept-language': 'de' },
    })
    assert.deepEqual([page.statusCode, page.headers['cache-control']], [200, 'no-store'])
    assert.equal(page.headers['referrer-policy'], 'no-referrer')
    if (method === 'GET') assert.match(page.body, /<form method="post"/)
    assert.ok(!page.body.includes(learner.user_id) && !page.body.includes(learner.email))
  }
  assert.equal(await wantsMail(learner, 'graded'), true)

  const payload = 'List-Unsubscribe=One-Click'
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const done = await lyceum.learning.inject({ method: 'POST', url: pathOf(link), headers, payload })
  assert.equal(done.statusCode, 200, done.body)
  assert.equal(await wantsMail(learner, 'graded'), false)
  assert.equal(await wantsMail(learner, 'due'), true)
  const again = await lyceum.learning.inject({ method: 'POST', url: pathOf(link), headers, payload })
  assert.equal(again.statusCode, 200)
  await grade()
  assert.equal(await handedOver(learner), 2)
  assert.equal((await send('GET', '/api/notifications', learner)).total, 2)
  assert.equal((await mailsTo(learner, 1)).length, 1)
})

test('a form of many parts ends mails as well, and the page can end all', async () => {
  const { learner } = await aCourse()
  const { tenant_id, user_id } = learner
  const unsubscribe = createUnsubscribe(lyceum.parts.keys)
  const post = (kind: Kind, type: string, payload: string) =>
    lyceum.learning.inject({
      method: 'POST',
      url: unsubscribe.pathFor({ tenant_id, user_id, kind }),
      headers: { 'content-type': type },
      payload,
    })
  const part = '--x\r\nContent-Disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n--x--\r\n'
  assert.equal((await post('due', 'multipart/form-data; boundary=x', part)).statusCode, 200)
  assert.deepEqual([await wantsMail(learner, 'due'), await wantsMail(learner, 'episode')], [false, true])
  assert.equal((await post('due', 'application/x-www-form-urlencoded', 'all=yes')).statusCode, 200)
  for (const kind of ['graded', 'due', 'episode', 'answer'] as const)
    assert.equal(await wantsMail(learner, kind), false)
  const settings = await send('GET', '/api/notifications/settings', learner)
  assert.equal(settings.due.in_page, true)
})

test('a changed, foreign or empty link ends nothing', async () => {
  const { learner } = await aCourse()
  const { tenant_id, user_id } = learner
  const good = createUnsubscribe(lyceum.parts.keys).pathFor({ tenant_id, user_id, kind: 'due' })
  const flipped = good.slice(0, -8) + (good.at(-8) === 'A' ? 'B' : 'A') + good.slice(-7)
  const other = lyceum.parts.keys.seal(
    Buffer.from(JSON.stringify([tenant_id, user_id, 'due'])),
    'other purpose',
  )
  const bad = [
    flipped,
    `${good}AA`,
    '/unsubscribe?token=',
    '/unsubscribe?token=AAAA',
    `/unsubscribe?token=${other.toString('base64url')}`,
  ]
  for (const url of bad) {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const reply = await lyceum.learning.inject({ method: 'POST', url, headers, payload: 'all=yes' })
    assert.match(reply.body, /This link is not complete/, url)
  }
  assert.equal(await wantsMail(learner, 'due'), true)
})

test('what its reader cannot see any more is not mailed', async () => {
  const { learner, author, channel_id } = await aCourse()
  await send('POST', '/api/enroll', learner, { channel_id })
  await lyceum.db.pool`
    insert into learning.notifications (tenant_id, user_id, kind, channel_id, episode_id, target_id, is_to_mail)
    select ${learner.tenant_id}, ${learner.user_id}, 'answer', e.channel_id, e.id, e.id, true
      from learning.episodes e where e.tenant_id = ${learner.tenant_id} and e.channel_id = ${channel_id}`
  await send('PUT', `/api/channels/${channel_id}`, author, { status: 'draft' })
  await lyceum.db.transaction((tx) => mailSoon(tx, [{ tenant_id: learner.tenant_id, is_to_mail: true }]))
  assert.equal(await handedOver(learner), 1)
  const letters = await lyceum.db.pool`
    select from learning.letters where tenant_id = ${learner.tenant_id} and user_id = ${learner.user_id}`
  assert.equal(letters.count, 0)
})
