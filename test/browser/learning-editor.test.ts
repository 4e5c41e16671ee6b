import assert from 'node:assert/strict'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { aWindow, axeFaults } from '#testing/browser.ts'
import { ask, cookieOf, type Somebody, somebody } from '#testing/campus.ts'
import { eventually } from '#testing/eventually.ts'
import { call, type Product } from '#testing/product.ts'
import { sharedProduct } from '#testing/shared-product.ts'
import { startVideoServer } from '#testing/video.ts'

const { PICTURES } = process.env
if (PICTURES) mkdirSync(PICTURES, { recursive: true })

describe('the editor of a lesson', () => {
  let product: Product
  let media: Awaited<ReturnType<typeof startVideoServer>>
  let teacher: Somebody & { id: string }
  let second: Somebody & { id: string }
  let learner: Somebody
  before(async () => {
    media = await startVideoServer(20)
    product = await sharedProduct()
    teacher = await named('teacher@editor.example.org', 'Olga')
    second = await named('second@editor.example.org', 'Dana')
    learner = await somebody(product, 'learner@editor.example.org')
  })
  after(async () => {
    await media.close()
  })
  async function named(email: string, display_name: string) {
    const who = await somebody(product, email)
    const { user } = await ask(product, who, '/api/info')
    const url = `${product.sso}/api/v1/users/${user.id}`
    await call(url, { headers: who.headers, body: { display_name }, method: 'PATCH' })
    return { ...who, id: String(user.id) }
  }

  async function aLesson(episode: object = {}) {
    const channel = await ask(product, teacher, '/api/channels', {
      title: 'Tides',
      status: 'published',
      visibility: 'public',
      instructor_ids: [second.id],
      episodes: [{ title: 'High water', ...episode }],
    })
    const id = String(channel.episodes[0].id)
    const change = (fields: object) =>
      ask(product, teacher, `/api/channels/${channel.id}`, { episodes: [{ id, ...fields }] }, 'PUT')
    const own = `id=${id}&channel=${channel.id}`
    return {
      id,
      path: `/episode/edit?${own}`,
      change,
      learnerPath: `/episode?${own}`,
      seen: async () => (await ask(product, learner, `/api/channels/${channel.id}`)).episodes[0],
      kept: async () => {
        const { changes } = await ask(product, teacher, `/api/episodes/${id}/changes`)
        return Object.fromEntries(
          (changes as { name: string; value: unknown }[]).map(({ name, value }) => [name, value]),
        )
      },
    }
  }
  async function at(path: string, who: Somebody) {
    const { page, problems } = await aWindow({
      reducedMotion: 'reduce',
      viewport: { width: 1280, height: 900 },
    })
    await page.context().addCookies([cookieOf(product, who)])
    await open(page, path)
    return { page, problems }
  }
  async function open(page: Page, path: string) {
    await page.goto(product.learning + path)
    await page.locator('#page[aria-busy=false]').waitFor({ state: 'attached' })
  }
  const said = (page: Page, text: string) =>
    page.locator('.editor-bar').getByText(text, { exact: true }).waitFor()
  const holds = (field: Locator, text: string) =>
    eventually(
      () => field.inputValue(),
      (value) => value === text,
    )
  const title = (page: Page) => page.locator('#about [name=title]')
  const publish = (page: Page) => page.getByRole('button', { name: 'Publish', exact: true }).click()
  const toast = (page: Page, text: string) => page.locator('#toasts').getByText(text).first().waitFor()
  /** For a state that only a story reaches, on a phone in the dark. */
  async function isFine(page: Page, name: string) {
    await page.emulateMedia({ colorScheme: 'dark' })
    await page.setViewportSize({ width: 360, height: 900 })
    assert.equal(await page.evaluate('document.documentElement.scrollWidth > innerWidth'), false)
    assert.deepEqual(await axeFaults(page), [], name)
    if (PICTURES) await page.screenshot({ path: join(PICTURES, `${name}.png`), fullPage: true })
    await page.setViewportSize({ width: 1280, height: 900 })
  }

  test('every part is typed in one page, continued in another browser, and published at once', async () => {
    const lesson = await aLesson({ status: 'draft' })
    const { page, problems } = await at(lesson.path, teacher)
    await said(page, 'Draft, not visible to learners')
    await title(page).fill('Spring tides')
    await page.getByLabel('Description').first().fill('Why the sea **rises**.')
    await page.getByLabel('Video URL').fill(media.video)
    await page.getByLabel('Video URL').press('Tab')
    await holds(page.getByLabel('Duration'), '0:20')
    await page.getByRole('button', { name: 'Add captions' }).click()
    await page.keyboard.type('en')
    await page.getByLabel('URL of the .vtt file').fill(media.captions)
    await page.getByText('Renditions', { exact: true }).click()
    await page.getByRole('button', { name: 'Add a rendition' }).click()
    await page.keyboard.type('360')
    await page.getByLabel('File URL').fill(`${media.video}?360`)
    await page.getByRole('button', { name: 'Add a chapter' }).click()
    await page.keyboard.type('0:12')
    await page.getByLabel('Chapter', { exact: true }).fill('The ebb')
    await page.getByLabel('Transcript').fill('The water rises.')
    await said(page, 'Draft saved')
    await page.reload()
    await page.locator('#page[aria-busy=false]').waitFor({ state: 'attached' })
    assert.equal(await title(page).inputValue(), 'Spring tides')
    assert.equal(await page.getByLabel('Chapter', { exact: true }).inputValue(), 'The ebb')

    await page.getByRole('button', { name: 'New homework' }).click()
    const homework = page.locator('#homework .work-panel')
    await homework.getByLabel('Title').fill('Watch the sea')
    await homework.getByRole('button', { name: 'Add a criterion' }).click()
    await homework.getByRole('textbox', { name: 'Criterion' }).fill('Seen')
    await homework.locator('.rowlist').getByLabel('Points').fill('10')
    await page.getByRole('button', { name: 'New test' }).click()
    await page.getByRole('dialog').getByLabel('Title').fill('Tides quiz')
    await page.getByRole('dialog').getByRole('button', { name: 'Create and add questions' }).click()
    await page.locator('#tests summary', { hasText: 'Add a question' }).click()
    await page.getByRole('button', { name: /^True or false/ }).click()
    await page.getByRole('dialog').getByLabel('Question', { exact: true }).fill('Is the sea wet?')
    await page.getByRole('dialog').getByRole('button', { name: 'Add question' }).click()
    await page.locator('#tests .work-words').getByText('1 question', { exact: true }).waitFor()
    await said(page, 'Draft saved')
    await isFine(page, 'editor')

    // Another device goes on with it.
    const other = await at(lesson.path, teacher)
    assert.equal(await title(other.page).inputValue(), 'Spring tides')
    // Homework and tests come when they are looked at.
    await other.page.locator('#homework').scrollIntoViewIfNeeded()
    await other.page.getByRole('button', { name: 'Edit Watch the sea' }).click()
    const panel = other.page.locator('#homework .work-panel')
    assert.equal(await panel.getByRole('textbox', { name: 'Criterion' }).inputValue(), 'Seen')
    await panel.getByLabel('Instructions').fill('Draw it.')
    await said(other.page, 'Draft saved')
    assert.equal(await lesson.seen(), undefined)
    await publish(other.page)
    await toast(other.page, 'Published.')
    await said(other.page, 'Everything is published')
    await publish(other.page)
    await toast(other.page, 'Nothing to publish: learners already see everything.')
    assert.deepEqual(await lesson.kept(), {})
    assert.deepEqual(other.problems, [])
    assert.deepEqual(problems, [])

    const reader = await at(lesson.learnerPath, learner)
    const text = await reader.page.locator('main').innerText()
    for (const part of ['Spring tides', 'Why the sea rises.', 'The ebb', 'Watch the sea', 'Tides quiz'])
      assert.ok(text.includes(part), `${part} in ${text}`)
    const seen = await lesson.seen()
    assert.deepEqual(
      [seen.status, seen.homework_count, seen.test_count, seen.video.has_captions, seen.video.has_transcript],
      ['published', 1, 1, true, true],
    )
    const { items } = await ask(product, learner, `/api/episodes/${lesson.id}/homework`)
    assert.deepEqual(
      [items[0].title, items[0].instructions, items[0].rubric[0].criterion],
      ['Watch the sea', 'Draw it.', 'Seen'],
    )
  })

  test('a half-typed change of a published lesson stays with its authors until *Publish*', async () => {
    const lesson = await aLesson({ video: { url: media.video, duration_seconds: 20 } })
    const { page, problems } = await at(lesson.path, teacher)
    await said(page, 'Everything is published')
    await title(page).fill('Low wat')
    await said(page, 'Draft saved')
    assert.deepEqual([(await lesson.seen()).title, await lesson.kept()], ['High water', { title: 'Low wat' }])
    await page.getByText('Not published yet: Title').waitFor()
    await title(page).fill('')
    await page.getByRole('button', { name: 'Add a chapter' }).click()
    await page.keyboard.type('0:20')
    await page.getByLabel('Chapter', { exact: true }).fill('Late')
    await publish(page)
    await page.locator('#about .fault').getByText('Must not be empty').waitFor()
    await page.locator('#video .fault').getByText('before the end of the video, 0:20').waitFor()
    const start = page.locator('.video-form [data-field$="start_seconds"] input')
    assert.equal(await start.last().getAttribute('aria-invalid'), 'true')
    await page.getByRole('link', { name: 'Start 1: must be before the end of the video, 0:20' }).waitFor()
    const fault = await page.locator('#video .fault').boundingBox()
    assert.ok(fault && fault.height < 30, 'the fault of a short field stands on one line')
    const widths = [title(page), page.getByLabel('Video URL')].map(
      async (one) => (await one.boundingBox())?.width,
    )
    assert.equal(await widths[0], await widths[1], 'fields of one column are equally wide')
    await isFine(page, 'editor-faults')
    assert.equal((await lesson.seen()).title, 'High water')
    await page.getByRole('button', { name: 'Discard changes' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Discard changes' }).click()
    await toast(page, 'Discarded.')
    assert.equal(await title(page).inputValue(), 'High water')
    assert.equal(await page.getByLabel('Chapter', { exact: true }).count(), 0)
    await title(page).fill('Low water')
    await publish(page)
    await toast(page, 'Published.')
    assert.equal((await lesson.seen()).title, 'Low water')
    assert.deepEqual(problems, [])
  })

  test('two teachers see what the other typed, and of one field compare both texts', async () => {
    const lesson = await aLesson()
    const [one, two] = [await at(lesson.path, teacher), await at(lesson.path, second)]
    await title(one.page).fill('By Olga')
    await said(one.page, 'Draft saved')
    await two.page.getByLabel('Description').first().fill('By Dana')
    await said(two.page, 'Draft saved')
    // Dana sees the title of Olga, which she has not touched.
    await holds(title(two.page), 'By Olga')
    await two.page.getByText('Title (Olga)').waitFor()
    await title(two.page).fill('By Dana, later')
    await title(one.page).fill('By Olga, later')
    const disputed = [one.page, two.page].map((page) => page.getByText(/also changed this: Title/))
    const [olga, dana] = disputed
    assert.ok(olga && dana)
    await Promise.race([olga.waitFor(), dana.waitFor()])
    const loser = (await olga.isVisible()) ? one.page : two.page
    const [mine, theirs] =
      loser === one.page ? ['By Olga, later', 'By Dana, later'] : ['By Dana, later', 'By Olga, later']
    assert.equal(await title(loser).inputValue(), mine)
    await loser.getByRole('button', { name: 'Compare' }).click()
    const dialog = loser.getByRole('dialog')
    for (const text of [mine, theirs]) await dialog.getByRole('cell', { name: text, exact: true }).waitFor()
    await isFine(loser, 'editor-conflict')
    await dialog.getByRole('button', { name: 'Save mine' }).click()
    await said(loser, 'Draft saved')
    assert.deepEqual(await lesson.kept(), { title: mine, description: 'By Dana' })
    await publish(loser)
    await toast(loser, 'Published.')
    const seen = await lesson.seen()
    assert.deepEqual([seen.title, seen.description], [mine, 'By Dana'])
    assert.deepEqual([one.problems, two.problems], [[], []])
  })

  test('who types into homework that somebody else deletes is told that nobody keeps it', async () => {
    const { id, path, kept } = await aLesson()
    const { id: homework_id } = await ask(product, teacher, `/api/episodes/${id}/homework`, {
      title: 'Watch',
    })
    const { page, problems } = await at(`${path}&part=homework`, teacher)
    await page.getByRole('button', { name: 'Edit Watch' }).click()
    const task = page.locator('#homework .work-panel').getByLabel('Instructions')
    await task.waitFor()
    await ask(product, second, `/api/episodes/homework/${homework_id}`, undefined, 'DELETE')
    await task.fill('Look at the sea.')
    await page.locator('#about').getByLabel('Title').fill('Higher water')
    await page.getByRole('status').getByText('Deleted by somebody else, not saved: Watch').waitFor()
    assert.deepEqual(await kept(), { title: 'Higher water' })
    assert.equal(await task.inputValue(), 'Look at the sea.')
    await publish(page)
    await said(page, 'Everything is published')
    await page.locator('#homework .work-panel').waitFor({ state: 'detached' })
    assert.deepEqual(problems, [])
  })

  test('a field that was published by another way meanwhile is compared before it is published', async () => {
    const lesson = await aLesson()
    const { page, problems } = await at(lesson.path, teacher)
    await title(page).fill('Typed')
    await said(page, 'Draft saved')
    await lesson.change({ title: 'Published elsewhere' })
    await publish(page)
    const dialog = page.getByRole('dialog')
    for (const text of ['High water', 'Published elsewhere', 'Typed'])
      await dialog.getByRole('cell', { name: text, exact: true }).waitFor()
    await dialog.getByRole('button', { name: 'Take theirs' }).click()
    await said(page, 'Everything is published')
    await holds(title(page), 'Published elsewhere')
    await title(page).fill('Typed again')
    await publish(page)
    await toast(page, 'Published.')
    assert.equal((await lesson.seen()).title, 'Typed again')
    assert.deepEqual(
      problems.filter((problem) => !/\b400\b/.test(problem)),
      [],
    )
  })

  test('what is typed without a network stays on the device and is sent later', async () => {
    const lesson = await aLesson()
    const { page } = await at(lesson.path, teacher)
    await page.context().setOffline(true)
    await title(page).fill('Typed on a train')
    await said(page, 'Offline, kept on this device')
    await isFine(page, 'editor-offline')
    assert.deepEqual(await lesson.kept(), {})
    await page.goto('about:blank')
    await page.context().setOffline(false)
    await open(page, lesson.path)
    assert.equal(await title(page).inputValue(), 'Typed on a train')
    await said(page, 'Draft saved')
    assert.deepEqual(await lesson.kept(), { title: 'Typed on a train' })
    assert.equal((await lesson.seen()).title, 'High water')
  })

  test('what is typed after the session ended is sent once somebody is signed in again', async () => {
    const lesson = await aLesson()
    const { page } = await at(lesson.path, teacher)
    await page.context().clearCookies()
    await title(page).fill('Typed while signed out')
    await said(page, 'Signed out, kept on this device')
    assert.deepEqual(await lesson.kept(), {})
    await page.context().addCookies([cookieOf(product, teacher)])
    await said(page, 'Draft saved')
    assert.deepEqual(await lesson.kept(), { title: 'Typed while signed out' })
  })

  test('an episode is taken back from learners, and what was typed stays', async () => {
    const lesson = await aLesson()
    const { page } = await at(lesson.path, teacher)
    await title(page).fill('Not yet')
    await said(page, 'Draft saved')
    await page.getByRole('button', { name: 'Unpublish' }).click()
    const loaded = page.waitForEvent('load')
    await page.getByRole('dialog').getByRole('button', { name: 'Unpublish' }).click()
    await loaded
    await page.locator('#page[aria-busy=false]').waitFor({ state: 'attached' })
    await said(page, 'Draft, not visible to learners')
    assert.deepEqual([await lesson.seen(), await title(page).inputValue()], [undefined, 'Not yet'])
  })

  test('one write at a time is under way, a moment after the last key', async () => {
    const lesson = await aLesson()
    const { page } = await at('/', teacher)
    // The time of this page stands still, except where the test moves it.
    await page.clock.install()
    await open(page, lesson.path)
    await page.clock.pauseAt(Date.now() + 60_000)
    const held: (() => Promise<void>)[] = []
    let all = 0
    await page.route('**/changes', async (route) => {
      if (route.request().method() !== 'PUT') return route.continue()
      all += 1
      held.push(() => route.continue())
    })
    await title(page).fill('')
    for (const key of 'Typed slowly') {
      await title(page).press(key)
      await page.clock.runFor(120)
    }
    assert.equal(all, 0)
    await page.clock.runFor(1_500)
    await eventually(() => all === 1)
    await title(page).pressSequentially(', key by key')
    await page.clock.runFor(10_000)
    assert.equal(all, 1)
    await held.shift()?.()
    await eventually(async () => {
      await page.clock.runFor(1_500)
      return all === 2
    })
    await held.shift()?.()
    await said(page, 'Draft saved')
    assert.deepEqual([all, await lesson.kept()], [2, { title: 'Typed slowly, key by key' }])
    await page.context().close()
  })

  test('the keyboard reaches every act', async () => {
    const lesson = await aLesson({ video: { url: media.video, duration_seconds: 20 } })
    const { page } = await at(lesson.path, teacher)
    await title(page).focus()
    await page.keyboard.press('End')
    await page.keyboard.type('!')
    await page.keyboard.press('Control+s')
    await page.getByRole('button', { name: 'Publish', exact: true }).focus()
    await page.keyboard.press('Enter')
    await toast(page, 'Published.')
    assert.equal((await lesson.seen()).title, 'High water!')
  })
})
