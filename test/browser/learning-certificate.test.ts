import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { before, describe, test } from 'node:test'
import { aWindow, axeFaults } from '#testing/browser.ts'
import { ask, cookieOf, type Somebody, somebody } from '#testing/campus.ts'
import { call, type Product } from '#testing/product.ts'
import { sharedProduct } from '#testing/shared-product.ts'

const NAME = 'מרים O’Brien'

describe('the certificate of a channel', () => {
  let product: Product
  let channel: { id: string; episodes: { id: string }[] }
  let teacher: Somebody
  before(async () => {
    product = await sharedProduct()
    teacher = await somebody(product, 'teacher@diplomas.example.org')
    channel = await ask(product, teacher, '/api/channels', {
      title: 'Tides <b>& winds</b>',
      episodes: [{ title: 'One', status: 'published' }],
    })
  })

  async function learnerNamed(email: string, display_name: string) {
    const who = await somebody(product, email)
    const { user } = await ask(product, who, '/api/info')
    const url = `${product.sso}/api/v1/users/${user.id}`
    const { status } = await call(url, { headers: who.headers, body: { display_name }, method: 'PATCH' })
    assert.equal(status, 200)
    return who
  }
  async function at(path: string, who?: Somebody) {
    const { page, problems } = await aWindow({ reducedMotion: 'reduce', acceptDownloads: true })
    if (who) await page.context().addCookies([cookieOf(product, who)])
    const answer = await page.goto(product.learning + path)
    return { page, problems, status: answer?.status() }
  }

  test('is there once the channel is passed, as a page, a PDF and a code that strangers check', async () => {
    const learner = await learnerNamed('mira@diplomas.example.org', NAME)
    const url = `/channel?id=${channel.id}`
    await ask(product, learner, '/api/enroll', { channel_id: channel.id })
    const { page, problems } = await at(url, learner)
    await page.locator('#page[aria-busy=false]').waitFor({ state: 'attached' })
    assert.equal(await page.getByRole('button', { name: 'certificate' }).count(), 0)

    await page.goto(`${product.learning}/episode?id=${channel.episodes[0]?.id}&channel=${channel.id}`)
    await page.getByRole('button', { name: 'Mark as done' }).click()
    await page.getByText('Watched').first().waitFor()
    await page.goto(product.learning + url)
    await page.getByRole('button', { name: /certificate/i }).click()
    await page.getByRole('heading', { name: 'Certificate' }).waitFor()
    assert.equal(await page.locator('.certificate-name').innerText(), NAME)
    assert.equal(await page.locator('.certificate-title').innerText(), 'Tides <b>& winds</b>')
    const address = page.url()
    const code = new URL(address).searchParams.get('code') ?? ''

    const pdf = await page.getByRole('link', { name: 'PDF' }).getAttribute('href')
    const saved = page.waitForEvent('download')
    await page.evaluate(
      `Object.assign(document.createElement('a'), { href: ${JSON.stringify(pdf)}, download: 'certificate.pdf' }).click()`,
    )
    const bytes = await readFile(await (await saved).path())
    assert.match(bytes.subarray(0, 8).toString('latin1'), /^%PDF-1/)
    assert.ok(bytes.toString('latin1').includes(`/certificate?code=${code}`))
    assert.deepEqual(problems, [])

    const stranger = await at(`/certificate?code=${code}`)
    assert.equal(stranger.status, 200)
    assert.equal(await stranger.page.locator('.certificate-name').innerText(), NAME)
    await stranger.page
      .getByRole('status')
      .getByText(/genuine|valid/i)
      .waitFor()
    assert.ok(!(await stranger.page.content()).includes('mira@diplomas.example.org'))
    assert.deepEqual(await axeFaults(stranger.page), [])
    assert.deepEqual(stranger.problems, [])

    for (const place of [0, 20, 40, 63]) {
      const other = code[place] === 'A' ? 'B' : 'A'
      const changed = code.slice(0, place) + other + code.slice(place + 1)
      await stranger.page.goto(`${product.learning}/certificate?code=${changed}`)
      await stranger.page.getByRole('heading', { name: /not valid/ }).waitFor()
      assert.equal(await stranger.page.locator('.certificate').count(), 0)
      assert.ok(!(await stranger.page.content()).includes(NAME))
    }
  })

  test('of somebody else cannot be had, by who passed nothing and by who teaches', async () => {
    const [idle, outsider] = [
      await learnerNamed('ben@diplomas.example.org', 'Ben'),
      await learnerNamed('eve@diplomas.example.org', 'Eve'),
    ]
    await ask(product, idle, '/api/enroll', { channel_id: channel.id })
    const path = `${product.learning}/api/channels/${channel.id}/certificate`
    const statuses = []
    for (const { headers } of [idle, outsider, teacher])
      statuses.push((await call(path, { method: 'POST', headers, body: {} })).status)
    assert.deepEqual(statuses, [400, 403, 403])
    for (const who of [idle, teacher]) {
      const { page } = await at(`/channel?id=${channel.id}`, who)
      await page.locator('#page[aria-busy=false]').waitFor({ state: 'attached' })
      await page.waitForLoadState('networkidle')
      assert.equal(await page.getByRole('button', { name: /certificate/i }).count(), 0)
    }
  })
})
