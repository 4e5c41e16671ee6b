import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { aWindow, axeFaults } from '#testing/browser.ts'
import { ask, cookieOf, type Somebody, somebody } from '#testing/campus.ts'
import type { Product } from '#testing/product.ts'
import { atOneName, sharedProduct } from '#testing/shared-product.ts'

describe('a page that cannot show its content', () => {
  let product: Product
  let learner: Somebody
  before(async () => {
    product = atOneName(await sharedProduct())
    learner = await somebody(product, 'learner@states.example.org')
  })
  const signedIn = async () => {
    const { page, problems } = await aWindow({ reducedMotion: 'reduce' })
    await page.context().addCookies([cookieOf(product, learner)])
    return { page, problems }
  }

  test('counts down Retry-After and continues by itself', async () => {
    const { page } = await signedIn()
    let asked = 0
    await page.route('**/api/channels?*', async (route) => {
      asked += 1
      if (asked > 1) return route.continue()
      return route.fulfill({
        status: 429,
        headers: { 'Retry-After': '2' },
        json: { detail: 'Too many requests' },
      })
    })
    await page.goto(`${product.learning}/channels`)
    await page.getByRole('heading', { name: 'One moment, please' }).waitFor()
    assert.match(await page.locator('.panel').innerText(), /continues by itself in [12] s/)
    assert.deepEqual(await axeFaults(page), [])
    await page.locator('.catalogue').waitFor()
    assert.equal(asked, 2)
  })

  test('offers to try again after failures, and recovers', async () => {
    const { page } = await signedIn()
    await page.route('**/api/channels?*', (route) =>
      route.fulfill({ status: 500, json: { detail: 'Internal server error' } }),
    )
    await page.goto(`${product.learning}/channels`)
    await page.getByRole('heading', { name: 'That did not work' }).waitFor()
    assert.deepEqual(await axeFaults(page), [])
    await page.unroute('**/api/channels?*')
    await page.route('**/api/channels?*', (route) => route.abort())
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('heading', { name: 'The service is not responding' }).waitFor()
    await page.unroute('**/api/channels?*')
    await page.evaluate('dispatchEvent(new Event("online"))')
    await page.locator('.catalogue').waitFor()
  })

  test('has one sentence and one next step when empty', async () => {
    const { page, problems } = await signedIn()
    for (const [path, action] of [
      ['/', 'Browse channels'],
      ['/learning', 'Browse channels'],
      ['/grades', 'To your channels'],
      ['/channels?q=nothingiscalledlikethis', 'Show all channels'],
    ] as const) {
      await page.goto(product.learning + path)
      await page.locator('.empty').getByRole('link', { name: action }).waitFor()
      assert.deepEqual(await axeFaults(page), [], path)
    }
    assert.deepEqual(problems, [])
  })
})

describe('untrusted content', () => {
  let product: Product
  before(async () => void (product = atOneName(await sharedProduct())))

  test('appears as text, never as markup or script', async () => {
    const author = await somebody(product, 'author@states.example.org')
    const nasty = '<img src=x onerror="document.title=1"><script>1</script>'
    const channel = await ask(product, author, '/api/channels', {
      title: nasty,
      description: `${nasty}\n\n[click](javascript:alert(1)) [fine](https://example.org/a) **b** \`c\`\n\n> quote\n\n- item`,
      category: nasty.slice(0, 80),
      tags: ['<b>x</b>'],
      episodes: [{ title: nasty, description: nasty, authors: [nasty.slice(0, 50)] }],
    })
    const { page, problems } = await aWindow()
    await page.context().addCookies([cookieOf(product, author)])
    const episode = `/episode?id=${channel.episodes[0].id}&channel=${channel.id}`
    for (const path of ['/', '/channels', `/channel?id=${channel.id}`, episode]) {
      await page.goto(product.learning + path)
      await page.locator('#page[aria-busy=false]').waitFor({ state: 'attached' })
      assert.ok((await page.getByText(nasty).count()) > 0, path)
      assert.equal(await page.locator('main img, main script, main b:text("x")').count(), 0, path)
      assert.notEqual(await page.title(), '1')
    }
    await page.goto(`${product.learning}/channel?id=${channel.id}`)
    const links = page.locator('.prose a')
    await links.first().waitFor()
    assert.equal(await links.count(), 1)
    assert.equal(await links.getAttribute('href'), 'https://example.org/a')
    assert.equal(await links.getAttribute('rel'), 'noopener nofollow')
    for (const tag of ['strong', 'code', 'blockquote', 'li'])
      assert.equal(await page.locator(`.prose ${tag}`).count(), 1)
    assert.deepEqual(problems, [])
  })

  test('never becomes a link of another scheme, however disguised', async () => {
    const { page } = await aWindow()
    await page.goto(product.learning)
    await page.locator('.panel').waitFor()
    const shown = (addresses: string[]) =>
      page.evaluate<string[]>(`
        import(document.querySelector('script[type=module]').src.replace(/[^/]*$/, 'html.ts')).then(({ html }) =>
          ${JSON.stringify(addresses)}.map((address) => html\`<a href=\${address}></a>\`.getAttribute('href')))`)
    const odd = [
      'javascript:1',
      'java\tscript:1',
      '\u0001javascript:1',
      ' JavaScript:1',
      'data:text/html,x',
      'http://[',
    ]
    assert.deepEqual(
      await shown(odd),
      odd.map(() => '#'),
    )
    const fine = ['https://example.org/a', '/channel?id=1', '#part', 'mailto:anna@states.example.org']
    assert.deepEqual(await shown(fine), fine)
  })

  test('cannot break the policy of the page', async () => {
    const { page } = await aWindow()
    await page.goto(product.learning)
    await page.locator('.panel').waitFor()
    const tried = await page.evaluate(`(() => {
      const outcomes = []
      for (const [name, attempt] of Object.entries({
        markup: () => { document.body.innerHTML = '<p>' },
        policy: () => trustedTypes.createPolicy('other', {}),
      })) try { attempt(); outcomes.push(name) } catch {}
      return outcomes
    })()`)
    assert.deepEqual(tried, [])
  })
})

describe('the frame of every page', () => {
  let product: Product
  before(async () => void (product = atOneName(await sharedProduct())))

  test('starts with a skip link and follows the reading order', async () => {
    const { page } = await aWindow()
    await page.goto(`${product.learning}/channels`)
    await page.locator('.panel').waitFor()
    const walk: string[] = []
    for (let step = 0; step < 10; step++) {
      await page.keyboard.press('Tab')
      walk.push(await page.evaluate('document.activeElement.ariaLabel ?? document.activeElement.innerText'))
    }
    assert.deepEqual(walk, [
      'Skip to content',
      'Lyceum',
      'Home',
      'Channels',
      'My learning',
      'Grades',
      'Search',
      'Use dark colours',
      'Sign in',
      'Sign in',
    ])
    await page.goto(`${product.learning}/channels`)
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    assert.equal(await page.evaluate('document.activeElement.id'), 'main')
  })

  test('reloads for the person now signed in when restored', async () => {
    const [anna, ben] = [
      await somebody(product, 'anna@states.example.org'),
      await somebody(product, 'ben@states.example.org'),
    ]
    const { page } = await aWindow()
    const account = (email: string) => page.getByRole('button', { name: `Account of ${email}` })
    const become = (who: Somebody) => page.context().addCookies([cookieOf(product, who)])
    const restored = 'dispatchEvent(new PageTransitionEvent("pageshow", { persisted: true }))'
    await become(anna)
    await page.goto(`${product.learning}/learning`)
    await account(anna.email).waitFor()
    const isHidden = await page.evaluate(`window.isSame = true; ${restored}; document.body.hidden`)
    assert.equal(isHidden, true, 'shown before it is known for whom')
    await account(anna.email).waitFor()
    assert.equal(await page.evaluate('window.isSame'), true)

    await become(ben)
    await page.evaluate('document.dispatchEvent(new Event("visibilitychange"))')
    await account(ben.email).waitFor()
    await become(anna)
    await page.evaluate(restored)
    await account(anna.email).waitFor()

    // A sign-out does not interrupt work on an open page, but a page restored by the back button shows nothing.
    await page.context().clearCookies()
    const asked = page.waitForResponse('**/api/info')
    await page.evaluate('document.dispatchEvent(new Event("visibilitychange"))')
    await asked
    assert.ok(await account(anna.email).isVisible())
    await page.evaluate(restored)
    await page.getByRole('heading', { name: 'Sign in to continue' }).waitFor()
    assert.equal(await account(anna.email).count(), 0)
  })

  test('works with an invalid browser language', async () => {
    const { page, problems } = await aWindow()
    await page.addInitScript("Object.defineProperty(navigator, 'languages', { value: ['en-US@posix'] })")
    await page.context().addCookies([cookieOf(product, await somebody(product, 'posix@states.example.org'))])
    await page.goto(`${product.learning}/channels`)
    await page.locator('#page[aria-busy=false]').waitFor({ state: 'attached' })
    assert.deepEqual(problems, [])
  })

  test("follows the system's colours until somebody chooses", async () => {
    const { page, problems } = await aWindow({ colorScheme: 'light' })
    const ground = () => page.evaluate<string>('getComputedStyle(document.body).backgroundColor')
    await page.goto(product.learning)
    const light = await ground()
    await page.emulateMedia({ colorScheme: 'dark' })
    const dark = await ground()
    assert.notEqual(dark, light)
    await page.getByRole('button', { name: 'Use light colours' }).click()
    assert.equal(await ground(), light)
    await page.goto(`${product.learning}/grades`)
    assert.equal(await ground(), light)
    assert.deepEqual(problems, [])
  })
})
