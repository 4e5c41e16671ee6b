import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { before, describe, test } from 'node:test'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { aWindow, axeFaults } from '#testing/browser.ts'
import { ask, cookieOf, somebody, type Somebody, theAdmin } from '#testing/campus.ts'
import { newDataDir, type Product, removeDataDir, startProduct } from '#testing/product.ts'
import { atOneName, sharedProduct } from '#testing/shared-product.ts'

const LEARNERS = 120
const AT_ONCE = 6

describe('the day of a teacher with three channels and 120 learners', () => {
  let product: Product
  let teacher: Somebody
  const learners: Somebody[] = []
  const channels: { id: string; homework: string; episode: string }[] = []

  before(async () => {
    product = atOneName(await sharedProduct())
    teacher = await somebody(product, 'teacher@teaching.example.org')
    for (const title of ['Tides <b>', 'שלום 🌊', 'Winds']) {
      const made = await ask(product, teacher, '/api/channels', {
        title,
        episodes: [{ title: `${title} one` }],
      })
      const episode = String(made.episodes[0].id)
      const homework = await ask(product, teacher, `/api/episodes/${episode}/homework`, {
        title: `Work on ${title}`,
      })
      channels.push({ id: String(made.id), episode, homework: String(homework.id) })
    }
    const numbers = Array.from({ length: LEARNERS }, (_, i) => i)
    const work = async () => {
      for (let i = numbers.shift(); i !== undefined; i = numbers.shift()) learners[i] = await join(i)
    }
    await Promise.all(Array.from({ length: AT_ONCE }, work))
    for (const [learner, place] of [
      [3, 0],
      [5, 0],
      [7, 0],
      [9, 0],
      [11, 0],
      [0, 1],
      [1, 2],
    ] as const)
      await ask(product, learnerAt(learner), `/api/episodes/homework/${channelAt(place).homework}/submit`, {
        text: `The work of ${learner}`,
      })
  })

  const channelAt = (i: number) => {
    const found = channels[i]
    assert.ok(found)
    return found
  }
  const learnerAt = (i: number) => {
    const found = learners[i]
    assert.ok(found)
    return found
  }
  /** Everybody learns in the first channel, the first two also in one of the others. */
  async function join(i: number): Promise<Somebody> {
    const who = await somebody(product, `learner-${i}@teaching.example.org`)
    for (const [place, { id }] of channels.entries())
      if (place === 0 || place === i + 1) await ask(product, who, '/api/enroll', { channel_id: id })
    return who
  }

  async function at(path: string, options: BrowserContextOptions = {}, who = teacher) {
    const { page, problems } = await aWindow({ reducedMotion: 'reduce', ...options })
    await page.context().addCookies([cookieOf(product, who)])
    await page.goto(product.learning + path)
    await ready(page)
    return { page, problems }
  }
  const ready = (page: Page) => page.locator('#page[aria-busy=false]').waitFor({ state: 'attached' })

  test('leads from the home page over the oldest work to a saved grade', async () => {
    const { page, problems } = await at('/')
    await page.getByRole('heading', { name: 'To grade' }).waitFor()
    await page.getByRole('link', { name: 'All 7 to grade' }).click()
    await page.getByText('7 submissions to grade, oldest first').waitFor()
    const rows = page.locator('ol.rows > li')
    assert.equal(await rows.count(), 7)
    assert.match((await rows.first().textContent()) ?? '', /learner-3@teaching\.example\.org/)
    await page.getByLabel('Channel').selectOption({ label: 'Winds' })
    await page.getByText('1 submission to grade').waitFor()
    await page.goto(`${product.learning}/grading`)
    await rows.nth(2).getByRole('link').click()
    await page.getByText('The work of 7').waitFor()
    await page.getByLabel('Points').first().fill('80')
    await page.getByRole('button', { name: 'Save and next' }).click()
    await page.getByText('The work of 7').waitFor({ state: 'detached' })
    await page.goto(`${product.learning}/grading`)
    await page.getByText('6 submissions to grade, oldest first').waitFor()
    assert.deepEqual(problems, [])
  })

  test('lists who learns, writes to one of them and removes another', async () => {
    const { page, problems } = await at(`/channel?id=${channelAt(0).id}`)
    await page.getByRole('link', { name: 'People', exact: true }).click()
    await page.getByText('100 of 120 learners').waitFor()
    await page.getByRole('button', { name: 'Show all 120' }).click()
    await page.getByText('120 of 120 learners').waitFor()
    assert.equal(await page.locator('.roster tbody tr').count(), LEARNERS)
    await page.getByLabel('Select learner-50@teaching.example.org').check()
    await page.getByRole('button', { name: 'Write to 1 person' }).click()
    await page.getByLabel('Subject').fill('Where are you?')
    await page.getByLabel('Message').fill('We miss you.')
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await page.getByText(/Sent to \d pe/).waitFor()
    await page.getByRole('button', { name: 'Remove learner-119@teaching.example.org' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
    await page.getByText('learner-119@teaching.example.org is removed.').waitFor()
    assert.equal(await page.locator('.roster tbody tr').count(), LEARNERS - 1)
    await ask(product, learnerAt(119), '/api/enroll', { channel_id: channelAt(0).id })
    assert.deepEqual(problems, [])
  })

  test('ends in a gradebook whose CSV has a line for each of 120 learners', async () => {
    const { page, problems } = await at(`/channel?id=${channelAt(0).id}&view=grades`)
    await page
      .getByRole('row', { name: /learner-7@teaching\.example\.org/ })
      .getByText('80')
      .first()
      .waitFor()
    await page.getByLabel('Show').selectOption({ label: 'With work to grade' })
    assert.equal(await page.locator('.gradebook tbody tr').count(), 4)
    await page.getByLabel('Show').selectOption({ label: 'Everyone' })
    await page.getByLabel('Search names').fill('learner-11')
    await page.getByText('120 of 120 learners').waitFor()
    // learner-11 and learner-110 to learner-119.
    assert.equal(await page.locator('.gradebook tbody tr').count(), 11)
    const saved = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Export CSV' }).click()
    const lines = (await readFile(await (await saved).path(), 'utf8')).trim().split('\r\n')
    assert.equal(lines.length, LEARNERS + 1)
    assert.equal(new Set(lines).size, LEARNERS + 1)
    assert.equal(lines.find((line) => line.includes('learner-7@'))?.split(',')[2], '80')
    assert.deepEqual(problems, [])
  })

  test('shows one learner with each piece of work', async () => {
    const { page, problems } = await at(`/channel?id=${channelAt(0).id}&view=grades`)
    await page.getByRole('link', { name: 'learner-7@teaching.example.org' }).click()
    await page.getByRole('heading', { level: 1, name: 'learner-7@teaching.example.org' }).waitFor()
    await page.getByRole('link', { name: /View submission/ }).click()
    await page.getByText('The work of 7').waitFor()
    assert.deepEqual(problems, [])
  })

  test('gives one learner more time, and the learner sees it', async () => {
    const { homework, episode, id } = channelAt(0)
    const due_at = new Date(Date.now() + 86_400_000).toISOString()
    await ask(product, teacher, `/api/episodes/homework/${homework}`, { due_at }, 'PUT')
    const { user } = await ask(product, learnerAt(20), '/api/info')
    const { page, problems } = await at(`/channel?id=${id}&view=grades&learner=${user.id}`)
    await page.getByRole('button', { name: /^Extend deadline/ }).click()
    await page.getByLabel('New deadline').fill('2099-12-31T12:00')
    await page.getByRole('button', { name: 'Save deadline' }).click()
    await page.getByText(/extended, ends/).waitFor()
    assert.deepEqual(await axeFaults(page), [])
    const { items } = await ask(product, learnerAt(20), `/api/episodes/${episode}/homework`)
    assert.match(items[0].due_at, /^2099-12-31/)
    const others = await ask(product, learnerAt(21), `/api/episodes/${episode}/homework`)
    assert.equal(others.items[0].due_at.slice(0, 16), due_at.slice(0, 16))
    await page.getByRole('button', { name: /^Extend deadline/ }).click()
    await page.getByLabel('New deadline').fill('')
    await page.getByRole('button', { name: 'Save deadline' }).click()
    await page.getByText(/extended, ends/).waitFor({ state: 'detached' })
    assert.deepEqual(problems, [])
  })

  test('shows learners nothing of it', async () => {
    const { page } = await at(`/channel?id=${channelAt(0).id}&view=grades`, {}, learnerAt(2))
    await page.getByRole('heading', { name: 'Episodes' }).waitFor()
    assert.equal(await page.getByRole('link', { name: 'Gradebook' }).count(), 0)
    assert.equal(await page.locator('.gradebook').count(), 0)
  })
})

/** On a program of its own, for which nobody has set up e-mail. */
test('a new ADMIN is told what is not set up yet, until they hide it', async (t) => {
  const dataDir = newDataDir()
  const product = await startProduct(dataDir)
  t.after(async () => {
    await product.end()
    removeDataDir(dataDir)
  })
  const { page, problems } = await aWindow({ reducedMotion: 'reduce' })
  await page.context().addCookies([cookieOf(product, await theAdmin(product))])
  await page.goto(product.learning)
  await page.getByRole('heading', { name: 'Set up your network' }).waitFor()
  const mail = page.getByRole('link', { name: /Set up e-mail/ })
  assert.equal(await mail.getAttribute('href'), `${product.sso}/console/settings`)
  await page.getByRole('button', { name: 'Hide this list' }).click()
  await page.reload()
  await page.locator('#page[aria-busy=false]').waitFor({ state: 'attached' })
  assert.equal(await page.getByRole('heading', { name: 'Set up your network' }).count(), 0)
  assert.deepEqual(problems, [])
})
