import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { aWindow, axeFaults } from '#testing/browser.ts'
import { ask, cookieOf, type Somebody, somebody } from '#testing/campus.ts'
import type { Product } from '#testing/product.ts'
import { atOneName, sharedProduct } from '#testing/shared-product.ts'

describe('the bell of learning', () => {
  let product: Product
  let teacher: Somebody
  let learner: Somebody

  before(async () => {
    product = atOneName(await sharedProduct())
    teacher = await somebody(product, 'teacher@notifications.example.org')
    learner = await somebody(product, 'learner@notifications.example.org')
    const channel = await ask(product, teacher, '/api/channels', {
      title: 'שלום 🧵',
      episodes: [{ title: 'One' }],
    })
    const [episode] = channel.episodes as { id: string }[]
    for (const title of ['Knots', 'עבודה 👩‍👩‍👧‍👦']) {
      const homework = await ask(product, teacher, `/api/episodes/${episode?.id}/homework`, { title })
      const sent = await ask(product, learner, `/api/episodes/homework/${homework.id}/submit`, { text: 'x' })
      await ask(product, teacher, `/api/episodes/homework/submissions/${sent.id}/grade`, { score: 90 }, 'PUT')
    }
  })

  test('lists what is new, within the width of a phone', async () => {
    const width = 360
    const { page, problems } = await aWindow({ viewport: { width, height: 760 }, colorScheme: 'dark' })
    await page.context().addCookies([cookieOf(product, learner)])
    await page.goto(`${product.learning}/`)
    const bell = page.getByRole('button', { name: 'Notifications, 2 unread' })
    await bell.press('Enter')
    const list = page.locator('#notifications')
    await list.getByRole('link', { name: 'Knots' }).waitFor()
    assert.equal(await list.locator('.notice.is-unread').count(), 2)
    const box = await list.boundingBox()
    assert.ok(box && box.x >= 0 && box.x + box.width <= width, JSON.stringify(box))
    assert.deepEqual(await axeFaults(page), [])
    assert.deepEqual(problems, [])
    const { PICTURES } = process.env
    if (PICTURES) await page.screenshot({ path: `${PICTURES}/bell.png` })
    await page.keyboard.press('Escape')
    await list.waitFor({ state: 'hidden' })
  })

  test('is set by kind, gives an address of a calendar and is read', async () => {
    const { page, problems } = await aWindow()
    await page.context().addCookies([cookieOf(product, learner)])
    await page.goto(`${product.learning}/`)
    await page.getByRole('button', { name: 'Notifications, 2 unread' }).click()
    await page.locator('#notifications').getByRole('button', { name: 'Settings' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('New episodes: By e-mail').uncheck()
    await dialog.getByRole('button', { name: 'Create a link' }).click()
    const address = await dialog.getByLabel('Calendar link').inputValue()
    assert.deepEqual(await axeFaults(page), [])
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.waitFor({ state: 'detached' })
    const settings = await ask(product, learner, '/api/notifications/settings')
    assert.deepEqual(settings.episode, { in_page: true, by_mail: false })
    assert.match(await (await fetch(address)).text(), /^BEGIN:VCALENDAR\r\n/)

    await page.getByRole('button', { name: 'Notifications, 2 unread' }).click()
    await page.getByRole('button', { name: 'Mark all as read' }).click()
    await page.getByRole('button', { name: 'Notifications', exact: true }).waitFor()
    assert.equal(await page.locator('.bell-count').isVisible(), false)
    assert.deepEqual(problems, [])
  })

  test('shows where one is in forced colours', async () => {
    const { page } = await aWindow({ forcedColors: 'active' })
    await page.context().addCookies([cookieOf(product, learner)])
    await page.goto(`${product.learning}/learning`)
    const current = page.locator('.top nav a[aria-current]')
    const outline = await current.evaluate((link) => {
      type Window = { getComputedStyle: (of: unknown) => Record<string, string> }
      const style = (globalThis as unknown as Window).getComputedStyle(link)
      return `${style['outlineStyle']} ${style['outlineWidth']}`
    })
    assert.equal(outline, 'solid 2px')
  })

  test('leaves the header and buttons out on paper', async () => {
    const { page } = await aWindow()
    await page.context().addCookies([cookieOf(product, learner)])
    await page.goto(`${product.learning}/grades`)
    await page.locator('#page[aria-busy=false]').waitFor({ state: 'attached' })
    await page.emulateMedia({ media: 'print' })
    assert.equal(await page.locator('header.top').isVisible(), false)
    assert.equal(await page.locator('main h1').isVisible(), true)
    assert.equal(await page.locator('main button:visible').count(), 0)
  })
})
