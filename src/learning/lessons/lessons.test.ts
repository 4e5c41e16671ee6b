import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { newId } from '#foundation/ids.ts'
import { aSchool, call, must, SINGLE, type Who } from '#testing/exams.ts'
import { anAdmin, nobody } from '#testing/people.ts'
import { assertExactly } from '#testing/strict-schema.ts'
import { world } from '#testing/world.ts'
import { forgetUser } from '../erasure/forget.ts'
import { sweepFiles } from '../files/remove.ts'
import { mustUpload, PNG } from '#testing/files.ts'
import { Changes } from './change.ts'
import { Publication } from './publish.ts'

const { db } = await world()

type Typed = { name: string; value: unknown; over?: number; base?: unknown }
type Read = { version: number; changes: { name: string; value: unknown; version: number }[] }

const CHANNEL = { title: 'Tides', status: 'published', visibility: 'public' }

/** A school with a published channel, whose lesson is published or not, with two teachers. */
async function aLesson(status: 'draft' | 'published' = 'published') {
  const school = await aSchool({
    test: { status: 'draft' },
    channel: { ...CHANNEL, episodes: [{ title: 'High water', status, video: { url: '/1.mp4' } }] },
  })
  const { admin, channel_id, episode_id } = school
  const second = await school.another()
  await must(200, 'PUT', `/api/channels/${channel_id}`, admin, { instructor_ids: [second.user_id] })
  const url = `/api/episodes/${episode_id}/changes`
  const typed = (changes: Typed[]) => ({ changes: changes.map((one) => ({ over: 0, ...one })) })
  return {
    ...school,
    second,
    url,
    put: (who: Who, ...changes: Typed[]) => call('PUT', url, who, typed(changes)),
    kept: (who: Who, ...changes: Typed[]) => must(200, 'PUT', url, who, typed(changes)),
    read: (who: Who, query = ''): Promise<Read> => must(200, 'GET', `${url}${query}`, who),
    publish: (who: Who, version?: number) =>
      call(
        'POST',
        `/api/episodes/${episode_id}/publish`,
        who,
        undefined,
        version === undefined ? {} : { 'If-Match': `"${version}"` },
      ),
    seenBy: async (who: Who) => {
      const { episodes } = await must(200, 'GET', `/api/channels/${channel_id}`, who)
      return episodes[0]
    },
  }
}
const valuesOf = ({ changes }: Read) => Object.fromEntries(changes.map(({ name, value }) => [name, value]))

describe('PUT /api/episodes/{id}/changes', () => {
  test('is for editors of the channel only', async () => {
    const { put, read, author, learner, episode_id, url } = await aLesson()
    const stranger = await anAdmin()
    const change = { name: 'title', value: 'No' }
    assert.equal((await put(await nobody(), change)).status, 401)
    assert.equal((await put(learner, change)).status, 403)
    assert.equal((await put(stranger, change)).status, 404)
    for (const who of [learner, stranger])
      for (const [method, path] of [
        ['GET', url],
        ['DELETE', url],
        ['POST', `/api/episodes/${episode_id}/publish`],
      ] as const)
        assert.equal((await call(method, path, who)).status, who === learner ? 403 : 404)
    assert.deepEqual((await read(author)).changes, [])
  })

  test('keeps what is half typed, and learners see what was published', async () => {
    const { kept, read, seenBy, author, second, learner } = await aLesson()
    const half = { title: '', 'video.chapters': [{ start_seconds: '1:', title: '' }], 'video.url': 'https:/' }
    const changes = Object.entries(half).map(([name, value]) => ({ name, value }))
    const reply = await kept(author, ...changes)
    assertExactly(Changes, reply)
    assert.deepEqual([reply.version, reply.is_changed, reply.changes, reply.refused], [1, true, [], []])
    assert.deepEqual(valuesOf(await read(second)), half)
    assert.equal((await seenBy(learner)).title, 'High water')
    assert.equal((await seenBy(author)).title, 'High water')
  })

  test('refuses unknown names, repeated ones, NUL and what is too deep with 422', async () => {
    const { put, read, author, url } = await aLesson()
    const cases: [Typed[], string][] = [
      [[{ name: 'status', value: 'draft' }], 'changes[0].name: is not known'],
      [[{ name: 'video.kind', value: 'file' }], 'changes[0].name: is not known'],
      [[{ name: 'homework.1.title', value: '' }], 'changes[0].name: is not known'],
      [[{ name: '__proto__', value: '' }], 'changes[0].name: is not known'],
      [
        [
          { name: 'title', value: 'a' },
          { name: 'title', value: 'b' },
        ],
        'changes[1].name: stands twice in the list',
      ],
      [[{ name: 'authors', value: [[[[[1]]]]] }], 'changes[0].value: is too deep'],
      [[{ name: 'title', value: 'a\0' }], 'changes[0].value: contains a character that is not allowed'],
      [[{ name: 'title', value: 'a', more: 1 } as Typed], 'changes[0].more: is not known'],
    ]
    for (const [changes, detail] of cases) {
      const { status, body } = await put(author, ...changes)
      assert.deepEqual([status, body], [422, { detail }])
    }
    const more = await call('PUT', url, author, { changes: [], more: 1 })
    assert.deepEqual([more.status, more.body], [422, { detail: 'more: is not known' }])
    assert.deepEqual((await read(author)).changes, [])
  })

  test('holds at most 3 MB, and keeps what it had', async () => {
    const { put, read, author } = await aLesson()
    assert.equal((await put(author, { name: 'title', value: 'Kept' })).status, 200)
    const reply = await put(author, { name: 'video.transcript', value: 'x'.repeat(3_000_001), over: 1 })
    assert.deepEqual(
      [reply.status, reply.body],
      [400, { detail: 'The changes of a lesson hold at most 3000000 bytes' }],
    )
    assert.deepEqual(valuesOf(await read(author)), { title: 'Kept' })
  })

  test('refuses a field that somebody else changed since, and keeps the others', async () => {
    const { kept, read, author, second } = await aLesson()
    await kept(author, { name: 'title', value: 'By the first' })
    const reply = await kept(second, { name: 'title', value: 'By the second' }, { name: 'season', value: 2 })
    assert.deepEqual(reply.refused, ['title'])
    const [theirs] = reply.changes
    assert.deepEqual(
      [theirs.name, theirs.value, theirs.version, theirs.changed_by.user_id, theirs.changed_by.is_you],
      ['title', 'By the first', 1, author.user_id, false],
    )
    assert.deepEqual(valuesOf(await read(author)), { title: 'By the first', season: 2 })
    const again = await kept(second, { name: 'title', value: 'By the second', over: theirs.version })
    assert.deepEqual([again.refused, again.version], [[], 3])
    assert.deepEqual(valuesOf(await read(author, '?since=2')), { title: 'By the second' })
  })

  test('changes nothing when it is sent again', async () => {
    const { kept, author } = await aLesson()
    const change = { name: 'title', value: 'Typed' }
    assert.deepEqual([(await kept(author, change)).version, (await kept(author, change)).version], [1, 1])
  })

  test('tells what belongs to work that is gone or of another lesson, and keeps the rest', async () => {
    const { kept, read, author, channel_id } = await aLesson()
    const channel = await must(200, 'PUT', `/api/channels/${channel_id}`, author, {
      episodes: [{ title: 'Low water' }],
    })
    const other = channel.episodes.find(({ title }: { title: string }) => title === 'Low water').id
    const elsewhere = await must(201, 'POST', `/api/episodes/${other}/homework`, author, { title: 'There' })
    const names = [`homework.${newId()}.title`, `homework.${elsewhere.id}.title`, `test.${newId()}.status`]
    const reply = await kept(author, ...names.map((name) => ({ name, value: 'Lost' })), {
      name: 'title',
      value: 'Kept',
    })
    assert.deepEqual([reply.gone, reply.refused, reply.version], [names, [], 1])
    assert.deepEqual(valuesOf(await read(author)), { title: 'Kept' })
    assert.equal((await must(200, 'GET', `/api/episodes/${other}/homework`, author)).items[0].title, 'There')
  })

  test('loses nothing of 50 writes at once', async () => {
    const { put, read, author, second } = await aLesson()
    const names = ['title', 'description', 'season', 'language', 'video.transcript'] as const
    const sent = Array.from({ length: 50 }, (_, i) => ({ name: names[i % 5] ?? 'title', value: `${i}` }))
    const replies = await Promise.all(sent.map((one, i) => put(i % 2 ? author : second, one)))
    const written = sent.filter((_, i) => replies[i]?.body.refused.length === 0)
    assert.deepEqual([replies.every(({ status }) => status === 200), written.length], [true, names.length])
    const { version, changes } = await read(author)
    assert.equal(version, 5)
    assert.deepEqual(
      changes.map(({ name, value }) => `${name} ${String(value)}`).toSorted(),
      written.map(({ name, value }) => `${name} ${value}`).toSorted(),
    )
    // Whoever was refused was told what stands there.
    for (const { body } of replies)
      for (const name of body.refused as string[])
        assert.ok(body.changes.some((one: { name: string }) => one.name === name))
  })
})

describe('POST /api/episodes/{id}/publish', () => {
  test('publishes fields, video, homework and test of a draft at once', async () => {
    const { kept, publish, seenBy, author, learner, episode_id, test_id, read } = await aLesson('draft')
    await must(201, 'POST', `/api/episodes/tests/${test_id}/questions`, author, { questions: [SINGLE] })
    const homework = await must(201, 'POST', `/api/episodes/${episode_id}/homework`, author, {
      title: 'Untitled',
      status: 'draft',
    })
    const { version } = await kept(
      author,
      { name: 'title', value: ' Low water ' },
      { name: 'video.transcript', value: 'The water falls.' },
      { name: 'video.chapters', value: [{ start_seconds: 5, title: 'Ebb' }] },
      { name: `homework.${homework.id}.title`, value: 'Draw it' },
      { name: `homework.${homework.id}.status`, value: 'published' },
      { name: `test.${test_id}.status`, value: 'published' },
    )
    const { status, body } = await publish(author, version)
    assert.equal(status, 200, JSON.stringify(body))
    assertExactly(Publication, body)
    assert.deepEqual(
      [body.is_published, body.is_changed, body.status, body.changes],
      [true, false, 'published', []],
    )
    const seen = await seenBy(learner)
    assert.deepEqual(
      [seen.title, seen.homework_count, seen.test_count, seen.video.has_transcript],
      ['Low water', 1, 1, true],
    )
    await must(201, 'POST', '/api/enroll', learner, { channel_id: seen.channel_id })
    const video = await must(200, 'GET', `/api/episodes/${episode_id}/video`, learner)
    assert.deepEqual(video.chapters, [{ start_seconds: 5, title: 'Ebb' }])
    const again = await publish(author)
    assert.deepEqual([again.status, again.body.is_published], [200, false])
    assert.deepEqual((await read(author)).changes, [])
  })

  test('names every wrong field and publishes nothing', async () => {
    const { kept, publish, seenBy, author, learner, episode_id, test_id } = await aLesson()
    const { id } = await must(201, 'POST', `/api/episodes/${episode_id}/homework`, author, { title: 'Draw' })
    await kept(
      author,
      { name: 'title', value: '' },
      { name: 'description', value: 'Right' },
      { name: 'video.duration_seconds', value: 60 },
      { name: 'video.chapters', value: [{ start_seconds: 61, title: 'Late' }] },
      { name: `homework.${id}.max_score`, value: null },
      { name: `homework.${id}.rubric`, value: [{ criterion: '', max_points: 1 }] },
      { name: `test.${test_id}.status`, value: 'published' },
    )
    const { status, body } = await publish(author)
    assert.equal(status, 422)
    assert.deepEqual(body.detail.split('; '), [
      'title: must not be empty',
      'video.chapters[0].start_seconds: must be before the end of the video, 1:00',
      `homework.${id}.rubric[0].criterion: must not be empty`,
      `test.${test_id}.status: has no questions`,
    ])
    const seen = await seenBy(learner)
    assert.deepEqual([seen.title, seen.description], ['High water', ''])
  })

  test('refuses a version that the caller has not seen', async () => {
    const { kept, publish, seenBy, author, second, learner } = await aLesson()
    const { version } = await kept(author, { name: 'title', value: 'Done' })
    await kept(second, { name: 'description', value: 'Half a sen' })
    const { status, body } = await publish(author, version)
    assert.deepEqual([status, body], [400, { detail: 'The lesson was changed, reload' }])
    assert.equal((await seenBy(learner)).title, 'High water')
  })

  test('refuses a field that was published by another way meanwhile, until it was looked at', async () => {
    const { kept, publish, read, seenBy, author, learner, channel_id, episode_id } = await aLesson()
    await kept(author, { name: 'title', value: 'Mine' })
    const episodes = [{ id: episode_id, title: 'Theirs', description: 'More' }]
    await must(200, 'PUT', `/api/channels/${channel_id}`, author, { episodes })
    const { status, body } = await publish(author)
    assert.deepEqual([status, body], [400, { detail: 'Published by somebody else meanwhile: title' }])
    const { version, changes } = await read(author)
    assert.deepEqual(
      changes.map((one) => ({ ...one, changed_at: '', changed_by: '' })),
      [
        {
          name: 'title',
          version: 1,
          is_open: true,
          is_conflict: true,
          value: 'Mine',
          base: 'High water',
          published: 'Theirs',
          changed_at: '',
          changed_by: '',
        },
      ],
    )
    await kept(author, { name: 'title', value: 'Mine', over: version, base: 'Theirs' })
    assert.equal((await publish(author)).status, 200)
    const seen = await seenBy(learner)
    assert.deepEqual([seen.title, seen.description], ['Mine', 'More'])
  })

  test('of 50 at once publishes once', async () => {
    const { kept, publish, seenBy, author, second, learner, channel_id } = await aLesson('draft')
    const before = await must(200, 'GET', `/api/channels/${channel_id}`, author)
    const { version } = await kept(author, { name: 'title', value: 'Once' })
    const replies = await Promise.all(
      Array.from({ length: 50 }, (_, i) => publish(i % 2 ? author : second, version)),
    )
    assert.ok(replies.every(({ status }) => status === 200))
    assert.equal(replies.filter(({ body }) => body.is_published).length, 1)
    const after = await must(200, 'GET', `/api/channels/${channel_id}`, author)
    assert.equal(after.version, before.version + 1)
    assert.equal((await seenBy(learner)).title, 'Once')
  })

  test('of 50 at once beside 50 writes loses none of them', async () => {
    const { kept, put, publish, read, seenBy, author, second } = await aLesson()
    await kept(author, { name: 'title', value: 'First' })
    const replies = await Promise.all(
      Array.from({ length: 50 }, (_, i) => [
        publish(author),
        put(second, { name: 'description', value: `${i}`, over: 1_000 }),
      ]).flat(),
    )
    assert.deepEqual(new Set(replies.map(({ status }) => status)), new Set([200]))
    const { changes } = await read(author)
    const { title, description } = await seenBy(author)
    // Published or still open: one of the 50.
    assert.equal(title, 'First')
    assert.match(String(changes[0]?.value ?? description), /^\d+$/)
  })

  test('tells other editors what became of a field', async () => {
    const { kept, publish, read, author, second } = await aLesson()
    const { version } = await kept(author, { name: 'title', value: 'Out' })
    await publish(author)
    const { changes } = await read(second, `?since=${version}`)
    assert.deepEqual(
      changes.map((one) => [one.name, one.value, 'is_open' in one && one.is_open]),
      [['title', 'Out', false]],
    )
    const late = await kept(second, { name: 'title', value: 'Typed over the old one', over: version })
    assert.deepEqual([late.refused, late.changes[0].value], [['title'], 'Out'])
  })
})

describe('DELETE /api/episodes/{id}/changes', () => {
  test('discards all of it, once', async () => {
    const { kept, read, seenBy, author, learner, url } = await aLesson()
    await kept(author, { name: 'title', value: 'No' }, { name: 'video.url', value: '/2.mp4' })
    const stale = await call('DELETE', url, author, undefined, { 'If-Match': '"7"' })
    assert.equal(stale.status, 400)
    for (let twice = 0; twice < 2; twice++) {
      const reply = await must(200, 'DELETE', url, author)
      assert.deepEqual([reply.version, reply.is_changed, reply.changes], [2, false, []])
    }
    assert.deepEqual((await read(author)).changes, [])
    assert.equal((await seenBy(learner)).video.url, '/1.mp4')
  })
})

describe('unpublished changes', () => {
  const rows = (episode_id: string) => db.pool`
    select changed_by from learning.episode_changes where episode_id = ${episode_id}`

  test('go with their episode', async () => {
    const { kept, author, channel_id, episode_id } = await aLesson()
    await kept(author, { name: 'title', value: 'Soon gone' })
    await must(200, 'PUT', `/api/channels/${channel_id}`, author, {
      episodes: [{ id: episode_id, deleted: true }],
    })
    assert.equal((await rows(episode_id)).length, 0)
  })

  test('stay when who typed them is erased, without saying who it was', async () => {
    const { kept, read, author, second, episode_id } = await aLesson()
    await kept(second, { name: 'title', value: 'Stays' })
    await forgetUser(db, second.user_id)
    assert.deepEqual(valuesOf(await read(author)), { title: 'Stays' })
    assert.ok((await rows(episode_id)).every(({ changed_by }) => changed_by !== second.user_id))
  })

  test('move to another channel with their episode, and so do the files that they name', async () => {
    const { kept, read, author, channel_id, episode_id } = await aLesson()
    const picture = await mustUpload(`/api/channels/${channel_id}/files?purpose=picture`, author, PNG)
    await kept(author, { name: 'description', value: `![The sea](${picture.url})` })
    const other = await must(201, 'POST', '/api/channels', author, { title: 'Other' })
    await must(200, 'POST', `/api/episodes/${episode_id}/move`, author, { channel_id: other.id })
    const { description } = valuesOf(await read(author))
    assert.ok(String(description).startsWith(`![The sea](/files/${other.id}/`))
  })

  test('keep the files that only they name', async () => {
    const { kept, author, admin, channel_id } = await aLesson()
    const path = `/api/channels/${channel_id}/files?purpose=picture`
    const [named, orphan] = [await mustUpload(path, author, PNG), await mustUpload(path, author, PNG)]
    await kept(author, { name: 'description', value: `![The sea](${named.url})` })
    await db.pool`update learning.files set checked_at = clock_timestamp() - interval '2 days' where channel_id = ${channel_id}`
    const [{ tenant_id }] = (await db.pool`
      select tenant_id from learning.channels where id = ${channel_id}`) as unknown as [{ tenant_id: string }]
    await sweepFiles({ db }, tenant_id)
    const left = await db.pool`select id from learning.files where channel_id = ${channel_id}`
    assert.deepEqual(
      [left.map(({ id }) => id as string), orphan.id === named.id, Boolean(admin)],
      [[named.id], false, true],
    )
  })
})
