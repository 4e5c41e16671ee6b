import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import type { BrowserContextOptions } from 'playwright-core'
import { aWindow, axeFaults } from '#testing/browser.ts'
import { ask, cookieOf, somebody, type Somebody } from '#testing/campus.ts'
import { call, type Product } from '#testing/product.ts'
import { atOneName, sharedProduct } from '#testing/shared-product.ts'

const HOUR = 3_600_000
const inHours = (hours: number, from = Date.now()) => new Date(from + hours * HOUR).toISOString()

describe('what people read on the pages of learning', () => {
  let product: Product
  let [teacher, learner] = [] as unknown as [Somebody, Somebody]
  let [channel_id, episode_id] = ['', '']

  before(async () => {
    product = atOneName(await sharedProduct())
    teacher = await somebody(product, 'teacher@reading.example.org')
    learner = await somebody(product, 'learner@reading.example.org')
    const channel = await ask(product, teacher, '/api/channels', {
      title: 'Tides and what they leave behind',
      episodes: [{ title: 'The water rises', video: { url: 'https://video.example/tides.mp4' } }],
    })
    channel_id = String(channel.id)
    episode_id = String(channel.episodes[0].id)
    await ask(product, learner, '/api/enroll', { channel_id })
  })

  async function at(path: string, who?: Somebody, options: BrowserContextOptions = {}) {
    const { page, problems } = await aWindow({ reducedMotion: 'reduce', ...options })
    if (who) await page.context().addCookies([cookieOf(product, who)])
    await page.goto(product.learning + path)
    await page.locator('#page[aria-busy=false]').waitFor({ state: 'attached' })
    return { page, problems }
  }
  const homeworkOf = async (fields: object) =>
    String((await ask(product, teacher, `/api/episodes/${episode_id}/homework`, fields)).id)

  test('calls a deadline tomorrow on the next date only', async () => {
    const evening = new Date().setUTCHours(18, 0, 0, 0)
    for (const [hours, words] of [
      [25, 'tomorrow'],
      [30.5, 'in 2 days'],
    ] as const) {
      const id = await homeworkOf({ title: `In ${hours} hours`, due_at: inHours(hours, evening) })
      const { page } = await aWindow({ timezoneId: 'UTC' })
      await page.context().addCookies([cookieOf(product, learner)])
      await page.clock.setFixedTime(evening)
      await page.goto(`${product.learning}/homework?id=${id}&episode=${episode_id}`)
      await page.locator('.facts').getByText(`(${words})`).waitFor()
      await page.context().close()
    }
  })

  test('leads a teacher from homework and test to the work of learners', async () => {
    const id = await homeworkOf({ title: 'A week of tides' })
    await ask(product, learner, `/api/episodes/homework/${id}/submit`, { text: 'Seven times' })
    const made = await ask(product, teacher, `/api/episodes/${episode_id}/tests`, { title: 'Quiz' })
    const { page, problems } = await at(`/homework?id=${id}&episode=${episode_id}`, teacher)
    assert.equal(await page.getByRole('button', { name: 'Hand in' }).count(), 0)
    await page.getByRole('link', { name: 'Grade 1 submission' }).click()
    await page.getByText('Seven times').waitFor()
    await page.goto(`${product.learning}/test?id=${made.id}&episode=${episode_id}`)
    await page.getByRole('link', { name: 'Edit the test' }).waitFor()
    await page.getByRole('link', { name: 'View results' }).click()
    await page.waitForURL(/\/test\/edit\?.*#results$/)
    assert.deepEqual(problems, [])
  })

  test('names the learner of work to grade, and the way back from it', async () => {
    const { page } = await at('/', teacher)
    await page.getByRole('link', { name: 'Grade it' }).click()
    await page.getByText('1 submission to grade').waitFor()
    await page.getByRole('link', { name: 'Grade A week of tides of learner@reading.example.org' }).click()
    const trail = page.getByRole('navigation', { name: 'You are here' })
    await trail.getByRole('link', { name: 'Tides and what they leave behind' }).waitFor()
    await trail.getByRole('link', { name: 'The water rises' }).waitFor()
  })

  test('warns who hands in late, and folds a new version below what was handed in', async () => {
    const id = await homeworkOf({ title: 'Yesterday', due_at: inHours(-20) })
    const address = `/homework?id=${id}&episode=${episode_id}`
    const { page } = await at(address, learner)
    await page.getByText(/This was due .* it counts as late/).waitFor()
    await page.getByLabel('Your answer').fill('Late')
    await page.getByRole('button', { name: 'Hand in' }).click()
    await page.getByRole('heading', { name: 'What you handed in' }).waitFor()
    assert.equal(await page.getByLabel('Your answer').isVisible(), false)
    await page.getByText('Hand in a new version').click()
    assert.ok(await page.getByLabel('Your answer').isVisible())
    assert.deepEqual(await axeFaults(page), [])
  })

  test('says Start before a channel is begun', async () => {
    const { page } = await at('/learning', learner)
    await page.getByRole('link', { name: 'Start Tides and what they leave behind' }).waitFor()
  })

  test('does not count work that is not due in the grade so far', async () => {
    const somebodyNew = await somebody(product, 'half@reading.example.org')
    const channel = await ask(product, teacher, '/api/channels', {
      title: 'Winds',
      episodes: [{ title: 'One' }],
    })
    const [episode] = channel.episodes as { id: string }[]
    const path = `/api/episodes/${episode?.id}/homework`
    const [done] = [
      await ask(product, teacher, path, { title: 'Done', max_score: 10 }),
      await ask(product, teacher, path, { title: 'Later', max_score: 10, due_at: inHours(90) }),
    ]
    await ask(product, somebodyNew, '/api/enroll', { channel_id: channel.id })
    const sent = await ask(product, somebodyNew, `/api/episodes/homework/${done.id}/submit`, { text: 'x' })
    const grade = `/api/episodes/homework/submissions/${sent.id}/grade`
    await ask(product, teacher, grade, { score: 9 }, 'PUT')
    const { page } = await at('/learning', somebodyNew)
    await page.getByText(/grade 90\s%/).waitFor()
  })

  test('offers channels to somebody in none, and tells a visitor what the place is for', async () => {
    const { page, problems } = await at('/', await somebody(product, 'fresh@reading.example.org'))
    await page.getByRole('heading', { name: 'Popular channels' }).waitFor()
    await page.getByRole('link', { name: 'Tides and what they leave behind' }).click()
    await page.getByRole('button', { name: 'Join this channel' }).waitFor()
    assert.deepEqual(problems, [])
    const visit = await at('/')
    await visit.page.getByRole('heading', { level: 1, name: 'Welcome to Lyceum' }).waitFor()
    await visit.page.getByText(/watch lessons, hand in homework/).waitFor()
  })

  test('shows a visitor of an episode what its channel is about', async () => {
    const { page } = await at(`/episode?id=${episode_id}&channel=${channel_id}`)
    await page.getByRole('heading', { level: 1, name: 'Tides and what they leave behind' }).waitFor()
    assert.ok(await page.getByRole('link', { name: 'Sign in to join' }).isVisible())
    const lost = await at(`/episode?id=${episode_id}`)
    await lost.page.getByRole('heading', { name: 'Sign in to continue' }).waitFor()
  })

  for (const width of [360, 1280])
    test(`keeps words whole in rosters and gradebooks at ${width} px`, async () => {
      const options = { viewport: { width, height: 800 } }
      for (const view of ['people', 'grades']) {
        const { page } = await at(`/channel?id=${channel_id}&view=${view}`, teacher, options)
        await page.locator('tbody tr').first().waitFor()
        assert.deepEqual(await page.evaluate<string[]>(BROKEN_WORDS), [], view)
        const row = await page.locator('tbody tr').first().boundingBox()
        assert.ok(row && row.y < 800, `${view}: the first row is at ${row?.y} px`)
        await page.context().close()
      }
    })

  test('shows all of a roster on a phone, labelled and without scrolling sideways', async () => {
    const options = { viewport: { width: 360, height: 800 } }
    const { page, problems } = await at(`/channel?id=${channel_id}&view=people`, teacher, options)
    const row = page.getByRole('table').getByRole('row').filter({ hasText: 'learner@reading.example.org' })
    await row.waitFor()
    const isWide = `(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)(document.querySelector('.scroll-x'))`
    assert.equal(await page.evaluate(isWide), false)
    const labels = await page.evaluate<string[]>(
      `[...document.querySelectorAll('tbody tr:first-child [data-label]')].map((cell) => getComputedStyle(cell, '::before').content)`,
    )
    assert.deepEqual(labels, ['"Progress"', '"Last seen"', '"Grade"'])
    assert.ok(await row.getByRole('button', { name: 'Remove' }).isVisible())
    if (process.env['PICTURES']) await page.screenshot({ path: `${process.env['PICTURES']}/roster.png` })
    assert.deepEqual(problems, [])
  })

  for (const locale of ['en-GB', 'de-DE', 'es-ES'])
    test(`fits rosters and the bar of the editor on a phone, in ${locale}`, async () => {
      const options = { locale, viewport: { width: 360, height: 740 } }
      const { page } = await at(`/channel?id=${channel_id}&view=people`, teacher, options)
      await page.clock.setFixedTime(Date.now() + 59 * 60_000)
      await page.reload()
      await page.locator('tbody td').first().waitFor()
      const wide = `[...document.querySelectorAll('tbody [data-label]')].filter((cell) => cell.scrollWidth > cell.clientWidth).map((cell) => cell.textContent)`
      assert.deepEqual(await page.evaluate(wide), [])

      await page.goto(`${product.learning}/episode/edit?id=${episode_id}&channel=${channel_id}`)
      await page.locator('#about [name=title]').fill(`The water rises again, ${locale}`)
      await page.locator('.editor-bar .quiet').waitFor()
      const buttons = await page.locator('.editor-bar .actions > *').all()
      const boxes = await Promise.all(buttons.map((button) => button.boundingBox()))
      assert.equal(boxes.length, 3)
      for (const box of boxes) assert.ok(box && box.height < 50 && Math.abs(box.y - (boxes[1]?.y ?? 0)) < 20)
      assert.equal(Math.round((boxes[2]?.x ?? 0) + (boxes[2]?.width ?? 0)), 344)
    })

  test('writes to nobody until somebody is selected, and selects everybody at once', async () => {
    const { page, problems } = await at(`/channel?id=${channel_id}&view=people`, teacher)
    const writer = page.getByRole('button', { name: 'Send an e-mail' })
    assert.ok(await writer.isDisabled())
    assert.ok(
      Number(await page.evaluate(`getComputedStyle(document.querySelector('button:disabled')).opacity`)) < 1,
    )
    const count = await page.locator('tbody tr').count()
    await page.getByRole('button', { name: `Select all ${count}` }).click()
    await page.getByRole('button', { name: /^Write to/ }).waitFor()
    assert.equal(await page.locator('tbody input:checked').count(), count)
    await page.getByRole('button', { name: 'Select none' }).click()
    assert.ok(await writer.isDisabled())
    assert.deepEqual(problems, [])
  })

  test('leads from a gradebook to the work that waits, whose points stand before their maximum', async () => {
    const id = await homeworkOf({ title: 'Currents', rubric: [{ criterion: 'Drawn', max_points: 100 }] })
    await ask(product, learner, `/api/episodes/homework/${id}/submit`, { text: 'Like a river' })
    const options = { viewport: { width: 360, height: 800 } }
    const { page, problems } = await at(`/channel?id=${channel_id}&view=grades`, teacher, options)
    await page.getByRole('link', { name: 'to grade: Grade Currents of learner@reading.example.org' }).click()
    await page.getByText('Like a river').waitFor()
    const points = await page.getByLabel('Drawn').boundingBox()
    const most = await page.getByText('of 100', { exact: true }).boundingBox()
    assert.ok(points && most && points.x + points.width < most.x)
    assert.ok(Math.abs(points.y + points.height / 2 - most.y - most.height / 2) < 3)
    assert.deepEqual(problems, [])
  })

  test('shows the whole name of a learner in a gradebook, whatever it holds', async () => {
    const named = await somebody(product, 'ann@reading.example.org')
    const { user } = await ask(product, named, '/api/info')
    const profile = { headers: named.headers, method: 'PATCH', body: { display_name: 'Ann @ Home @ Sea' } }
    await call(`${product.sso}/api/v1/users/${user.id}`, profile)
    await ask(product, named, '/api/enroll', { channel_id })
    await homeworkOf({ title: 'Names' })
    const { page } = await at(`/channel?id=${channel_id}&view=grades`, teacher)
    await page.getByRole('link', { name: 'Ann @ Home @ Sea', exact: true }).waitFor()
    await ask(product, named, `/api/enrollments/${channel_id}`, undefined, 'DELETE')
  })

  test('shows questions to their author as learners see them, and the way back to the lesson', async () => {
    const made = await ask(product, teacher, `/api/episodes/${episode_id}/tests`, { title: 'Neap tides' })
    await ask(product, teacher, `/api/episodes/tests/${made.id}/questions`, {
      questions: [
        {
          type: 'true_false',
          prompt: 'Is the *neap* tide **low**?',
          correct: true,
          explanation: 'See `tides`.',
        },
      ],
    })
    const { page, problems } = await at(`/test/edit?id=${made.id}&episode=${episode_id}`, teacher)
    const question = page.getByRole('listitem').filter({ hasText: 'Is the neap tide low?' })
    await question.locator('strong', { hasText: 'low' }).waitFor()
    await question.locator('code', { hasText: 'tides' }).waitFor()
    await page
      .getByRole('navigation', { name: 'You are here' })
      .getByRole('link', { name: 'Episode' })
      .click()
    await page.waitForURL(`${product.learning}/episode?id=${episode_id}`)
    await page.goto(`${product.learning}/test/edit?id=${made.id}&episode=${episode_id}&channel=${channel_id}`)
    const trail = page.getByRole('navigation', { name: 'You are here' })
    await trail.getByRole('link', { name: 'Tides and what they leave behind' }).waitFor()
    await trail.getByRole('link', { name: 'The water rises' }).waitFor()
    assert.deepEqual(problems, [])
  })

  test('lets answers in Hebrew run from the right, with their buttons', async () => {
    const made = await ask(product, teacher, `/api/episodes/${episode_id}/tests`, { title: 'מבחן' })
    await ask(product, teacher, `/api/episodes/tests/${made.id}/questions`, {
      questions: [
        {
          type: 'single_choice',
          prompt: 'איזה צבע?',
          options: [{ text: 'אדום', correct: true }, { text: 'Blue' }],
        },
      ],
    })
    const { page } = await at(`/test?id=${made.id}&episode=${episode_id}`, learner)
    await page.getByRole('button', { name: 'Start the test' }).click()
    for (const [name, isRight] of [
      ['אדום', true],
      ['Blue', false],
    ] as const) {
      const dot = await page.getByRole('radio', { name }).boundingBox()
      const text = await page.getByText(name, { exact: true }).boundingBox()
      assert.ok(dot && text)
      assert.equal(dot.x > text.x, isRight, name)
    }
  })
})

/** Words of a table, other than addresses, that stand on more than one line. */
const BROKEN_WORDS = `(() => {
  const broken = []
  const texts = document.createTreeWalker(document.querySelector('table'), NodeFilter.SHOW_TEXT)
  for (let text = texts.nextNode(); text; text = texts.nextNode())
    for (const { 0: word, index } of text.data.matchAll(/[\\p{L}\\d.]+(?:\\u00a0%)?/gu)) {
      const range = document.createRange()
      range.setStart(text, index)
      range.setEnd(text, index + word.length)
      const lines = new Set(Array.from(range.getClientRects(), ({ top }) => Math.round(top)))
      if (lines.size > 1 && !text.data.includes('@')) broken.push(word)
    }
  return broken
})()`
