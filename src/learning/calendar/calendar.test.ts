import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import ICAL from 'ical.js'
import { aSchool, must, type School, type Who } from '#testing/exams.ts'
import { anAdmin, nobody } from '#testing/people.ts'
import { world } from '#testing/world.ts'
import { writeCalendar } from './ical.ts'

const { learning } = await world()

const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString()
const subscribed = async (who: Who, language = 'en') =>
  new URL((await must(201, 'POST', '/api/calendar', who, { language })).url).pathname
const get = (url: string) => learning.inject({ url })
const eventsIn = (text: string) =>
  new ICAL.Component(ICAL.parse(text))
    .getAllSubcomponents('vevent')
    .map((component) => new ICAL.Event(component))
const summaries = async (url: string) => eventsIn((await get(url)).body).map(({ summary }) => summary)
const homeworkIn = ({ author, episode_id }: School, body: object) =>
  must(201, 'POST', `/api/episodes/${episode_id}/homework`, author, body)

describe('a calendar', () => {
  test('holds deadlines, openings and releases of the channels of one person', async () => {
    const title = 'Essay; "why, how" \\ 日本語 שלום 👩‍👩‍👧‍👦 and a title that is longer than one line may be'
    const due_at = inHours(30)
    const school = await aSchool({
      channel: {
        title: 'Course, one',
        episodes: [{ title: 'One' }, { title: 'Secret', release_at: inHours(48) }],
      },
      test: { opens_at: inHours(1), closes_at: inHours(2) },
    })
    const made = await homeworkIn(school, { title, due_at })
    await homeworkIn(school, { title: 'Draft', due_at, status: 'draft' })
    await homeworkIn(school, { title: 'Long ago', due_at: inHours(-24 * 40) })
    const other = await aSchool()
    await homeworkIn(other, { title: 'Foreign', due_at })
    await must(201, 'POST', '/api/enroll', school.learner, { channel_id: school.channel_id })

    const url = await subscribed(school.learner)
    const reply = await get(url)
    assert.equal(reply.statusCode, 200)
    assert.equal(reply.headers['content-type'], 'text/calendar; charset=utf-8')
    assert.match(String(reply.headers['cache-control']), /no-store/)
    const events = eventsIn(reply.body)
    assert.deepEqual(
      events.map(({ summary }) => summary),
      ['Test opens: Quiz', 'Test closes: Quiz', `Due: ${title}`, 'New episode in Course, one'],
    )
    assert.ok(!reply.body.includes('Secret'))
    const essay = events[2]
    assert.equal(essay?.uid.startsWith(`due-${made.id}@`), true)
    assert.equal(essay?.startDate.toJSDate().getTime(), Math.floor(Date.parse(due_at) / 1_000) * 1_000)
    assert.equal(essay?.description, 'Course, one')
    assert.equal((await get(url)).body, reply.body)
    assert.deepEqual(await summaries(await subscribed(school.learner, 'de')), [
      'Test beginnt: Quiz',
      'Test endet: Quiz',
      `Abgabe: ${title}`,
      'Neue Folge in Course, one',
    ])
  })

  test('follows what its person may see', async () => {
    const school = await aSchool()
    await homeworkIn(school, { title: 'Essay', due_at: inHours(30) })
    const url = await subscribed(school.learner)
    assert.deepEqual(await summaries(url), [])
    await must(201, 'POST', '/api/enroll', school.learner, { channel_id: school.channel_id })
    assert.deepEqual(await summaries(url), ['Due: Essay'])
    for (const status of ['draft', 'archived'])
      await must(200, 'PUT', `/api/channels/${school.channel_id}`, school.author, { status }).then(async () =>
        assert.deepEqual(await summaries(url), [], status),
      )
  })

  test('has an address that nobody guesses, which ends when it is revoked or replaced', async () => {
    const { learner } = await aSchool()
    const first = await subscribed(learner)
    assert.match(first, /^\/calendar\/[\w-]+\.[\w-]{43}\.ics$/)
    assert.ok((await must(200, 'GET', '/api/calendar', learner)).created_at)
    const second = await subscribed(learner)
    assert.deepEqual([(await get(first)).statusCode, (await get(second)).statusCode], [404, 200])
    const [, tenant = '', secret = ''] = /calendar\/(.+)\.(.+)\.ics/.exec(second) ?? []
    const stranger = await anAdmin()
    const elsewhere = Buffer.from(stranger.tenant_id).toString('base64url')
    for (const path of [
      `${tenant}.${'x'.repeat(43)}`,
      `${elsewhere}.${secret}`,
      tenant,
      `.${secret}`,
      `${tenant}.`,
      `AA.${secret}`,
    ])
      assert.equal((await get(`/calendar/${path}.ics`)).statusCode, 404, path)
    assert.equal((await get(second.replace('.ics', ''))).statusCode, 404)
    assert.deepEqual(await must(200, 'DELETE', '/api/calendar', learner), { created_at: null })
    assert.deepEqual(await must(200, 'DELETE', '/api/calendar', learner), { created_at: null })
    assert.equal((await get(second)).statusCode, 404)
    for (const method of ['GET', 'POST', 'DELETE'] as const)
      await must(401, method, '/api/calendar', await nobody())
    await must(422, 'POST', '/api/calendar', learner, { language: 'fr' })
  })

  test('tells moments in UTC, wherever it is read', () => {
    const moment = { uid: 'u', summary: 's', description: 'd', url: 'https://a.example/' }
    const [at, changed_at] = ['2026-11-24T10:00:00.000Z', '2026-11-01T09:08:07.654Z']
    const text = writeCalendar('n', [{ ...moment, at, changed_at }])
    assert.match(text, /^DTSTART:20261124T100000Z\r$/m)
    assert.match(text, /^DTSTAMP:20261101T090807Z\r$/m)
  })

  test('folds lines at 75 octets between characters, and reads back as written', () => {
    const texts = [
      'é'.repeat(200),
      '👩‍👩‍👧‍👦'.repeat(40),
      'a,b;c\\n\nd\r\ne',
      '\u0007bell',
      'x'.repeat(75),
      'BEGIN:VEVENT',
    ]
    for (const summary of texts) {
      const at = '2026-11-24T10:00:00.000Z'
      const text = writeCalendar('n', [
        { uid: 'u', at, changed_at: at, summary, description: summary, url: 'https://a.example/' },
      ])
      for (const line of text.split('\r\n')) {
        assert.ok(Buffer.byteLength(line) <= 75, line)
        assert.ok(!/[\r\n]/.test(line) && !line.includes('\ufffd'))
      }
      const [event, ...more] = eventsIn(text)
      assert.equal(more.length, 0)
      assert.equal(event?.summary, summary.replaceAll('\r\n', '\n').replace('\u0007', ''))
    }
  })
})
