import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { Ajv } from 'ajv'
import { newId } from '#foundation/ids.ts'
import { eventually } from '#testing/eventually.ts'
import { anAdmin, aUser, type Headers } from '#testing/people.ts'
import { buildWorld, world } from '#testing/world.ts'

const { learning, db } = await world()
const schema = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../../test/support/json-feed.schema.json'), 'utf8'),
) as object
const isTime = (text: string) => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/.test(text)
const isJsonFeed = new Ajv({
  formats: { uri: (text: string) => URL.canParse(text), 'date-time': isTime },
  strictTypes: false,
}).compile(schema)

type Who = { headers: Headers }
const create = async ({ headers }: Who, payload: object, app = learning) => {
  const reply = await app.inject({
    method: 'POST',
    url: '/api/channels',
    headers,
    payload: { title: 'Feed', ...payload },
  })
  assert.equal(reply.statusCode, 201, reply.body)
  return reply.json()
}
const put = async (id: string, { headers }: Who, payload: object) =>
  assert.equal(
    (await learning.inject({ method: 'PUT', url: `/api/channels/${id}`, headers, payload })).statusCode,
    200,
  )
const feed = (id: string, headers: Headers = {}, query = '') =>
  learning.inject({
    url: `/api/device/feed/${id}${query}`,
    headers: { host: 'learn.localhost:8065', ...headers },
  })
const titles = (reply: { json(): { items: { title: string }[] } }) =>
  reply.json().items.map(({ title }) => title)

describe('GET /api/device/feed/{channel_id}', () => {
  test('is a JSON Feed 1.1 of released episodes with video', async () => {
    const anna = await aUser()
    const { id, version, episodes } = await create(anna, {
      title: 'Algebra',
      description: 'Numbers',
      language: 'deu',
      tags: ['math'],
      thumbnail_url: '/a.png',
      episodes: [
        {
          title: 'File',
          description: 'é'.repeat(300),
          authors: ['Ada'],
          season: 2,
          recorded_on: '2018-05-09',
          language: 'fr',
          video: {
            url: '/1.mp4',
            duration_seconds: 61.5,
            size_bytes: 1000,
            sha256: 'a'.repeat(64),
            poster_url: 'https://example.org/p.png',
            sources: [{ url: 'https://example.org/1.webm', size_bytes: 900 }],
            captions: [{ lang: 'fr', url: '/1.vtt' }],
            chapters: [{ start_seconds: 0, title: 'Start' }],
          },
        },
        { title: 'No video' },
        { title: 'Draft', status: 'draft', video: { url: '/2.mp4' } },
        { title: 'Later', release_at: '2999-01-01T00:00:00Z', video: { url: '/3.mp4' } },
        { title: 'Embed', release_at: '2001-01-01T00:00:00Z', video: { url: 'https://youtu.be/x' } },
      ],
    })
    const reply = await feed(id)
    assert.equal(reply.statusCode, 200, reply.body)
    assert.ok(isJsonFeed(reply.json()), JSON.stringify(isJsonFeed.errors))
    const base = 'http://learn.localhost:8065'
    const [file, , , , embed] = episodes
    const { items, ...head } = reply.json()
    assert.deepEqual(head, {
      version: 'https://jsonfeed.org/version/1.1',
      title: 'Algebra',
      description: 'Numbers',
      language: 'de',
      home_page_url: `${base}/channel?id=${id}`,
      feed_url: `${base}/api/device/feed/${id}`,
      icon: `${base}/a.png`,
      _learning: { channel_id: id, channel_version: version, episode_count: 2 },
    })
    assert.equal(items.length, 2)
    const { date_published, date_modified, ...first } = items[0]
    assert.equal(date_published, file.created_at)
    assert.ok(date_modified >= file.updated_at)
    assert.deepEqual(first, {
      id: file.id,
      url: `${base}/episode?id=${file.id}&channel=${id}`,
      title: 'File',
      content_text: 'é'.repeat(300),
      summary: 'é'.repeat(200),
      image: 'https://example.org/p.png',
      authors: [{ name: 'Ada' }],
      tags: ['math'],
      language: 'fr',
      attachments: [
        {
          url: `${base}/1.mp4`,
          mime_type: 'video/mp4',
          title: 'File',
          size_in_bytes: 1000,
          duration_in_seconds: 61.5,
        },
        {
          url: 'https://example.org/1.webm',
          mime_type: 'video/webm',
          title: 'File',
          size_in_bytes: 900,
          duration_in_seconds: 61.5,
        },
      ],
      _learning: {
        position: 1,
        season: 2,
        kind: 'file',
        recorded_on: '2018-05-09',
        sha256: 'a'.repeat(64),
        homework_count: 0,
        test_count: 0,
        asset_version: 1,
        captions: [{ lang: 'fr', label: '', url: `${base}/1.vtt`, kind: 'subtitles', default: false }],
        chapters: [{ start_seconds: 0, title: 'Start' }],
      },
    })
    assert.deepEqual(
      [
        items[1].id,
        items[1].external_url,
        items[1].attachments,
        items[1].content_text,
        items[1].date_published,
      ],
      [embed.id, 'https://youtu.be/x', undefined, '', '2001-01-01T00:00:00.000Z'],
    )
    assert.doesNotMatch(reply.body, new RegExp(`${anna.user_id}|${anna.email}|null`))
  })

  test('sends the headers of a public, cacheable document', async () => {
    const { id } = await create(await aUser(), {})
    const { headers } = await feed(id)
    assert.equal(headers['content-type'], 'application/json; charset=utf-8')
    assert.equal(headers['cache-control'], 'public, max-age=300, stale-while-revalidate=100')
    assert.equal(headers.vary, 'Accept, Accept-Encoding')
    assert.equal(headers['access-control-allow-origin'], '*')
    assert.match(String(headers.etag), /^"[\w-]+"$/)
    assert.ok(Date.parse(String(headers['last-modified'])) > 0)
    const other = await feed(id, { accept: 'application/feed+json' })
    assert.equal(other.headers['content-type'], 'application/feed+json')
  })

  test('answers an uncacheable 404 for channels that are not public', async () => {
    const admin = await anAdmin()
    const hidden = [
      { visibility: 'private' },
      { visibility: 'tenant' },
      { status: 'draft' },
      { status: 'archived' },
    ]
    const ids = await Promise.all(hidden.map(async (payload) => (await create(admin, payload)).id))
    const { id: deleted } = await create(admin, {})
    await learning.inject({ method: 'DELETE', url: `/api/channels/${deleted}`, headers: admin.headers })
    for (const id of [...ids, deleted, newId(), 'nonsense']) {
      const reply = await feed(id)
      assert.deepEqual(
        [reply.statusCode, reply.body, reply.headers['cache-control']],
        [404, '{"detail":"Not found"}', 'no-store'],
      )
    }
    const secret = await feed(ids[0], admin.headers)
    assert.equal(secret.statusCode, 404)
  })

  test('honours If-Modified-Since, but not beside another tag', async () => {
    const author = await aUser()
    const { id } = await create(author, {})
    const { etag, 'last-modified': modified = '' } = (await feed(id)).headers
    const since = (date: string, more: object = {}) => feed(id, { 'if-modified-since': date, ...more })
    const same = await since(modified)
    assert.deepEqual([same.statusCode, same.body, same.headers.etag], [304, '', etag])
    const earlier = new Date(Date.parse(modified) - 1_000).toUTCString()
    const later = new Date(Date.now() + 3_600_000).toUTCString()
    for (const date of [earlier, later, 'yesterday']) assert.equal((await since(date)).statusCode, 200, date)
    assert.equal((await since(modified, { 'if-none-match': '"other"' })).statusCode, 200)
    await db.pool`
      update learning.channels set updated_at = updated_at - interval '1 hour' where id = ${id}`
    const before = String((await feed(id)).headers['last-modified'])
    assert.equal((await since(before)).statusCode, 304)
    const url = `/api/channels/${id}`
    await learning.inject({ method: 'PUT', url, headers: author.headers, payload: { title: 'Anew' } })
    assert.equal((await since(before)).statusCode, 200)
  })

  test('answers 304 to any of its three tags', async () => {
    const { id } = await create(await aUser(), {})
    const { etag } = (await feed(id)).headers
    const tag = String(etag).slice(1, -1)
    for (const sent of [`"${tag}"`, `"${tag}-gz"`, `"${tag}-br"`, `"x", W/"${tag}-gz"`, '*']) {
      const reply = await feed(id, { 'if-none-match': sent })
      assert.deepEqual(
        [reply.statusCode, reply.body, reply.headers.vary],
        [304, '', 'Accept, Accept-Encoding'],
      )
      assert.ok(sent === '*' || sent.includes(String(reply.headers.etag)))
    }
    for (const sent of ['"x"', `"${tag}-zip"`, tag])
      assert.equal((await feed(id, { 'if-none-match': sent })).statusCode, 200)
  })

  test('sends the same document identity, gzip and brotli encoded', async () => {
    const { id } = await create(await aUser(), {
      description: 'words '.repeat(500),
      episodes: [{ title: 'a', video: { url: '/1.mp4' } }],
    })
    const plain = await feed(id)
    assert.equal(plain.headers['content-encoding'], undefined)
    const zipped = await feed(id, { 'accept-encoding': 'gzip' })
    assert.equal(zipped.headers['content-encoding'], 'gzip')
    assert.equal(gunzipSync(zipped.rawPayload).toString(), plain.body)
    const read = () => feed(id, { 'accept-encoding': 'gzip, br' })
    const best = await eventually(read, ({ headers }) => headers['content-encoding'] === 'br')
    assert.equal(brotliDecompressSync(best.rawPayload).toString(), plain.body)
    assert.equal(new Set([plain, zipped, best].map(({ headers }) => headers.etag)).size, 3)
    assert.equal((await feed(id, { 'accept-encoding': 'br;q=0, gzip;q=0' })).body, plain.body)
  })

  test('changes its tag before a visible change is answered', async () => {
    const anna = await aUser()
    const { id, episodes } = await create(anna, { episodes: [{ title: 'a', video: { url: '/1.mp4' } }] })
    const tags = new Set<unknown>([(await feed(id)).headers.etag])
    await put(id, anna, { title: 'Other' })
    tags.add((await feed(id)).headers.etag)
    const [{ id: episode_id }] = episodes
    await learning.inject({
      method: 'POST',
      url: `/api/episodes/${episode_id}/video`,
      headers: anna.headers,
      payload: { url: '/2.mp4' },
    })
    const changed = await feed(id)
    tags.add(changed.headers.etag)
    assert.equal(tags.size, 3)
    assert.match(changed.body, /\/2\.mp4/)
    await put(id, anna, { status: 'draft' })
    assert.equal((await feed(id)).statusCode, 404)
    await put(id, anna, { status: 'published' })
    assert.equal((await feed(id)).json().title, 'Other')
    const elsewhere = await feed(id, { host: 'other.localhost' })
    assert.match(elsewhere.body, /http:\/\/other\.localhost\/api\/device/)
    assert.notEqual(elsewhere.headers.etag, (await feed(id)).headers.etag)
  })

  test('is never older than the last answered change', async () => {
    const anna = await aUser()
    const { id } = await create(anna, {})
    let answered = 1
    const reading = Array.from({ length: 10 }, async () => {
      for (let round = 0; round < 30; round++) {
        const before = answered
        const { channel_version } = (await feed(id)).json()._learning
        assert.ok(channel_version >= before, `read ${channel_version} after ${before} was answered`)
      }
    })
    for (let version = 2; version <= 31; version++) {
      await put(id, anna, { title: `Version ${version}` })
      answered = version
    }
    await Promise.all(reading)
    assert.equal((await feed(id)).json().title, 'Version 31')
  })

  test('shows an episode from its release on, without a write', async () => {
    const anna = await aUser()
    const at = Date.now() + 400
    const { id } = await create(anna, {
      episodes: [{ title: 'soon', release_at: new Date(at).toISOString(), video: { url: '/1.mp4' } }],
    })
    const before = await feed(id)
    assert.deepEqual([titles(before), before.json()._learning.episode_count], [[], 0])
    await sleep(at - Date.now() + 5)
    const after = await feed(id, { 'if-none-match': String(before.headers.etag) })
    assert.equal(after.statusCode, 200)
    assert.deepEqual(titles(after), ['soon'])
  })

  test('counts published work of an episode under a new tag', async () => {
    const anna = await aUser()
    const { id, episodes } = await create(anna, { episodes: [{ title: 'One', video: { url: '/1.mp4' } }] })
    const before = await feed(id)
    for (const status of ['published', 'draft']) {
      const url = `/api/episodes/${episodes[0].id}/homework`
      const payload = { title: 'Work', status }
      const reply = await learning.inject({ method: 'POST', url, headers: anna.headers, payload })
      assert.equal(reply.statusCode, 201)
    }
    const after = await feed(id, { 'if-none-match': String(before.headers.etag) })
    assert.equal(after.statusCode, 200)
    const { homework_count, test_count } = after.json().items[0]._learning
    assert.deepEqual([homework_count, test_count], [1, 0])
  })

  test('pages by 100 items and links to the next', async () => {
    const episodes = Array.from({ length: 205 }, (_, index) => ({
      title: `${index}`,
      video: { url: '/1.mp4' },
    }))
    const { id } = await create(await aUser(), { episodes })
    const pages = await Promise.all(['', '?page=2', '?page=3', '?page=4'].map((query) => feed(id, {}, query)))
    assert.deepEqual(
      pages.map((page) => page.json().items.length),
      [100, 100, 5, 0],
    )
    const next = `http://learn.localhost:8065/api/device/feed/${id}?page=`
    assert.deepEqual(
      pages.map((page) => page.json().next_url),
      [`${next}2`, `${next}3`, undefined, undefined],
    )
    assert.deepEqual(
      pages.flatMap(titles),
      episodes.map(({ title }) => title),
    )
    assert.equal(new Set(pages.map(({ headers }) => headers.etag)).size, 4)
    assert.equal((await feed(id, {}, '?page=0')).statusCode, 422)
    for (const page of pages) assert.ok(isJsonFeed(page.json()), JSON.stringify(isJsonFeed.errors))
  })

  test('disappears when the channel is deleted under any id spelling', async () => {
    const admin = await anAdmin()
    const { id } = await create(admin, {})
    const { etag } = (await feed(id)).headers
    const { headers } = admin
    const url = `/api/channels/${id.toUpperCase()}`
    assert.equal((await learning.inject({ method: 'DELETE', url, headers })).statusCode, 200)
    assert.equal((await feed(id)).statusCode, 404)
    assert.equal((await feed(id, { 'if-none-match': String(etag) })).statusCode, 404)
  })

  test('refuses an invalid Host header', async () => {
    const { id } = await create(await aUser(), {})
    for (const host of ['evil.example/"><script>', 'a:99999', '1.2.3.999', '[::::]'])
      assert.equal((await feed(id, { host })).statusCode, 400, host)
  })

  test('answers 503 while the database is down, and recovers', async () => {
    const node = await buildWorld()
    await node.db.close()
    const read = (query: string) =>
      node.learning.inject({
        url: `/api/device/feed/${newId()}${query}`,
        headers: { 'if-none-match': '"1"' },
      })
    // A single unhandled rejection ends the program.
    let lost = 0
    const count = () => lost++
    process.on('unhandledRejection', count)
    assert.equal((await read('')).statusCode, 503)
    assert.equal((await read('?q=%00')).statusCode, 422)
    // Node tells of a rejection when the promises that were due have been served.
    await new Promise(setImmediate)
    await new Promise(setImmediate)
    process.off('unhandledRejection', count)
    assert.equal(lost, 0)
  })

  test('is the same on every node, under the public address', async () => {
    const node = await buildWorld({ env: { LEARNING_URL: 'https://learn.example.org' } })
    const anna = await aUser({ lyceum: node })
    const { id } = await create(anna, { episodes: [{ title: 'a', video: { url: '/1.mp4' } }] }, node.learning)
    const read = (headers: Headers = {}) => node.learning.inject({ url: `/api/device/feed/${id}`, headers })
    const first = await read()
    assert.equal(first.json().items[0].attachments[0].url, 'https://learn.example.org/1.mp4')
    assert.equal((await read({ 'if-none-match': String(first.headers.etag) })).statusCode, 304)
    // Another node changes the channel, and this node is not notified.
    await node.db.pool`
      update learning.channels set title = 'Elsewhere', version = version + 1
       where tenant_id = ${anna.tenant_id} and id = ${id}`
    assert.equal((await read({ 'if-none-match': String(first.headers.etag) })).json().title, 'Elsewhere')
  })
})
