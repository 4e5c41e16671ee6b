import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { newId } from '#foundation/ids.ts'
import { aColleague, anAdmin, aUser, type Headers, nobody } from '#testing/people.ts'
import { assertExactly } from '#testing/strict-schema.ts'
import { world } from '#testing/world.ts'
import { SearchPage } from './search.ts'

const { learning, db } = await world()

type Who = { headers: Headers }
type Piece = { text: string; is_hit: boolean }
type Hit = {
  type: string
  id: string
  channel_id: string
  found_in: string
  title: Piece[]
  excerpt: Piece[]
  start_seconds: number | null
  is_near: boolean
}

const call = (method: 'GET' | 'POST' | 'PUT' | 'DELETE', url: string, who: Who, payload?: object) =>
  learning.inject({ method, url, headers: who.headers, ...(payload && { payload }) })
async function must(method: 'POST' | 'PUT' | 'DELETE', url: string, who: Who, payload?: object) {
  const reply = await call(method, url, who, payload)
  assert.ok(reply.statusCode < 300, reply.body)
  return reply.json()
}
async function find(who: Who, q: string, more = ''): Promise<Hit[]> {
  const reply = await call('GET', `/api/search?q=${encodeURIComponent(q)}${more}`, who)
  assert.equal(reply.statusCode, 200, reply.body)
  assertExactly(SearchPage, reply.json())
  return reply.json().items
}
const textOf = (pieces: Piece[]) => pieces.map(({ text }) => text).join('')
const titles = (hits: Hit[]) => hits.map(({ title }) => textOf(title))
const hitsOf = (pieces: Piece[]) => pieces.filter(({ is_hit }) => is_hit).map(({ text }) => text)
const found = async (who: Who, q: string) => titles(await find(who, q))

const VIDEO = { url: 'https://example.org/1.mp4', duration_seconds: 600 }

/** A tenant of its own, with an author and a learner in it. */
async function aSchool() {
  const admin = await anAdmin()
  const [author, learner] = [await aColleague(admin), await aColleague(admin)]
  return { admin, author, learner }
}
const aChannel = (who: Who, payload: object) => must('POST', '/api/channels', who, payload)

describe('GET /api/search', () => {
  test('ranks 500 names that hold a word, and texts only where there are fewer', async () => {
    const { author } = await aSchool()
    const titled = (count: number, title: string) =>
      Array.from({ length: count }, (_, i) => ({
        title: `${title} ${i}`,
        description: 'of the frequent kind',
      }))
    await aChannel(author, { title: 'Many', episodes: titled(499, 'Frequent') })
    const few = await aChannel(author, { title: 'Few', episodes: titled(1, 'Another') })
    const all = async () => {
      const seen: Hit[] = []
      for (let cursor = ''; ;) {
        const url = `/api/search?q=frequent&per_page=50${cursor && `&cursor=${encodeURIComponent(cursor)}`}`
        const { items, next_cursor } = (await call('GET', url, author)).json()
        seen.push(...items)
        if (!next_cursor) return seen
        cursor = next_cursor
      }
    }
    const isFew = ({ channel_id }: Hit) => channel_id === few.id
    const fewer = await all()
    assert.deepEqual([fewer.length, fewer.findIndex(isFew)], [500, 499])
    await aChannel(author, { title: 'More', episodes: titled(1, 'Frequent') })
    const more = await all()
    assert.deepEqual([more.length, more.filter(isFew).length], [500, 0])
  })

  test('finds channels, episodes, people, tags, subjects, chapters and spoken words', async () => {
    const { author, learner } = await aSchool()
    const channel = await aChannel(author, {
      title: 'Astronomy for beginners',
      description: 'How far is a star?',
      category: 'Physics',
      tags: ['telescopes'],
      episodes: [
        {
          title: 'Measuring by parallax',
          authors: ['Henrietta Leavitt'],
          description: 'Triangles of starlight.',
          video: {
            ...VIDEO,
            chapters: [
              { start_seconds: 0, title: 'Beginning' },
              { start_seconds: 95.5, title: 'Cepheids explained' },
            ],
            transcript:
              'WEBVTT\n\n00:00:01.000 --> 00:00:04.000\nGood evening\n\n00:05:02.000 --> 00:05:09.000\nluminosity grows with the period',
          },
        },
      ],
    })
    const [episode] = channel.episodes
    const expected: [q: string, type: string, found_in: string, seconds: number | null, hit: string][] = [
      ['astronomy', 'channel', 'title', null, 'Astronomy'],
      ['telescopes', 'channel', 'tags', null, 'telescopes'],
      ['physics', 'channel', 'category', null, 'Physics'],
      ['PARALLAX', 'episode', 'title', null, 'parallax'],
      ['leavitt', 'episode', 'authors', null, 'Leavitt'],
      ['triangles', 'episode', 'description', null, 'Triangles'],
      ['cepheid', 'episode', 'chapter', 95.5, 'Cepheids'],
      ['luminosity', 'episode', 'transcript', 1, 'luminosity'],
    ]
    for (const [q, type, found_in, seconds, hit] of expected) {
      const [first, ...others] = await find(learner, q)
      assert.ok(first, q)
      assert.deepEqual(others, [], q)
      assert.deepEqual([first.type, first.found_in, first.start_seconds], [type, found_in, seconds], q)
      assert.deepEqual(hitsOf([...first.title, ...first.excerpt]), [hit], q)
      assert.deepEqual(
        [first.id, first.channel_id],
        [type === 'channel' ? channel.id : episode.id, channel.id],
      )
      assert.equal(first.is_near, false)
    }
  })

  test('shows an excerpt of a description without its marks of emphasis', async () => {
    const { author, learner } = await aSchool()
    await aChannel(author, { title: 'Rigel', description: 'Where a **supergiant star** shines blue.' })
    const [hit] = await find(learner, 'supergiant')
    assert.equal(hit?.excerpt.map(({ text }) => text).join(''), 'Where a supergiant star shines blue.')
  })

  test('jumps to the line that is spoken, whatever way its time is written', async () => {
    const { author, learner } = await aSchool()
    const spoken = (mark: (n: number) => string) =>
      Array.from(
        { length: 60 },
        (_, n) => `${mark(n)} these are ten common words and then comes number word${n}`,
      ).join('\n')
    const two = (n: number) => String(n).padStart(2, '0')
    const ways = [
      (n: number) => `[${n}:00]`,
      (n: number) => `(0:${two(n)}:00)`,
      (n: number) => `${two(n)}:00.500`,
      (n: number) => `${n}\n00:${two(n)}:00,000 --> 00:${two(n)}:09,000\n`,
    ]
    for (const [index, mark] of ways.entries()) {
      const title = `Way ${index}`
      const { id } = await aChannel(author, {
        title,
        episodes: [{ title, video: { ...VIDEO, transcript: spoken(mark) } }],
      })
      const [hit] = await find(learner, 'word30', `&channel_id=${id}`)
      const minute = (hit?.start_seconds ?? -1) / 60
      assert.ok(minute > 26 && minute <= 30, `${title}: ${minute}`)
    }
    const { id } = await aChannel(author, {
      title: 'Untimed',
      episodes: [{ title: 'Untimed', video: { ...VIDEO, transcript: 'no times, at 10:30 nothing' } }],
    })
    const [hit] = await find(learner, 'nothing', `&channel_id=${id}`)
    assert.deepEqual([hit?.found_in, hit?.start_seconds], ['transcript', null])
  })

  test('ranks titles before people, people before descriptions, spoken words last', async () => {
    const { author, learner } = await aSchool()
    await aChannel(author, {
      title: 'Sky',
      episodes: [
        { title: 'Spoken', video: { ...VIDEO, transcript: 'the nebula' } },
        { title: 'Described', description: 'A nebula.' },
        { title: 'By Ann', authors: ['Ann Nebula'] },
        { title: 'The long story of a nebula and others' },
        { title: 'Nebula' },
      ],
    })
    await aChannel(author, { title: 'All about the nebula' })
    assert.deepEqual(await found(learner, 'nebula'), [
      'All about the nebula',
      'Nebula',
      'The long story of a nebula and others',
      'By Ann',
      'Described',
      'Spoken',
    ])
  })

  test('finds words with one letter that is missing, added, other or exchanged', async () => {
    const { author, learner } = await aSchool()
    await aChannel(author, {
      title: 'Geometry',
      episodes: [{ title: 'Parallax', authors: ['Grace Hopper'] }],
    })
    for (const q of [
      'paralax',
      'parrallax',
      'paralläx',
      'parallex',
      'paralalx',
      'Grace Hoper',
      'grcae hopper',
    ]) {
      const [hit, ...others] = await find(learner, q)
      assert.ok(hit, q)
      assert.deepEqual(others, [])
      assert.equal(textOf(hit.title), 'Parallax', q)
      assert.equal(hit.is_near, q !== 'paralläx', q)
      assert.ok(hitsOf([...hit.title, ...hit.excerpt]).length > 0, q)
    }
    for (const q of ['galaxy', 'perilaxo', 'grace hoover']) assert.deepEqual(await found(learner, q), [], q)
  })

  test('needs every word, and takes the last one as unfinished from three letters on', async () => {
    const { author, learner } = await aSchool()
    await aChannel(author, {
      title: 'Birds',
      episodes: [{ title: 'Owls at night' }, { title: 'Owls by day' }, { title: '鳥の名前' }],
    })
    assert.deepEqual(await found(learner, 'owls night'), ['Owls at night'])
    assert.deepEqual(await found(learner, 'owls nig'), ['Owls at night'])
    assert.deepEqual(await found(learner, 'ow'), [])
    assert.deepEqual((await found(learner, 'owl')).length, 2)
    const [hit] = await find(learner, '名前')
    assert.deepEqual(hitsOf(hit?.title ?? []), ['名前'])
  })

  test('stays inside a channel when one is named', async () => {
    const { author, learner } = await aSchool()
    const [one] = [
      await aChannel(author, { title: 'One', episodes: [{ title: 'Tides' }] }),
      await aChannel(author, { title: 'Two', episodes: [{ title: 'Tides' }] }),
    ]
    assert.equal((await find(learner, 'tides')).length, 2)
    const inside = await find(learner, 'tides', `&channel_id=${one.id}`)
    assert.deepEqual(
      inside.map(({ channel_id }) => channel_id),
      [one.id],
    )
    assert.deepEqual(await find(learner, 'tides', `&channel_id=${newId()}`), [])
  })

  test('walks all hits by cursor, each once', async () => {
    const { author, learner } = await aSchool()
    const episodes = Array.from({ length: 45 }, (_, n) => ({ title: `Comet ${n}`, description: 'A comet' }))
    await aChannel(author, { title: 'Solar system', episodes })
    const seen: string[] = []
    let cursor = ''
    for (let pages = 0; pages < 10; pages++) {
      const reply = await call('GET', `/api/search?q=comet&per_page=10${cursor}`, learner)
      const { items, next_cursor } = reply.json()
      seen.push(...items.map(({ id }: Hit) => id))
      if (next_cursor === null) break
      cursor = `&cursor=${next_cursor}`
    }
    assert.deepEqual([seen.length, new Set(seen).size], [45, 45])
    const foreign = await call('GET', `/api/search?q=other${cursor}`, learner)
    assert.equal(foreign.statusCode, 422)
  })
})

describe('a learner never finds', () => {
  test('drafts, what is not released, and private channels, which their editors find', async () => {
    const { admin, author, learner } = await aSchool()
    const later = '2999-01-01T00:00:00Z'
    await aChannel(author, {
      title: 'Quasar draft',
      status: 'draft',
      episodes: [{ title: 'Quasar in a draft' }],
    })
    await aChannel(author, { title: 'Quasar private', visibility: 'private' })
    await aChannel(author, {
      title: 'Open',
      episodes: [
        { title: 'Quasar unfinished', status: 'draft' },
        { title: 'Quasar tomorrow', release_at: later, video: { ...VIDEO, transcript: 'hidden quasar' } },
      ],
    })
    assert.deepEqual(await found(learner, 'quasar'), [])
    assert.equal((await found(author, 'quasar')).length, 5)
    assert.equal((await found(admin, 'quasar')).length, 5)
  })

  test('anything of another tenant, nor does its ADMIN', async () => {
    const { author } = await aSchool()
    const channel = await aChannel(author, { title: 'Secret supernova', visibility: 'public' })
    for (const stranger of [await anAdmin(), await aUser()]) {
      assert.deepEqual(await found(stranger, 'supernova'), [])
      assert.deepEqual(await find(stranger, 'supernova', `&channel_id=${channel.id}`), [])
    }
  })

  test('the video of an episode that is locked, until the one before is completed', async () => {
    const { author, learner } = await aSchool()
    const { id, episodes } = await aChannel(author, {
      title: 'In order',
      sequential: true,
      episodes: [
        { title: 'First', video: { ...VIDEO, url: 'https://youtu.be/abc' } },
        {
          title: 'Second',
          video: { ...VIDEO, transcript: 'a pulsar', chapters: [{ start_seconds: 1, title: 'Magnetar' }] },
        },
      ],
    })
    await must('POST', '/api/enroll', learner, { channel_id: id })
    assert.deepEqual(await found(learner, 'second'), ['Second'])
    for (const q of ['pulsar', 'magnetar']) assert.deepEqual(await found(learner, q), [], q)
    for (const q of ['pulsar', 'magnetar']) assert.deepEqual(await found(author, q), ['Second'], q)
    await must('POST', '/api/progress', learner, { episode_id: episodes[0].id, completed: true })
    for (const q of ['pulsar', 'magnetar']) assert.deepEqual(await found(learner, q), ['Second'], q)
  })

  test('a private or archived channel, unless enrolled before', async () => {
    const { author, learner, admin } = await aSchool()
    const { id } = await aChannel(author, { title: 'Dwarf stars' })
    await must('POST', '/api/enroll', learner, { channel_id: id })
    const late = await aColleague(admin)
    for (const change of [{ visibility: 'private' }, { status: 'archived' }]) {
      await must('PUT', `/api/channels/${id}`, author, change)
      assert.deepEqual(await found(learner, 'dwarf'), ['Dwarf stars'])
      assert.deepEqual(await found(late, 'dwarf'), [])
    }
    await must('PUT', `/api/channels/${id}`, author, { status: 'draft' })
    assert.deepEqual(await found(learner, 'dwarf'), [])
  })
})

describe('what is found follows', () => {
  test('every change of titles, people, tags, chapters and transcripts', async () => {
    const { author, learner } = await aSchool()
    const { id, episodes } = await aChannel(author, {
      title: 'Oldname',
      tags: ['oldtag'],
      episodes: [
        {
          title: 'Oldtitle',
          authors: ['Oldperson'],
          video: { ...VIDEO, transcript: 'oldspoken', chapters: [{ start_seconds: 0, title: 'Oldchapter' }] },
        },
      ],
    })
    const words = (age: string) =>
      ['name', 'tag', 'title', 'person', 'spoken', 'chapter'].map((word) => age + word)
    const counts = async (age: string) =>
      Promise.all(words(age).map(async (q) => (await find(learner, q)).length))
    assert.deepEqual(await counts('old'), [1, 1, 1, 1, 1, 1])
    const [{ id: episode_id }] = episodes
    await must('PUT', `/api/channels/${id}`, author, {
      title: 'Freshname',
      tags: ['freshtag'],
      episodes: [{ id: episode_id, title: 'Freshtitle', authors: ['Freshperson'] }],
    })
    await must('POST', `/api/episodes/${episode_id}/video`, author, {
      transcript: 'freshspoken',
      chapters: [{ start_seconds: 0, title: 'Freshchapter' }],
    })
    assert.deepEqual(await counts('old'), [0, 0, 0, 0, 0, 0])
    assert.deepEqual(await counts('fresh'), [1, 1, 1, 1, 1, 1])
    await must('PUT', `/api/channels/${id}`, author, { episodes: [{ id: episode_id, deleted: true }] })
    assert.deepEqual(await counts('fresh'), [1, 1, 0, 0, 0, 0])
  })

  test('the deletion of a channel, of which no entry stays', async () => {
    const { admin, author } = await aSchool()
    const { id } = await aChannel(author, {
      title: 'Gone',
      episodes: [{ title: 'Gone too', video: { ...VIDEO, transcript: 'gone' } }],
    })
    const entries = async () =>
      (
        await db.pool`
      select from learning.search_entries where tenant_id = ${admin.tenant_id} and channel_id = ${id}`
      ).length
    assert.equal(await entries(), 3)
    await must('DELETE', `/api/channels/${id}`, admin)
    assert.deepEqual(await found(admin, 'gone'), [])
    assert.equal(await entries(), 0)
  })
})

describe('a search is refused or finds nothing', () => {
  test('without a token, without words, or with too many characters', async () => {
    assert.equal((await call('GET', '/api/search?q=a', await nobody())).statusCode, 401)
    const user = await aUser()
    for (const query of [
      '',
      'q=',
      `q=${'x'.repeat(201)}`,
      `q=${'x'.repeat(10_000)}`,
      'q=a&per_page=51',
      'q=a&cursor=x',
      'q=a&channel_id=x',
      'q=%00',
    ]) {
      const { statusCode } = await call('GET', `/api/search?${query}`, user)
      assert.ok([400, 414, 422].includes(statusCode), `${query.slice(0, 30)}: ${statusCode}`)
    }
  })

  test('by words that mean something in SQL, in patterns or in searches', async () => {
    const { author, learner } = await aSchool()
    await aChannel(author, { title: "O'Brien & Sons: 100% of \\ it" })
    for (const q of ['!!!', '%_%', "'", '"', '\\', "' | '@", ':*', '&', '🦉', '\u0301', '()', '<b>'])
      assert.deepEqual(await found(learner, q), [], q)
    for (const q of ["o'brien", 'sons & brien', '100%', "brien') | ('"])
      assert.equal((await find(learner, q)).length, 1, q)
    assert.deepEqual(await found(learner, '@' + 'x'), [])
  })

  test('within two seconds for the longest query and the largest texts', async () => {
    const { author, learner } = await aSchool()
    const transcript = 'a b '.repeat(50_000)
    await aChannel(author, {
      title: 'Large',
      episodes: [{ title: 'Large', description: 'word '.repeat(2_000), video: { ...VIDEO, transcript } }],
    })
    for (const q of ['a b '.repeat(50), '名'.repeat(200), 'wordwordwordword '.repeat(11), 'x'.repeat(200)])
      assert.ok((await find(learner, q.trim())).length <= 1)
  })
})
