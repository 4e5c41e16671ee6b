import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { aSchool, call, must, type School, SINGLE, TRUE, paperOf } from '#testing/exams.ts'
import { nobody, type Person } from '#testing/people.ts'
import { assertExactly } from '#testing/strict-schema.ts'
import { world } from '#testing/world.ts'
import { forgetUser } from '../erasure/forget.ts'
import { Certificate } from './certificate.ts'

const { learning, sso, db } = await world()

const get = (url: string, headers: Record<string, string> = {}) =>
  learning.inject({ url, headers: { host: 'learn.localhost:8065', ...headers } })
const statusOf = async (url: string) => (await get(url)).statusCode

async function named({ user_id, headers }: Person, display_name: string) {
  const reply = await sso.inject({
    method: 'PATCH',
    url: `/api/v1/users/${user_id}`,
    headers,
    payload: { display_name },
  })
  assert.equal(reply.statusCode, 200, reply.body)
}

/** A school whose learner has a name and has completed its only episode, in a channel without work. */
async function aPassedSchool(name = 'Mira Okafor', channel: object = {}) {
  const school = await aSchool({ channel })
  await must(200, 'DELETE', `/api/episodes/tests/${school.test_id}`, school.author)
  await named(school.learner, name)
  await complete(school, school.learner)
  return school
}
const complete = ({ episode_id }: School, who: Person) =>
  must(201, 'POST', '/api/progress', who, { episode_id, completed: true })
const urlOf = ({ channel_id }: School) => `/api/channels/${channel_id}/certificate`
const issued = async (school: School) =>
  (await must(201, 'POST', urlOf(school), school.learner)) as Certificate

describe('POST /api/channels/:id/certificate', () => {
  test('makes one certificate, the same for fifty calls at once and after a change of name', async () => {
    const school = await aPassedSchool()
    const replies = await Promise.all(
      Array.from({ length: 50 }, () => call('POST', urlOf(school), school.learner)),
    )
    const statuses = replies.map(({ status }) => status).toSorted((a, b) => a - b)
    assert.deepEqual(
      [statuses[0], statuses.at(-1), statuses.filter((one) => one === 201).length],
      [200, 201, 1],
    )
    assert.equal(new Set(replies.map(({ body }) => body.code)).size, 1)
    await named(school.learner, 'Somebody Else')
    const { code, ...again } = await must(200, 'POST', urlOf(school), school.learner)
    assert.equal(code, replies[0]?.body.code)
    assertExactly(Certificate, { code, ...again })
    assert.deepEqual(
      [again.person_name, again.channel_title, again.channel_id],
      ['Mira Okafor', 'Course', school.channel_id],
    )
  })

  test('asks for completed episodes and for enough points over all work', async () => {
    const school = await aSchool({ channel: { passing_percent: 60 }, questions: [TRUE] })
    const { author, learner, episode_id, test_id } = school
    await named(learner, 'Mira')
    const status = async () => (await call('POST', urlOf(school), learner)).status
    await must(201, 'POST', '/api/enroll', learner, { channel_id: school.channel_id })
    assert.equal(await status(), 400)
    const [question] = (await paperOf(test_id, learner)).items
    const answers = [{ question_id: question.id, answer: true }]
    await must(201, 'POST', `/api/episodes/tests/${test_id}/attempt`, learner, { answers })
    assert.equal(await status(), 400)
    await complete(school, learner)
    const { id } = await must(201, 'POST', `/api/episodes/${episode_id}/tests`, author, { title: 'Later' })
    await must(201, 'POST', `/api/episodes/tests/${id}/questions`, author, SINGLE)
    assert.equal(await status(), 400)
    await must(200, 'DELETE', `/api/episodes/tests/${id}`, author)
    assert.equal(await status(), 201)
  })

  test('is for learners with a name only, and for their own channels', async () => {
    const school = await aSchool()
    const { author, admin, learner, test_id, episode_id } = school
    await must(200, 'DELETE', `/api/episodes/tests/${test_id}`, author)
    await complete(school, learner)
    const refused = await call('POST', urlOf(school), learner)
    assert.deepEqual(
      [refused.status, refused.body.detail],
      [400, 'Your profile has no name for the certificate'],
    )
    await must(201, 'POST', '/api/progress', author, { episode_id, completed: true })
    for (const who of [author, admin, await school.another()])
      assert.equal((await call('POST', urlOf(school), who)).status, 403)
    const stranger = await aSchool()
    assert.equal((await call('POST', urlOf(school), stranger.learner)).status, 404)
    assert.equal((await call('POST', urlOf(school), await nobody())).status, 401)
  })

  test('outlives the enrollment, the grade and the channel', async () => {
    const school = await aPassedSchool()
    const { code, pdf_url } = await issued(school)
    await must(200, 'DELETE', `/api/enrollments/${school.channel_id}`, school.learner)
    assert.equal((await must(200, 'POST', urlOf(school), school.learner)).code, code)
    await must(200, 'DELETE', `/api/channels/${school.channel_id}`, school.admin)
    assert.equal(await statusOf(`/api/certificates/${code}`), 200)
    assert.equal(await statusOf(new URL(pdf_url).pathname), 200)
  })
})

describe('a certificate', () => {
  test('is read by everybody who has its code, and tells nothing more', async () => {
    const school = await aPassedSchool()
    const { code } = await issued(school)
    const reply = await get(`/api/certificates/${code}`)
    assertExactly(Certificate, reply.json())
    assert.equal(reply.json().url, `http://learn.localhost:8065/certificate?code=${code}`)
    const [tenant] = await db.pool<{ name: string }[]>`
      select name from sso.tenants where tenant_id = ${school.admin.tenant_id}`
    assert.equal(reply.json().issuer, tenant?.name)
    const { user_id, email, tenant_id } = school.learner
    const page = await get(`/certificate?code=${code}`)
    for (const { body, headers } of [reply, page]) {
      for (const secret of [user_id, email, tenant_id]) assert.ok(!body.includes(secret))
      assert.match(String(headers['cache-control']), /no-store/)
      assert.equal(headers['referrer-policy'], 'no-referrer')
    }
    assert.match(page.body, /Mira Okafor/)
    assert.match((await get(`/certificate?code=${code}`, { 'accept-language': 'de' })).body, /Zertifikat/)
  })

  test('is not found by a code that is foreign, altered, cut or longer', async () => {
    const [school, other] = [await aPassedSchool(), await aPassedSchool()]
    const [{ code }, { code: theirs }] = [await issued(school), await issued(other)]
    const bytes = Buffer.from(code, 'base64url')
    const foreign = Buffer.from(theirs, 'base64url')
    const flipped = Array.from(bytes, (byte, at) => {
      const copy = Buffer.from(bytes)
      copy[at] = byte ^ 1
      return copy.toString('base64url')
    })
    const mixed = [
      Buffer.concat([bytes.subarray(0, 16), foreign.subarray(16)]),
      Buffer.concat([foreign.subarray(0, 16), bytes.subarray(16)]),
      Buffer.concat([bytes.subarray(0, 32), foreign.subarray(32)]),
    ].map((one) => one.toString('base64url'))
    for (const bad of [
      ...flipped,
      ...mixed,
      code.slice(1),
      `${code}A`,
      `${code}==`,
      code.toLowerCase(),
      'x',
      '%00',
    ]) {
      assert.equal(await statusOf(`/api/certificates/${bad}`), 404, bad)
      assert.equal(await statusOf(`/certificate?code=${bad}`), bad === '%00' ? 422 : 404, bad)
    }
    assert.equal(await statusOf(`/api/certificates/${flipped[0] ?? ''}/pdf`), 404)
    const page = await get('/certificate')
    assert.deepEqual([page.statusCode, page.headers['content-type']], [404, 'text/html; charset=utf-8'])
    assert.match(page.body, /not valid/)
  })

  test('shows names and titles as text, whatever they hold', async () => {
    const [name, title] = ['<img src=x onerror=alert(1)>"\'&', '</p><script>alert(2)</script>{issuer}$&']
    const { code, ...certificate } = await issued(await aPassedSchool(name, { title }))
    assert.deepEqual([certificate.person_name, certificate.channel_title], [name, title])
    const { body, headers } = await get(`/certificate?code=${code}`)
    assert.ok(!/<img src=x|<script/.test(body))
    assert.ok(body.includes('&lt;img src=x onerror=alert(1)&gt;&quot;'))
    assert.ok(body.includes('&lt;/p&gt;&lt;script&gt;alert(2)&lt;/script&gt;{issuer}$&amp;'))
    assert.match(String(headers['content-security-policy']), /default-src 'none'/)
  })

  test('is withdrawn with its person, and nobody else’s is', async () => {
    const school = await aPassedSchool()
    const other = await school.another()
    await named(other, 'Ben')
    await complete(school, other)
    const { code } = await issued(school)
    const { code: kept } = await must(201, 'POST', urlOf(school), other)
    await forgetUser(db, school.learner.user_id)
    for (const url of [
      `/api/certificates/${code}`,
      `/api/certificates/${code}/pdf`,
      `/certificate?code=${code}`,
    ])
      assert.equal(await statusOf(url), 404, url)
    assert.equal(await statusOf(`/api/certificates/${kept}`), 200)
    const rows = await db.pool`select from learning.certificates where person_name = 'Mira Okafor'
                                  and channel_id = ${school.channel_id}`
    assert.equal(rows.length, 0)
  })

  for (const name of ['Zoë Ångström', 'מרים (כהן) 42', 'محمد عبد الله', '李小龍 👩‍🎓', 'W'.repeat(100)])
    test(`is a PDF for ${name.slice(0, 20)}`, async () => {
      const { code } = await issued(
        await aPassedSchool(name, { title: `עברית and العربية ${'long '.repeat(30)}` }),
      )
      const reply = await get(`/api/certificates/${code}/pdf`)
      assert.equal(reply.statusCode, 200)
      assert.equal(reply.headers['content-type'], 'application/pdf')
      assert.match(reply.rawPayload.subarray(0, 8).toString('latin1'), /^%PDF-1/)
      assert.ok(reply.rawPayload.length < 100_000)
    })
})
