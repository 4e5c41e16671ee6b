import assert from 'node:assert/strict'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { aWindow, axeFaults } from '#testing/browser.ts'
import { aCampus, type Campus, cookieOf } from '#testing/campus.ts'
import { newDataDir, type Product, removeDataDir, startProduct } from '#testing/product.ts'
import { startVideoServer } from '#testing/video.ts'
import { learningViews } from '#testing/views.ts'
import { measure } from '#testing/vitals.ts'

/** Screenshots of every page go to the folder in PICTURES: `npm run pictures`. */
const { PICTURES } = process.env
if (PICTURES) mkdirSync(PICTURES, { recursive: true })

/** What search engines call good is 0.1. */
const MAX_SHIFT = 0.05
const MAX_CALLS = 5

describe('the 14 pages', () => {
  const dataDir = newDataDir()
  let [product, campus, media] = [] as unknown as [
    Product,
    Campus,
    Awaited<ReturnType<typeof startVideoServer>>,
  ]
  before(async () => {
    media = await startVideoServer(1_260)
    product = await startProduct(dataDir)
    campus = await aCampus(product, media.video)
  })
  after(async () => {
    await product.end()
    await media.close()
    removeDataDir(dataDir)
  })

  for (const colorScheme of ['light', 'dark'] as const)
    for (const width of [360, 1280])
      test(`pass axe and stay within bounds, ${colorScheme} at ${width} px`, async () => {
        const views = learningViews(campus)
        assert.equal(views.length, 14)
        views.push(['home-of-an-admin', 'admin', '/'])
        for (const [name, role, path] of views) {
          const { page, problems } = await aWindow({
            colorScheme,
            viewport: { width, height: 900 },
            reducedMotion: 'reduce',
          })
          await page.context().addCookies([cookieOf(product, campus[role])])
          const calls: string[] = []
          page.on('request', (request) => {
            const { pathname } = new URL(request.url())
            if (pathname.startsWith('/api/') || pathname === '/health') calls.push(pathname)
          })
          const { cls, moved } = await measure(page, product.learning + path)
          assert.ok(cls <= MAX_SHIFT, `${name} moves while it opens: ${moved}`)
          assert.equal(await page.locator('.panel').count(), 0, `${name} shows a refusal`)
          assert.ok(calls.length <= MAX_CALLS, `${name} asks ${calls.length} times: ${calls.join(' ')}`)
          assert.deepEqual(await axeFaults(page), [], name)
          const isWide = await page.evaluate('document.documentElement.scrollWidth > innerWidth')
          assert.equal(isWide, false, `${name} scrolls sideways`)
          assert.deepEqual(problems, [], name)
          if (name === 'innovation') assert.ok((await page.locator('.suggestion').count()) > 0)
          if (name === 'home-of-an-admin')
            assert.ok(await page.getByText('Waiting for your decision').isVisible())
          if (PICTURES)
            await page.screenshot({
              path: join(PICTURES, `${name}-${colorScheme}-${width}.png`),
              fullPage: true,
            })
          await page.context().close()
        }
      })

  test('say without JavaScript that it is needed', async () => {
    for (const [name, , path] of learningViews(campus)) {
      const { page } = await aWindow({ javaScriptEnabled: false })
      await page.goto(product.learning + path)
      assert.equal(await page.getByRole('heading', { level: 1 }).count(), 1, name)
      assert.ok(await page.getByRole('link', { name: 'My learning' }).isVisible(), name)
      assert.match(await page.locator('main').innerText(), /JavaScript, which is switched off/, name)
      await page.context().close()
    }
  })

  test('lead signed out visitors to the sign-in and back', async () => {
    for (const [name, , path] of learningViews(campus)) {
      if (name === 'system') continue
      const { page, problems } = await aWindow()
      await page.goto(product.learning + path)
      const link = page.locator('.panel').getByRole('link', { name: 'Sign in' })
      const address = new URL((await link.getAttribute('href')) ?? '')
      assert.equal(address.origin, product.sso, name)
      assert.equal(address.pathname, '/sign-in')
      assert.equal(address.searchParams.get('site_code'), 'learning')
      assert.equal(address.searchParams.get('return_to'), product.learning + path)
      assert.deepEqual(await axeFaults(page), [], name)
      assert.deepEqual(problems, [], name)
      await page.context().close()
    }
  })

  test('run right to left where the document does', async () => {
    for (const [name, role, path] of learningViews(campus)) {
      const { page } = await aWindow({ viewport: { width: 360, height: 800 } })
      await page.context().addCookies([cookieOf(product, campus[role])])
      await page.goto(product.learning + path)
      await page.locator('#page[aria-busy=false]').waitFor({ state: 'attached' })
      await page.evaluate('document.documentElement.dir = "rtl"')
      const isWide = await page.evaluate('document.documentElement.scrollWidth > innerWidth')
      assert.equal(isWide, false, `${name} scrolls sideways`)
      const brand = await page.locator('.brand').boundingBox()
      assert.ok((brand?.x ?? 0) > 180, `${name} keeps its brand at the left`)
      await page.context().close()
    }
  })
})
