import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { aWindow, axeFaults } from '#testing/browser.ts'
import { ask, cookieOf, type Somebody, somebody } from '#testing/campus.ts'
import { eventually } from '#testing/eventually.ts'
import type { Product } from '#testing/product.ts'
import { sharedProduct } from '#testing/shared-product.ts'
import { startVideoServer } from '#testing/video.ts'

describe('the day of a learner in a browser', () => {
  let product: Product
  let media: Awaited<ReturnType<typeof startVideoServer>>
  let teacher: Somebody
  let learner: Somebody

  before(async () => {
    media = await startVideoServer(20)
    product = await sharedProduct()
    teacher = await somebody(product, 'teacher@day.example.org')
    learner = await somebody(product, 'learner@day.example.org')
  })
  after(async () => {
    await media.close()
  })

  async function aLesson() {
    const video = {
      url: media.video,
      duration_seconds: 20,
      captions: [{ lang: 'en', label: 'English', url: media.captions }],
      chapters: [
        { start_seconds: 0, title: 'Beginning' },
        { start_seconds: 12, title: 'The end of it' },
      ],
      transcript: 'Written words.',
    }
    const made = await ask(product, teacher, '/api/channels', {
      title: 'Tides',
      episodes: [{ title: 'The water rises', video }],
    })
    return `/episode?id=${made.episodes[0].id}&channel=${made.id}`
  }
  async function aDevice(who: Somebody, options = {}) {
    const { page, problems } = await aWindow({ reducedMotion: 'reduce', ...options })
    await page.context().addCookies([cookieOf(product, who)])
    const open = async (path: string) => {
      await page.goto(product.learning + path)
      await page.locator('#page[aria-busy=false]').waitFor({ state: 'attached' })
      await until(page, 'document.querySelector("video")?.readyState >= 1')
    }
    return { page, problems, open }
  }
  /** Polls from outside, because the page's CSP forbids evaluating text. */
  const until = (page: Page, condition: string) => eventually(() => page.evaluate(condition))
  const notes = (page: Page) => page.getByRole('region', { name: 'My notes' })
  const talk = (page: Page) => page.getByRole('region', { name: 'Questions and answers' })

  test('begins on one device, and notes and questions go on at another', async () => {
    const path = await aLesson()
    const desk = await aDevice(learner)
    await desk.open(path)
    await desk.page.evaluate('document.querySelector("video").currentTime = 7.4')
    await desk.page.getByLabel('Note', { exact: true }).fill('<b>Remember</b> שלום')
    await desk.page.getByRole('button', { name: 'Save note at 0:07' }).click()
    await notes(desk.page).getByText('<b>Remember</b> שלום').waitFor()
    await desk.page.getByRole('button', { name: 'Bookmark 0:07' }).click()
    await notes(desk.page).getByRole('listitem').nth(1).waitFor()
    await desk.page.getByLabel('Your question').fill('Why **so** high?')
    await desk.page.getByLabel('About 0:07 in the video').check()
    await desk.page.getByRole('button', { name: 'Ask', exact: true }).click()
    await talk(desk.page).locator('strong', { hasText: 'so' }).waitFor()

    const phone = await aDevice(learner, { viewport: { width: 360, height: 740 }, colorScheme: 'dark' })
    await phone.open(path)
    await notes(phone.page).scrollIntoViewIfNeeded()
    await notes(phone.page).getByRole('button', { name: 'Go to 0:07' }).first().click()
    await until(phone.page, 'document.querySelector("video").currentTime >= 7')
    await phone.page.getByRole('button', { name: 'Delete the note at 0:07' }).last().click()
    await until(phone.page, 'document.querySelectorAll(".notes li").length === 1')
    await phone.page.getByRole('button', { name: 'Undo' }).click()
    await until(phone.page, 'document.querySelectorAll(".notes li").length === 2')
    assert.equal(await phone.page.evaluate('document.documentElement.scrollWidth <= 360'), true)
    assert.deepEqual(await axeFaults(phone.page), [])

    const desktop = await aDevice(teacher)
    await desktop.open(path)
    // What is far below is asked for when somebody goes there.
    await talk(desktop.page).scrollIntoViewIfNeeded()
    await talk(desktop.page).getByRole('button', { name: 'Answer learner@day.example.org' }).click()
    await desktop.page.getByLabel('Your answer').fill('The moon.')
    await desktop.page.getByRole('dialog').getByRole('button', { name: 'Answer', exact: true }).click()
    await talk(desktop.page).getByText('The moon.').waitFor()
    await desk.open(path)
    await talk(desk.page).scrollIntoViewIfNeeded()
    await talk(desk.page).getByText('The moon.').waitFor()
    assert.ok(await talk(desk.page).getByText('Teacher').first().isVisible())
    assert.equal(await desk.page.getByText('teacher@day.example.org').count(), 0)
    for (const { problems } of [desk, phone, desktop]) assert.deepEqual(problems, [])
  })

  test('reads a timed transcript that leads to its second and follows', async () => {
    const { page, problems, open } = await aDevice(learner)
    await open(await aLesson())
    await page.getByText('Transcript', { exact: true }).click()
    const cues = page.locator('.cue')
    await cues.last().click()
    await until(page, 'document.querySelector(".cue[aria-current]") !== null')
    await until(page, '[...document.querySelectorAll(".cue")].at(-1).getAttribute("aria-current") === "true"')
    assert.equal(await page.locator('.timeline span').count(), 2)
    assert.deepEqual(problems, [])
  })

  test('plays at the speed and volume of last time on this device', async () => {
    const { page, open } = await aDevice(learner)
    const path = await aLesson()
    await open(path)
    await page.evaluate('Object.assign(document.querySelector("video"), { playbackRate: 1.5, volume: 0.25 })')
    await until(page, 'localStorage["lyceum.player"]?.includes("0.25")')
    await open(path)
    const played =
      'JSON.stringify([document.querySelector("video").playbackRate, document.querySelector("video").volume])'
    assert.equal(await page.evaluate(played), '[1.5,0.25]')
  })
})
