import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, test } from 'node:test'
import { newId } from '#foundation/ids.ts'
import { aSchool, call, must } from '#testing/exams.ts'
import { download, mustUpload, PNG, upload } from '#testing/files.ts'
import { anAdmin, nobody } from '#testing/people.ts'
import { world } from '#testing/world.ts'
import { forgetUser } from '../erasure/forget.ts'
import { sweepFiles } from './remove.ts'

const { db } = await world()

async function aCourse(channel: object = {}) {
  const school = await aSchool({ channel })
  const homework = await must(201, 'POST', `/api/episodes/${school.episode_id}/homework`, school.author, {
    title: 'Essay',
    submission_types: ['text', 'file'],
  })
  const { tenant_id } = await tenantOf(school.channel_id)
  const hand_in = `/api/episodes/homework/${homework.id}`
  return {
    ...school,
    tenant_id,
    homework_id: homework.id as string,
    hand_in,
    pictures: `/api/channels/${school.channel_id}/files?purpose=picture`,
    captions: `/api/channels/${school.channel_id}/files?purpose=captions`,
  }
}

async function tenantOf(channel_id: string) {
  const [row] = await db.pool<{ tenant_id: string }[]>`
    select tenant_id from learning.channel_tenants where channel_id = ${channel_id}`
  assert.ok(row)
  return row
}
const stored = async (tenant_id: string) => {
  const [row] = await db.pool<{ files: number; bytes: number; pieces: number }[]>`
    select (select count(*)::int from learning.files where tenant_id = ${tenant_id}) as files,
           (select coalesce(sum(bytes), 0)::int from learning.file_totals where tenant_id = ${tenant_id}) as bytes,
           (select coalesce(sum(length(content)), 0)::int from learning.file_pieces where tenant_id = ${tenant_id}) as pieces`
  return row
}
const age = (tenant_id: string) => db.pool`
  update learning.files set checked_at = checked_at - interval '2 days' where tenant_id = ${tenant_id}`

describe('POST /api/channels/{id}/files', () => {
  test('keeps a picture and serves the same bytes, harmless', async () => {
    const { author, learner, pictures, channel_id } = await aCourse()
    const file = await mustUpload(pictures, author, PNG, 'a cover.png')
    assert.equal(file.url, `/files/${channel_id}/${file.id}`)
    assert.deepEqual([file.mime_type, file.size_bytes, file.name], ['image/png', PNG.length, 'a cover.png'])
    const { status, bytes, headers } = await download(file.url, learner)
    assert.equal(status, 200)
    assert.ok(bytes.equals(PNG))
    assert.equal(headers['content-type'], 'image/png')
    assert.equal(headers['x-content-type-options'], 'nosniff')
    assert.match(String(headers['content-security-policy']), /^sandbox; default-src 'none'/)
    assert.match(String(headers['content-disposition']), /^inline; filename="a cover.png"/)
    assert.equal(headers['cache-control'], 'private, no-cache')
    const again = await download(file.url, learner, { 'if-none-match': String(headers['etag']) })
    assert.deepEqual([again.status, again.bytes.length], [304, 0])
    const changed = await must(200, 'PUT', `/api/channels/${channel_id}`, author, { thumbnail_url: file.url })
    assert.equal(changed.thumbnail_url, file.url)
  })

  test('keeps a file of several pieces whole', async () => {
    const { author, pictures, tenant_id } = await aCourse()
    const big = Buffer.concat([PNG, randomBytes(900_000)])
    const { url } = await mustUpload(pictures, author, big)
    assert.ok((await download(url, author)).bytes.equals(big))
    assert.deepEqual(await stored(tenant_id), { files: 1, bytes: big.length, pieces: big.length })
  })

  test('refuses callers without the right, without leaving a byte', async () => {
    const { learner, pictures, tenant_id } = await aCourse()
    const stranger = await anAdmin()
    assert.equal((await upload(pictures, await nobody(), PNG)).status, 401)
    assert.equal((await upload(pictures, learner, PNG)).status, 403)
    const [foreign, unknown] = [
      await upload(pictures, stranger, PNG),
      await upload(`/api/channels/${newId()}/files?purpose=picture`, stranger, PNG),
    ]
    assert.deepEqual([foreign.status, foreign.text], [404, unknown.text])
    assert.deepEqual(await stored(tenant_id), { files: 0, bytes: 0, pieces: 0 })
  })

  for (const [what, content, name] of [
    ['markup', '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>', 'cover.png'],
    ['a page', '<!doctype html><script>alert(1)</script>', 'cover.jpg'],
    ['a document', '%PDF-1.7\n<script>alert(1)</script>', 'cover.gif'],
    ['nothing', '', 'cover.png'],
  ] as const)
    test(`refuses ${what} as a picture, whatever its name says`, async () => {
      const { author, pictures, tenant_id } = await aCourse()
      const { status, body } = await upload(pictures, author, content, name)
      assert.equal(status, 422)
      assert.match(body.detail, content === '' ? /must not be empty/ : /must be a PNG, JPEG, GIF or WebP/)
      assert.deepEqual(await stored(tenant_id), { files: 0, bytes: 0, pieces: 0 })
    })

  test('serves a picture that is also a script as a picture only', async () => {
    const { author, pictures } = await aCourse()
    const { url } = await mustUpload(pictures, author, 'GIF89a/*\0\0*/=1;alert(1)', 'x.js')
    const { headers } = await download(url, author)
    assert.equal(headers['content-type'], 'image/gif')
    assert.equal(headers['x-content-type-options'], 'nosniff')
  })

  test('refuses other purposes, other bodies and more than 10 MB', async () => {
    const { author, pictures, channel_id } = await aCourse()
    const files = `/api/channels/${channel_id}/files`
    assert.equal((await upload(files, author, PNG)).status, 422)
    assert.equal((await upload(`${files}?purpose=attachment`, author, PNG)).status, 422)
    assert.equal((await call('POST', pictures, author, { file: 'x' })).status, 415)
    const large = Buffer.concat([PNG, Buffer.alloc(10_000_001)])
    assert.equal((await upload(pictures, author, large)).status, 413)
  })

  test('turns SubRip into WebVTT and keeps WebVTT', async () => {
    const { author, captions, episode_id } = await aCourse()
    const srt =
      '\uFEFF1\r\n00:00:01,500 --> 00:00:02,0\r\n<font color="red">Hällo</font> {\\an8}you\r\n\r\n2\r\n1:00:00,000 --> 1:00:01,250\r\nEnd\r\n'
    const file = await mustUpload(captions, author, srt, 'talk.en.srt')
    assert.deepEqual([file.name, file.mime_type], ['talk.en.vtt', 'text/vtt; charset=utf-8'])
    assert.equal(
      (await download(file.url, author)).text,
      'WEBVTT\n\n1\n00:00:01.500 --> 00:00:02.000\nHällo you\n\n2\n01:00:00.000 --> 01:00:01.250\nEnd\n',
    )
    await must(201, 'POST', `/api/episodes/${episode_id}/video`, author, {
      url: 'https://vimeo.com/1',
      captions: [{ lang: 'en', url: file.url }],
    })
    const vtt = 'WEBVTT\n\n00:01.000 --> 00:02.000\nHello\n'
    assert.equal((await download((await mustUpload(captions, author, vtt)).url, author)).text, vtt)
    for (const bad of ['no captions at all', PNG, 'WEBVTTX', Buffer.from([0xff, 0x31, 0x0a])])
      assert.equal((await upload(captions, author, bad)).status, 422)
  })

  test('strips folders, hidden characters and quotes from names', async () => {
    const { author, pictures } = await aCourse()
    const names = [
      ['../../etc/passwd.png', 'passwd.png'],
      ['C:\\Temp\\a.png', 'a.png'],
      ['photo\u202Egnp.exe', 'photognp.exe'],
      ['..png', 'png'],
    ] as const
    for (const [sent, kept] of names) {
      const file = await mustUpload(pictures, author, PNG, sent)
      assert.equal(file.name, kept)
      const disposition = String((await download(file.url, author)).headers['content-disposition'])
      assert.ok(disposition.includes(`filename*=UTF-8''${encodeURIComponent(kept)}`), disposition)
    }
    const long = await mustUpload(pictures, author, PNG, `${'n'.repeat(400)}.png`)
    assert.ok(long.name.length <= 200 && long.name.endsWith('.png'))
  })
})

describe('GET /files/{channel_id}/{id}', () => {
  test('shows a public picture to everybody, a private one to its people', async () => {
    const { author, learner, pictures, channel_id } = await aCourse({ visibility: 'public' })
    const stranger = await anAdmin()
    const { url, id } = await mustUpload(pictures, author, PNG)
    for (const who of [author, learner, stranger, await nobody()])
      assert.equal((await download(url, who)).status, 200)
    await must(200, 'PUT', `/api/channels/${channel_id}`, author, { visibility: 'private' })
    assert.equal((await download(url, author)).status, 200)
    const unknown = await download(`/files/${channel_id}/${newId()}`, learner)
    for (const who of [learner, stranger, await nobody()]) {
      const { status, text } = await download(url, who)
      assert.deepEqual([status, text], [404, unknown.text])
    }
    assert.equal((await download(`/files/${newId()}/${id}`, author)).status, 404)
    assert.equal((await download('/files/x/y', author)).status, 404)
    assert.equal((await download(`/api/files/${id}`, author)).status, 404)
  })

  test('hides the pictures of drafts and deleted channels', async () => {
    const { admin, author, learner, pictures, channel_id } = await aCourse({ status: 'draft' })
    const { url } = await mustUpload(pictures, author, PNG)
    assert.equal((await download(url, learner)).status, 404)
    assert.equal((await download(url, author)).status, 200)
    await must(200, 'DELETE', `/api/channels/${channel_id}`, admin)
    assert.equal((await download(url, author)).status, 404)
  })
})

describe('an attachment of homework', () => {
  test('is read by its learner, and once handed in by teachers', async () => {
    const { author, admin, learner, another, hand_in } = await aCourse()
    const classmate = await another()
    const page = '<!doctype html><script>alert(document.cookie)</script>'
    const file = await mustUpload(`${hand_in}/files`, learner, page, 'essay.html')
    assert.equal(file.mime_type, 'text/plain; charset=utf-8')
    const statuses = async () => {
      const replies = []
      for (const who of [learner, author, admin, classmate, await anAdmin(), await nobody()])
        replies.push((await download(file.url, who)).status)
      return replies
    }
    assert.deepEqual(await statuses(), [200, 404, 404, 404, 404, 401])
    const sent = await must(201, 'POST', `${hand_in}/submit`, learner, {
      attachments: [{ url: file.url, name: 'virus.exe', size_bytes: 1, mime_type: 'text/html' }],
    })
    assert.deepEqual(sent.attachments, [
      { url: file.url, name: 'essay.html', size_bytes: page.length, mime_type: 'text/plain; charset=utf-8' },
    ])
    assert.deepEqual(await statuses(), [200, 200, 200, 404, 404, 401])
    const { headers } = await download(file.url, author)
    assert.match(String(headers['content-disposition']), /^attachment; filename="essay.html"/)
    assert.match(String(headers['content-security-policy']), /^sandbox/)
  })

  test('cannot be handed in by another person or for other homework', async () => {
    const { author, learner, another, hand_in, episode_id } = await aCourse()
    const classmate = await another()
    const { url } = await mustUpload(`${hand_in}/files`, learner, 'mine')
    const body = { attachments: [{ url }] }
    const refused = await call('POST', `${hand_in}/submit`, classmate, body)
    assert.deepEqual([refused.status, refused.body.detail.includes('not among the files')], [400, true])
    const other = await must(201, 'POST', `/api/episodes/${episode_id}/homework`, author, {
      title: 'Other',
      submission_types: ['file'],
    })
    assert.equal((await call('POST', `/api/episodes/homework/${other.id}/submit`, learner, body)).status, 400)
    assert.equal((await call('POST', `${hand_in}/submit`, learner, body)).status, 201)
    assert.equal((await call('POST', `${hand_in}/submit`, learner, body)).status, 201)
  })

  test('is refused where no files are taken, and beyond 25 MB', async () => {
    const { author, learner, hand_in, homework_id } = await aCourse()
    assert.equal((await upload(`${hand_in}/files`, await nobody(), 'x')).status, 401)
    assert.equal((await upload(`${hand_in}/files`, await anAdmin(), 'x')).status, 404)
    assert.equal((await upload(`/api/episodes/homework/${newId()}/files`, learner, 'x')).status, 404)
    assert.equal((await upload(`${hand_in}/files`, learner, '')).status, 422)
    const most = Buffer.alloc(25_000_001)
    assert.equal((await upload(`${hand_in}/files`, learner, most)).status, 413)
    const file = await mustUpload(`${hand_in}/files`, learner, most.subarray(1), 'big.bin')
    assert.equal((await download(file.url, learner)).bytes.length, 25_000_000)
    await must(200, 'PUT', `/api/episodes/homework/${homework_id}`, author, { submission_types: ['text'] })
    assert.equal((await upload(`${hand_in}/files`, learner, 'x')).status, 400)
  })

  test('waits with at most 19 others, also when 30 come at once', async () => {
    const { learner, hand_in, tenant_id } = await aCourse()
    const replies = await Promise.all(
      Array.from({ length: 30 }, () => upload(`${hand_in}/files`, learner, 'abc')),
    )
    assert.equal(replies.filter(({ status }) => status === 201).length, 20)
    assert.equal(replies.filter(({ status }) => status === 400).length, 10)
    assert.deepEqual(await stored(tenant_id), { files: 20, bytes: 60, pieces: 60 })
  })
})

describe('DELETE /api/files/{id}', () => {
  test('removes the bytes and gives them back to the quota', async () => {
    const { author, learner, pictures, hand_in, tenant_id } = await aCourse()
    const picture = await mustUpload(pictures, author, PNG)
    const draft = await mustUpload(`${hand_in}/files`, learner, 'draft')
    assert.equal((await call('DELETE', `/api/files/${picture.id}`, learner)).status, 404)
    assert.equal((await call('DELETE', `/api/files/${draft.id}`, author)).status, 404)
    assert.equal((await call('DELETE', `/api/files/${draft.id}`, await nobody())).status, 401)
    assert.equal((await call('DELETE', `/api/files/${draft.id}`, learner)).status, 204)
    assert.equal((await call('DELETE', `/api/files/${draft.id}`, learner)).status, 404)
    assert.equal((await call('DELETE', `/api/files/${picture.id}`, author)).status, 204)
    assert.equal((await download(picture.url, author)).status, 404)
    assert.deepEqual(await stored(tenant_id), { files: 0, bytes: 0, pieces: 0 })
  })

  test('keeps what is handed in', async () => {
    const { learner, hand_in } = await aCourse()
    const { id, url } = await mustUpload(`${hand_in}/files`, learner, 'mine')
    await must(201, 'POST', `${hand_in}/submit`, learner, { attachments: [{ url }] })
    assert.equal((await call('DELETE', `/api/files/${id}`, learner)).status, 404)
    assert.equal((await download(url, learner)).status, 200)
  })
})

describe('files', () => {
  test('stop at the quota of the tenant, also at once', async () => {
    const { author, pictures, tenant_id } = await aCourse()
    await mustUpload(pictures, author, PNG)
    const quota = 5_000_000_000
    await db.pool`
      update learning.file_totals set bytes = ${quota - 3 * PNG.length} where tenant_id = ${tenant_id}`
    const replies = await Promise.all(Array.from({ length: 10 }, () => upload(pictures, author, PNG)))
    assert.equal(replies.filter(({ status }) => status === 201).length, 3)
    const refused = replies.find(({ status }) => status === 400)
    assert.match(refused?.body.detail, /quota/)
  })

  test('of an erased person go, with their bytes', async () => {
    const { author, learner, pictures, hand_in, tenant_id } = await aCourse()
    await mustUpload(pictures, author, PNG)
    const { url } = await mustUpload(`${hand_in}/files`, learner, 'secret words')
    await must(201, 'POST', `${hand_in}/submit`, learner, { attachments: [{ url }] })
    await mustUpload(`${hand_in}/files`, learner, 'never sent')
    await forgetUser(db, learner.user_id)
    assert.equal((await download(url, author)).status, 404)
    assert.deepEqual(await stored(tenant_id), { files: 1, bytes: PNG.length, pieces: PNG.length })
  })

  test('that nothing names are swept after a day, the others stay', async () => {
    const { author, learner, pictures, hand_in, channel_id, episode_id, tenant_id } = await aCourse()
    const [cover, inText, inTask, orphan] = await Promise.all(
      Array.from({ length: 4 }, () => mustUpload(pictures, author, PNG)),
    )
    await must(200, 'PUT', `/api/channels/${channel_id}`, author, {
      thumbnail_url: cover?.url,
      episodes: [{ id: episode_id, description: `![A tree](${inText?.url})` }],
    })
    await must(201, 'POST', `/api/episodes/${episode_id}/homework`, author, {
      title: 'Look',
      instructions: `![A task](${inTask?.url})`,
    })
    const sent = await mustUpload(`${hand_in}/files`, learner, 'sent')
    await must(201, 'POST', `${hand_in}/submit`, learner, { attachments: [{ url: sent.url }] })
    await mustUpload(`${hand_in}/files`, learner, 'unsent')
    assert.deepEqual(await sweepFiles({ db }, tenant_id), { deleted: 0, isDone: true })
    await age(tenant_id)
    assert.deepEqual(await sweepFiles({ db }, tenant_id), { deleted: 2, isDone: true })
    for (const file of [cover, inText, inTask, sent])
      assert.equal((await download(file?.url ?? '', file === sent ? learner : author)).status, 200)
    assert.equal((await download(orphan?.url ?? '', author)).status, 404)
    const left = 3 * PNG.length + 4
    assert.deepEqual(await stored(tenant_id), { files: 4, bytes: left, pieces: left })
  })

  test('of a deleted channel are swept', async () => {
    const { admin, author, pictures, channel_id, tenant_id } = await aCourse()
    const { url } = await mustUpload(pictures, author, PNG)
    await must(200, 'PUT', `/api/channels/${channel_id}`, author, { thumbnail_url: url })
    await must(200, 'DELETE', `/api/channels/${channel_id}`, admin)
    await age(tenant_id)
    await sweepFiles({ db }, tenant_id)
    assert.deepEqual(await stored(tenant_id), { files: 0, bytes: 0, pieces: 0 })
  })
})
