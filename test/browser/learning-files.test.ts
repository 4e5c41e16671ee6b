import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { aWindow, axeFaults } from '#testing/browser.ts'
import { ask, cookieOf, somebody, type Somebody } from '#testing/campus.ts'
import { PNG } from '#testing/files.ts'
import type { Product } from '#testing/product.ts'
import { sharedProduct } from '#testing/shared-product.ts'

const SRT = '1\n00:00:00,000 --> 00:00:05,000\nThe sea rises.\n'

describe('files in a browser', () => {
  let product: Product
  let [teacher, learner] = [] as unknown as [Somebody, Somebody]
  before(async () => {
    product = await sharedProduct()
    teacher = await somebody(product, 'teacher@files.example.org')
    learner = await somebody(product, 'learner@files.example.org')
  })

  async function at(path: string, who: Somebody, options: Parameters<typeof aWindow>[0] = {}) {
    const { page, problems } = await aWindow({ reducedMotion: 'reduce', ...options })
    await page.context().addCookies([cookieOf(product, who)])
    await page.goto(product.learning + path)
    await page.locator('#page[aria-busy=false]').waitFor({ state: 'attached' })
    return { page, problems }
  }
  async function aChannel() {
    const made = await ask(product, teacher, '/api/channels', {
      title: 'Tides',
      episodes: [{ title: 'High water', video: { url: 'https://media.example.org/1.m3u8' } }],
    })
    const [channel_id, episode_id] = [String(made.id), String(made.episodes[0].id)]
    const homework = await ask(product, teacher, `/api/episodes/${episode_id}/homework`, {
      title: 'A drawing',
      submission_types: ['file'],
    })
    return { channel_id, episode_id, homework_id: String(homework.id) }
  }
  const choose = (
    page: Page,
    name: string,
    mimeType: string,
    content: Buffer | string,
    place = page.locator('main'),
  ) =>
    place
      .locator('.uploader input')
      .first()
      .setInputFiles({ name, mimeType, buffer: Buffer.from(content) })
  const toast = (page: Page, text: string) => page.locator('#toasts').getByText(text).waitFor()

  test('a teacher uploads a cover, which learners see', async () => {
    const { channel_id } = await aChannel()
    const { page, problems } = await at(`/channel/edit?id=${channel_id}`, teacher)
    await choose(page, 'cover.png', 'image/png', PNG)
    await page.getByText('cover.png uploaded.').waitFor()
    const cover = page.locator('.picture-preview img')
    assert.match((await cover.getAttribute('src')) ?? '', new RegExp(`^/files/${channel_id}/`))
    await page.getByRole('button', { name: 'Save changes' }).click()
    await toast(page, 'Saved.')
    assert.deepEqual(problems, [])
    const seen = await at(`/channel?id=${channel_id}`, learner)
    const picture = seen.page.locator('.channel-side img')
    await picture.waitFor()
    const width = `(async () => {
      const picture = document.querySelector('.channel-side img')
      await picture.decode()
      return picture.naturalWidth
    })()`
    assert.equal(await seen.page.evaluate(width), 1)
    assert.deepEqual(seen.problems, [])
  })

  test('a picture that is none is refused in plain words', async () => {
    const { channel_id } = await aChannel()
    const { page } = await at(`/channel/edit?id=${channel_id}`, teacher)
    const before = await page.getByLabel('Cover image URL').inputValue()
    await choose(page, 'cover.png', 'image/png', '<svg xmlns="http://www.w3.org/2000/svg"/>')
    await toast(page, 'Must be a PNG, JPEG, GIF or WebP picture')
    assert.equal(await page.getByLabel('Cover image URL').inputValue(), before)
    await page.evaluate(`(() => {
      const input = document.querySelector('.uploader input')
      const chosen = new DataTransfer()
      chosen.items.add(new File([new Uint8Array(10_000_001)], 'huge.png'))
      input.files = chosen.files
      input.dispatchEvent(new Event('change'))
    })()`)
    await toast(page, 'huge.png is larger than 10 MB.')
  })

  test('captions in SubRip become a track with its language', async () => {
    const { channel_id, episode_id } = await aChannel()
    const { page, problems } = await at(`/episode/edit?id=${episode_id}&channel=${channel_id}`, teacher)
    await page.getByRole('button', { name: 'Add captions' }).click()
    await choose(page, 'tides.de.srt', '', SRT, page.locator('#video'))
    await page.getByText('tides.de.srt uploaded.').waitFor()
    await page.getByRole('button', { name: 'Publish', exact: true }).click()
    await toast(page, 'Published.')
    const { captions } = await ask(product, teacher, `/api/episodes/${episode_id}/video`)
    assert.equal(captions[0].lang, 'de')
    const reply = await fetch(product.learning + captions[0].url)
    assert.equal(reply.headers.get('content-type'), 'text/vtt; charset=utf-8')
    assert.match(await reply.text(), /^WEBVTT\n\n1\n00:00:00\.000 --> 00:00:05\.000\nThe sea rises\.\n$/)
    assert.deepEqual(problems, [])
  })

  test('a learner hands files in, and the teacher reads them', async () => {
    const { episode_id, homework_id } = await aChannel()
    const path = `/homework?id=${homework_id}&episode=${episode_id}`
    const { page, problems } = await at(path, learner, { viewport: { width: 360, height: 800 } })
    await choose(page, 'schöne Zeichnung.png', 'image/png', PNG)
    await page.getByText('schöne Zeichnung.png uploaded.').waitFor()
    await choose(page, 'wrong.txt', 'text/plain', 'wrong')
    await page.getByText('wrong.txt uploaded.').waitFor()
    await page.getByRole('button', { name: 'Remove wrong.txt' }).click()
    await page.reload()
    await page.locator('.attached li').waitFor()
    assert.deepEqual(await page.locator('.attached a').allInnerTexts(), ['schöne Zeichnung.png'])
    assert.equal(await page.evaluate('document.documentElement.scrollWidth > innerWidth'), false)
    assert.deepEqual(await axeFaults(page), [])
    await page.getByRole('button', { name: 'Hand in' }).click()
    await toast(page, 'handed in')
    assert.equal(await page.locator('.attached li').count(), 0)
    const link = page.getByRole('link', { name: 'schöne Zeichnung.png' })
    const href = (await link.getAttribute('href')) ?? ''
    assert.deepEqual(problems, [])
    const read = async (who: Somebody) => fetch(product.learning + href, { headers: who.headers })
    const reply = await read(teacher)
    assert.ok(Buffer.from(await reply.arrayBuffer()).equals(PNG))
    assert.equal((await read(await somebody(product, 'classmate@files.example.org'))).status, 404)
  })

  test('a picture that is also a script is not run by a page', async () => {
    const { channel_id } = await aChannel()
    const { page } = await at(`/channel/edit?id=${channel_id}`, teacher)
    await choose(page, 'x.gif', 'image/gif', 'GIF89a/*\0\0*/=1;globalThis.isRun=1')
    await page.getByText('x.gif uploaded.').waitFor()
    const url = await page.getByLabel('Cover image URL').inputValue()
    const { page: bare } = await aWindow()
    await bare.context().addCookies([cookieOf(product, teacher)])
    await bare.goto(`${product.learning}/health`)
    const outcome = await bare.evaluate(`new Promise((resolve) => {
      const script = document.createElement('script')
      script.onload = () => resolve('run')
      script.onerror = () => resolve('refused')
      script.src = ${JSON.stringify(url)}
      document.documentElement.append(script)
    })`)
    assert.deepEqual([outcome, await bare.evaluate('globalThis.isRun ?? 0')], ['refused', 0])
  })

  test('a list of addresses becomes drafts of a channel', async () => {
    const { channel_id } = await aChannel()
    const { page, problems } = await at(`/channel/edit?id=${channel_id}`, teacher)
    await page.getByRole('button', { name: 'Paste links' }).click()
    await page
      .getByLabel('Video links')
      .fill('Low water - https://vimeo.com/2\nhttps://media.example.org/neap_tide.mp4')
    await page.getByRole('button', { name: 'Add episodes' }).click()
    await toast(page, '2 episodes added below.')
    await page.getByRole('button', { name: 'Save changes' }).click()
    await toast(page, 'Saved.')
    const { episodes } = await ask(product, teacher, `/api/channels/${channel_id}`)
    type Shown = { title: string; status: string; video: { url: string } | null }
    assert.deepEqual(
      (episodes as Shown[]).map(({ title, status, video }) => [title, status, video?.url]),
      [
        ['High water', 'published', 'https://media.example.org/1.m3u8'],
        ['Low water', 'draft', 'https://vimeo.com/2'],
        ['neap tide', 'draft', 'https://media.example.org/neap_tide.mp4'],
      ],
    )
    assert.deepEqual(problems, [])
  })

  test('an episode is duplicated and moved, a channel duplicated', async () => {
    const { channel_id, episode_id } = await aChannel()
    const other = await ask(product, teacher, '/api/channels', { title: 'Another channel' })
    const { page, problems } = await at(`/episode/edit?id=${episode_id}&channel=${channel_id}`, teacher)
    await page.getByRole('button', { name: 'Duplicate', exact: true }).click()
    await page.waitForURL((url) => url.searchParams.get('id') !== episode_id)
    await page.locator('#page[aria-busy=false]').waitFor({ state: 'attached' })
    await page.getByRole('button', { name: 'Move to another channel' }).click()
    await page.getByRole('combobox', { name: 'Channel' }).selectOption('Another channel')
    await page.getByRole('button', { name: 'Move', exact: true }).click()
    await page.waitForURL((url) => url.searchParams.get('channel') === other.id)
    const moved = await ask(product, teacher, `/api/channels/${other.id}`)
    assert.deepEqual([moved.episodes[0].title, moved.episodes[0].status], ['High water', 'draft'])
    await page.goto(`${product.learning}/channel/edit?id=${channel_id}`)
    await page.getByRole('button', { name: 'Duplicate channel' }).click()
    await page.waitForURL((url) => url.searchParams.get('id') !== channel_id)
    const copy = await ask(product, teacher, `/api/channels/${new URL(page.url()).searchParams.get('id')}`)
    assert.deepEqual([copy.title, copy.status], ['Copy of Tides', 'draft'])
    assert.deepEqual(problems, [])
  })
})
