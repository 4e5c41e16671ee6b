import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { aWindow } from '#testing/browser.ts'
import { aCampus, type Campus, cookieOf } from '#testing/campus.ts'
import type { Product } from '#testing/product.ts'
import { atOneName, sharedProduct } from '#testing/shared-product.ts'
import { startVideoServer } from '#testing/video.ts'
import { learningViews } from '#testing/views.ts'

describe('the 14 pages', () => {
  let [product, campus, media] = [] as unknown as [
    Product,
    Campus,
    Awaited<ReturnType<typeof startVideoServer>>,
  ]
  before(async () => {
    media = await startVideoServer(1_260)
    product = atOneName(await sharedProduct())
    campus = await aCampus(product, media.video)
  })
  after(() => media.close())

  test('show an ADMIN what waits, and suggestions', async () => {
    const { page } = await aWindow()
    await page.context().addCookies([cookieOf(product, campus.admin)])
    await page.goto(product.learning)
    await page.getByText('Waiting for your decision').waitFor()
    await page.goto(`${product.learning}/innovation`)
    await page.locator('.suggestion').first().waitFor()
  })

  test('say without JavaScript that it is needed', async () => {
    const { page } = await aWindow({ javaScriptEnabled: false })
    const views = learningViews(campus)
    assert.equal(views.length, 14)
    for (const [name, , path] of views) {
      await page.goto(product.learning + path)
      assert.equal(await page.getByRole('heading', { level: 1 }).count(), 1, name)
      assert.ok(await page.getByRole('link', { name: 'My learning' }).isVisible(), name)
      assert.match(await page.locator('main').innerText(), /JavaScript, which is switched off/, name)
    }
  })

  test('lead signed out visitors to the sign-in and back', async () => {
    const { page, problems } = await aWindow()
    for (const [name, , path] of learningViews(campus)) {
      if (name === 'system') continue
      await page.goto(product.learning + path)
      const link = page.locator('.panel').getByRole('link', { name: 'Sign in' })
      const address = new URL((await link.getAttribute('href')) ?? '')
      assert.equal(address.origin, product.sso, name)
      assert.equal(address.pathname, '/sign-in')
      assert.equal(address.searchParams.get('site_code'), 'learning')
      assert.equal(address.searchParams.get('return_to'), product.learning + path)
      assert.deepEqual(problems, [], name)
    }
  })

  test('run right to left where the document does', async () => {
    const { page } = await aWindow({ viewport: { width: 360, height: 800 } })
    for (const [name, role, path] of learningViews(campus)) {
      await page.context().addCookies([cookieOf(product, campus[role])])
      await page.goto(product.learning + path)
      await page.locator('#page[aria-busy=false]').waitFor({ state: 'attached' })
      await page.evaluate('document.documentElement.dir = "rtl"')
      const isWide = await page.evaluate('document.documentElement.scrollWidth > innerWidth')
      assert.equal(isWide, false, `${name} scrolls sideways`)
      const brand = await page.locator('.brand').boundingBox()
      assert.ok((brand?.x ?? 0) > 180, `${name} keeps its brand at the left`)
    }
  })
})
