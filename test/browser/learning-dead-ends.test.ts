import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { aWindow, axeFaults } from '#testing/browser.ts'
import { ask, cookieOf, type Somebody, somebody } from '#testing/campus.ts'
import { newDataDir, type Product, removeDataDir, startProduct } from '#testing/product.ts'

const DEAD = 'https://media.example.org/gone.mp4'

describe('learning without dead ends', () => {
  const dataDir = newDataDir()
  let product: Product
  let teacher: Somebody
  let people = 0

  before(async () => {
    product = await startProduct(dataDir)
    teacher = await somebody(product, 'teacher@example.org')
  })
  after(async () => {
    await product.end()
    removeDataDir(dataDir)
  })

  const newcomer = () => somebody(product, `person-${(people += 1)}@example.org`)
  const ready = (page: Page) => page.locator('#page[aria-busy=false]').waitFor({ state: 'attached' })

  async function windowOf(who: Somebody) {
    const { page, problems } = await aWindow({ reducedMotion: 'reduce' })
    await page.context().addCookies([cookieOf(product, who)])
    const open = async (path: string) => {
      await page.goto(product.learning + path)
      await ready(page)
    }
    return { page, problems, open }
  }

  /** A channel of the teacher. The answer names its episodes. */
  const aChannel = (channel: object) => ask(product, teacher, '/api/channels', { title: 'Tides', ...channel })
  const episodePath = (channel: { id: string; episodes: { id: string }[] }, place: number) =>
    `/episode?id=${channel.episodes[place]?.id}&channel=${channel.id}`

  describe('an episode without a playable video', () => {
    test('is marked as done one by one, and the channel goes on', async () => {
      const channel = await aChannel({
        sequential: true,
        episodes: [
          { title: 'Only text', description: 'Read this.' },
          { title: 'Dead link', video: { url: DEAD, duration_seconds: 100 } },
          { title: 'Embedded', video: { url: 'https://tube.example.org/w/abc', kind: 'embed' } },
          { title: 'The end' },
        ],
      })
      const learner = await newcomer()
      const { page, open } = await windowOf(learner)
      await page.route(DEAD, (route) => route.fulfill({ status: 404 }))
      await open(episodePath(channel, 0))
      for (const title of ['Only text', 'Dead link', 'Embedded', 'The end']) {
        await page.getByRole('heading', { level: 1, name: title }).waitFor()
        await page.getByRole('button', { name: 'Mark as done' }).click()
        await page.locator('.watched').getByText('Watched').waitFor()
        assert.deepEqual(await axeFaults(page), [], title)
        const next = page.locator('.up-next').getByRole('link', { name: 'Next episode' })
        if (title !== 'The end') await next.click()
      }
      await page.getByText('You have finished every episode of “Tides”.').waitFor()
      const { items } = await ask(product, learner, '/api/enrollments')
      assert.equal(items[0].status, 'completed')
    })

    test('cannot be skipped where watching is strict', async () => {
      const channel = await aChannel({
        episodes: [{ title: 'Watch me', video: { url: DEAD, duration_seconds: 100, strict_watch: true } }],
      })
      const learner = await newcomer()
      const { page, open } = await windowOf(learner)
      await page.route(DEAD, (route) => route.fulfill({ status: 404 }))
      await open(episodePath(channel, 0))
      await page.getByText('has to be watched here').waitFor()
      assert.equal(await page.getByRole('button', { name: 'Mark as done' }).count(), 0)
      const body = { episode_id: channel.episodes[0].id, completed: true, unplayable: true }
      assert.equal((await ask(product, learner, '/api/progress', body)).completed, false)
    })
  })

  describe('completing an episode', () => {
    test('opens the next one, its ring and its work without a reload', async () => {
      const channel = await aChannel({ sequential: true, episodes: [{ title: 'One' }, { title: 'Two' }] })
      const [one] = channel.episodes
      await ask(product, teacher, `/api/episodes/${one.id}/homework`, { title: 'An essay' })
      const { id } = await ask(product, teacher, `/api/episodes/${one.id}/tests`, { title: 'A quiz' })
      const { page, problems, open } = await windowOf(await newcomer())
      await open(episodePath(channel, 0))
      const siblings = page.locator('.siblings')
      assert.equal(await siblings.getByRole('link', { name: 'Two' }).count(), 0)
      assert.equal(await page.locator('.neighbour.is-next').count(), 0)
      await page.evaluate('window.isSamePage = true')
      await page.getByRole('button', { name: 'Mark as done' }).click()
      await siblings.getByRole('link', { name: 'Two' }).waitFor()
      assert.equal(await siblings.locator('[aria-current] .ring.is-done').count(), 1)
      assert.ok(await page.locator('.neighbour.is-next').isVisible())
      const links = page.locator('.up-next a')
      assert.deepEqual(await links.allInnerTexts(), [
        'Do the homework “An essay”',
        'Take the test “A quiz”',
        'Next episode: Two',
      ])
      assert.match((await links.nth(1).getAttribute('href')) ?? '', new RegExp(`^/test\\?id=${id}&`))
      assert.equal(await page.evaluate('window.isSamePage'), true)
      assert.deepEqual(problems, [])
    })

    test('is asked for by name on the page of a locked episode', async () => {
      const channel = await aChannel({
        title: 'In order',
        sequential: true,
        episodes: [{ title: 'One' }, { title: 'Two' }, { title: 'Three' }],
      })
      const { page, open } = await windowOf(await newcomer())
      for (const path of [episodePath(channel, 2), `/episode?id=${channel.episodes[2].id}`]) {
        await open(path)
        await page.getByRole('heading', { level: 1, name: 'Three' }).waitFor()
        await page.getByRole('heading', { name: '“Three” is locked' }).waitFor()
        assert.ok(await page.locator('.panel').getByRole('link', { name: 'In order' }).isVisible())
        assert.deepEqual(await axeFaults(page), [])
      }
      await page.getByRole('link', { name: 'Go to “One”' }).click()
      await page.getByRole('button', { name: 'Mark as done' }).waitFor()
    })
  })
})
