import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { aWindow, axeFaults } from '#testing/browser.ts'
import { ask, cookieOf, somebody } from '#testing/campus.ts'
import { eventually } from '#testing/eventually.ts'
import type { Product } from '#testing/product.ts'
import { sharedProduct } from '#testing/shared-product.ts'
import { startVideoServer } from '#testing/video.ts'

let product: Product
let media: Awaited<ReturnType<typeof startVideoServer>>
before(async () => {
  media = await startVideoServer(20)
  product = await sharedProduct()
})
after(async () => {
  await media.close()
})
const ready = (page: Page) => page.locator('#page[aria-busy=false]').waitFor({ state: 'attached' })

test('the header finds as one types, and opens the second that is spoken', async () => {
  const teacher = await somebody(product, 'finder@search.example.org')
  await ask(product, teacher, '/api/channels', {
    title: 'Astronomy',
    category: 'Physics',
    episodes: [
      {
        title: 'Parallax',
        video: { url: media.video, duration_seconds: 20, transcript: '[0:12] luminosity' },
      },
    ],
  })
  const { page, problems } = await aWindow()
  await page.context().addCookies([cookieOf(product, teacher)])
  await page.goto(`${product.learning}/grades`)
  await ready(page)
  await page.keyboard.press('Control+k')
  await page.keyboard.type('paralax')
  await page.getByRole('option', { name: 'Parallax' }).waitFor()
  assert.deepEqual(await axeFaults(page), [])
  await page.keyboard.press('Escape')
  await page.getByRole('combobox', { name: 'Search' }).fill('luminosity')
  await page.getByRole('option', { name: 'Spoken at 0:12' }).waitFor()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await page.waitForURL('**/episode?**&t=12')
  await ready(page)
  const now = 'Math.floor(document.querySelector("video").currentTime)'
  await eventually(
    () => page.evaluate<number>(now),
    (second) => second === 12,
  )
  await page.goto(`${product.learning}/channels?q=luminosity`)
  await ready(page)
  assert.equal(await page.locator('mark').first().textContent(), 'luminosity')
  await page.goto(`${product.learning}/channels`)
  await ready(page)
  await page.getByRole('combobox', { name: 'Subject' }).selectOption('Physics')
  await page.waitForURL('**/channels?category=Physics')
  await ready(page)
  assert.ok(await page.getByText('1 channel', { exact: true }).isVisible())
  assert.deepEqual(problems, [])
})
