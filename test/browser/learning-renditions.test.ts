import assert from 'node:assert/strict'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { aWindow, axeFaults } from '#testing/browser.ts'
import { ask, cookieOf, type Somebody, somebody } from '#testing/campus.ts'
import { eventually } from '#testing/eventually.ts'
import type { Product } from '#testing/product.ts'
import { atOneName, sharedProduct } from '#testing/shared-product.ts'
import { startVideoServer } from '#testing/video.ts'

const { PICTURES } = process.env
if (PICTURES) mkdirSync(PICTURES, { recursive: true })

describe('captions and renditions of a video', () => {
  let product: Product
  let media: Awaited<ReturnType<typeof startVideoServer>>
  let teacher: Somebody
  before(async () => {
    media = await startVideoServer(20)
    product = atOneName(await sharedProduct())
    teacher = await somebody(product, 'teacher@renditions.example.org')
  })
  after(() => media.close())

  async function aLesson() {
    const captions = ['en', 'de', 'he'].map((lang) => ({
      lang,
      label: lang,
      url: `${media.captions}?${lang}.vtt`,
    }))
    const channel = await ask(product, teacher, '/api/channels', {
      title: 'Tides',
      episodes: [{ title: 'One', video: { url: media.video, height: 1080, duration_seconds: 20, captions } }],
    })
    const id = String(channel.episodes[0].id)
    return {
      id,
      path: (page: string) => `${page}?id=${id}&channel=${channel.id}`,
      video: () => ask(product, teacher, `/api/episodes/${id}/video`),
    }
  }
  async function at(path: string) {
    const { page, problems } = await aWindow({ reducedMotion: 'reduce' })
    await page.context().addCookies([cookieOf(product, teacher)])
    await open(page, path)
    return { page, problems }
  }
  async function open(page: Page, path: string) {
    await page.goto(product.learning + path)
    await page.locator('#page[aria-busy=false]').waitFor({ state: 'attached' })
  }
  const until = (page: Page, condition: string) => eventually(() => page.evaluate(condition))
  const showing = `Array.from(document.querySelector('video').textTracks).filter(({ mode }) => mode === 'showing').map(({ language }) => language).join()`

  test('one track is on by default, and the key c switches that one', async () => {
    const lesson = await aLesson()
    const { page, problems } = await at(lesson.path('/episode/edit'))
    const ticks = page.getByLabel('On by default')
    await ticks.nth(0).check()
    await ticks.nth(1).check()
    assert.deepEqual(await Promise.all([0, 1, 2].map((i) => ticks.nth(i).isChecked())), [false, true, false])
    const saved = page.waitForResponse((reply) => reply.request().method() === 'POST')
    await page.getByRole('button', { name: 'Publish', exact: true }).click()
    assert.equal((await saved).status(), 200)
    const { captions } = await lesson.video()
    assert.deepEqual(
      captions.map((one: { default: boolean }) => one.default),
      [false, true, false],
    )

    // Browsers sometimes show a track in the reader's language beside the default.
    await page.addInitScript(`new MutationObserver((changes) => {
      for (const { addedNodes } of changes)
        for (const node of addedNodes) if (node.srclang === 'en') node.track.mode = 'showing'
    }).observe(document, { childList: true, subtree: true })`)
    await open(page, lesson.path('/episode'))
    await until(page, `document.querySelectorAll('track').length === 3 && ${showing} === 'de'`)
    assert.deepEqual(
      await page.evaluate(`Array.from(document.querySelectorAll('track'), ({ srclang }) => srclang)`),
      ['en', 'de', 'he'],
    )
    // For a second and a half after that, switches are the browser's own and no choice.
    const shown = await page.evaluate<number>('performance.now()')
    await until(page, `performance.now() > ${shown + 1_600}`)
    await page.locator('h1').click()
    await page.keyboard.press('c')
    await until(page, `${showing} === ''`)
    await page.keyboard.press('c')
    await until(page, `${showing} === 'de'`)
    assert.deepEqual(problems, [])
  })

  test('learners choose among heights, go on where they were, and are offered theirs first the next time', async () => {
    const lesson = await aLesson()
    const { page, problems } = await at(lesson.path('/episode/edit'))
    const title = page.locator('#about [name=title]')
    await title.fill('Half written')
    await page.getByText('Renditions', { exact: true }).click()
    const dialog = page.locator('#video')
    for (const [i, height] of [720, 360].entries()) {
      await dialog.getByRole('button', { name: 'Add a rendition' }).click()
      await dialog.getByLabel('Height in pixels').nth(i).fill(String(height))
      await dialog.getByLabel('File URL').nth(i).fill(`${media.video}?${height}`)
    }
    assert.deepEqual(await axeFaults(page), [])
    for (const [width, colorScheme] of [
      [360, 'dark'],
      [1280, 'light'],
    ] as const) {
      await page.setViewportSize({ width, height: 900 })
      await page.emulateMedia({ colorScheme })
      if (PICTURES) await page.screenshot({ path: join(PICTURES, `renditions-${width}.png`) })
    }
    await page.getByRole('button', { name: 'Publish', exact: true }).click()
    await page.locator('#toasts').getByText('Published.').waitFor()
    const { sources, captions } = await lesson.video()
    assert.deepEqual(
      sources.map((one: { height: number }) => one.height),
      [720, 360],
    )
    assert.equal(captions.length, 3)
    assert.equal(await title.inputValue(), 'Half written')
    await open(page, lesson.path('/episode'))
    const quality = page.getByLabel('Quality', { exact: true })
    assert.deepEqual(await quality.locator('option').allInnerTexts(), ['1080p', '720p', '360p'])
    await until(page, `document.querySelector('video').readyState >= 1`)
    await page.evaluate(`void (document.querySelector('video').currentTime = 12)`)
    await quality.selectOption({ label: '360p' })
    await until(
      page,
      `document.querySelector('video').currentSrc.endsWith('?360') && Math.round(document.querySelector('video').currentTime) === 12`,
    )
    assert.deepEqual(await axeFaults(page), [])
    if (PICTURES) await page.screenshot({ path: join(PICTURES, 'quality-1280.png') })

    await open(page, lesson.path('/episode'))
    assert.deepEqual(await quality.locator('option').allInnerTexts(), ['360p', '720p', '1080p'])
    await until(page, `document.querySelector('video').currentSrc.endsWith('?360')`)
    assert.deepEqual(problems, [])
  })
})
