import assert from 'node:assert/strict'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import { aWindow, axeFaults } from '#testing/browser.ts'
import { ask, cookieOf, somebody, type Somebody } from '#testing/campus.ts'
import type { Product } from '#testing/product.ts'
import { sharedProduct } from '#testing/shared-product.ts'

const { PICTURES } = process.env
const WRITTEN = `The root is $x = \\sqrt{a^2 + b^2}$, and it costs $5 or $10.

$$
\\sum_{i=1}^{n} i = \\frac{n(n+1)}{2}
$$

| Tide | Height \\| m |
|:---|---:|
| High | **7** |
| Low <b>x</b> | $h_0$ |

![A wave](https://media.example.org/wave.png)

![Evil](javascript:alert(1))
A broken $\\frac{1}{$ formula, and $\\href{javascript:alert(1)}{x}$.`

describe('texts of authors in a browser', () => {
  let product: Product
  let [teacher, channel_id, episode_id] = [] as unknown as [Somebody, string, string]
  before(async () => {
    product = await sharedProduct()
    teacher = await somebody(product, 'teacher@markdown.example.org')
    const made = await ask(product, teacher, '/api/channels', {
      title: 'Tides',
      description: 'Why the sea rises and falls twice a day, and how to know when.',
      episodes: [
        { title: 'High water', description: WRITTEN },
        { title: 'Plain', description: 'It costs $5.' },
      ],
    })
    ;[channel_id, episode_id] = [String(made.id), String(made.episodes[0].id)]
  })

  async function at(path: string, options = {}) {
    const { page, problems } = await aWindow(options)
    await page.context().addCookies([cookieOf(product, teacher)])
    await page.route('https://media.example.org/**', (route) => route.fulfill({ status: 204 }))
    await page.goto(product.learning + path)
    await page.locator('#page[aria-busy=false]').waitFor({ state: 'attached' })
    return { page, problems }
  }

  test('show formulas, tables and pictures, on a phone in the dark', async () => {
    const { page, problems } = await at(`/episode?id=${episode_id}`, {
      colorScheme: 'dark',
      viewport: { width: 360, height: 800 },
    })
    const text = page.locator('.prose').first()
    await text.locator('math').first().waitFor()
    await text.locator('.formula.block math msqrt, .formula.block math munderover').first().waitFor()
    assert.equal(await text.locator('math msqrt').count(), 1)
    assert.match((await text.textContent()) ?? '', /it costs \$5 or \$10/)
    assert.deepEqual(await text.getByRole('columnheader').allTextContents(), ['Tide', 'Height | m'])
    assert.equal(await text.locator('td strong').textContent(), '7')
    assert.match((await text.getByRole('cell').allTextContents()).join(), /Low <b>x<\/b>/)
    assert.equal(await text.getByAltText('A wave').count(), 1)
    assert.equal(await text.locator('img').count(), 1)
    assert.equal(await text.locator('a[href^=javascript]').count(), 0)
    assert.equal(await page.evaluate('document.documentElement.scrollWidth > innerWidth'), false)
    assert.deepEqual(await axeFaults(page), [])
    assert.deepEqual(problems, [])
    if (PICTURES) await page.screenshot({ path: join(PICTURES, 'markdown.png'), fullPage: true })
  })

  test('load KaTeX only where a formula stands', async () => {
    const channel = await ask(product, teacher, `/api/channels/${channel_id}`)
    const { page } = await at(`/episode?id=${channel.episodes[1].id}`)
    await page.getByText('It costs $5.').waitFor()
    const loaded = await page.evaluate<string[]>(
      `performance.getEntriesByType('resource').map(({ name }) => name)`,
    )
    assert.equal(
      loaded.some((name) => name.includes('katex')),
      false,
    )
  })

  test('make no more cells than they have characters', async () => {
    const wide = `${'|a'.repeat(240)}\n${'|-'.repeat(240)}\n${'|\n'.repeat(4_000)}`
    const made = await ask(product, teacher, '/api/channels', {
      title: 'Wide',
      episodes: [{ title: 'Wide', description: wide }],
    })
    const { page, problems } = await at(`/episode?id=${made.episodes[0].id}`)
    await page.getByRole('columnheader').first().waitFor()
    assert.ok((await page.locator('.prose td').count()) < wide.length)
    assert.deepEqual(problems, [])
  })

  test('are shown to their author as readers will see them', async () => {
    const { page, problems } = await at(`/episode/edit?id=${episode_id}&channel=${channel_id}`)
    const field = page.getByLabel('Description').first()
    const preview = page.locator('.text-preview').first()
    await preview.getByText('Preview').click()
    await preview.locator('math').first().waitFor()
    await field.fill('Now **bold**.')
    await preview.locator('strong').getByText('bold', { exact: true }).waitFor()
    assert.deepEqual(problems, [])
  })
})
