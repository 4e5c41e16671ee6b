import assert from 'node:assert/strict'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import { aWindow, axeFaults } from '#testing/browser.ts'
import { ask, cookieOf, type Somebody, somebody } from '#testing/campus.ts'
import { call, type Product } from '#testing/product.ts'
import { sharedProduct } from '#testing/shared-product.ts'

const { PICTURES } = process.env
if (PICTURES) mkdirSync(PICTURES, { recursive: true })

describe('teaching together', () => {
  let product: Product
  before(async () => void (product = await sharedProduct()))
  async function named(email: string, display_name: string) {
    const who = await somebody(product, email)
    const { user } = await ask(product, who, '/api/info')
    const url = `${product.sso}/api/v1/users/${user.id}`
    await call(url, { headers: who.headers, body: { display_name }, method: 'PATCH' })
    return { ...who, id: String(user.id) }
  }
  async function at(path: string, who: Somebody, width = 1280) {
    const { page, problems } = await aWindow({ reducedMotion: 'reduce', viewport: { width, height: 900 } })
    await page.context().addCookies([cookieOf(product, who)])
    await page.goto(product.learning + path)
    await page.locator('#page[aria-busy=false]').waitFor({ state: 'attached' })
    return { page, problems }
  }

  test('an owner finds a learner by name, takes them in, goes on with the form and takes them out', async () => {
    const [owner, learner] = [
      await named('owner@together.example.org', 'Olga'),
      await named('dana@together.example.org', 'דנה כהן'),
    ]
    const { id } = await ask(product, owner, '/api/channels', {
      title: 'Tides',
      episodes: [{ title: 'One' }],
    })
    await ask(product, learner, '/api/enroll', { channel_id: id })
    const path = `/channel/edit?id=${id}`
    const { page, problems } = await at(path, owner)
    await page.getByRole('button', { name: 'Teachers' }).click()
    const part = page.getByRole('dialog', { name: 'Teachers' })
    await part.getByText('owner', { exact: true }).waitFor()
    const field = part.getByRole('searchbox')
    await field.fill('nobody of this name')
    await part.getByText('No one found').waitFor()
    await field.fill('כהן')
    await part.getByRole('button', { name: 'Add דנה כהן' }).click()
    await part.getByRole('button', { name: 'Remove דנה כהן' }).waitFor()
    await page.setViewportSize({ width: 360, height: 900 })
    assert.equal(await page.evaluate('document.documentElement.scrollWidth > innerWidth'), false)
    assert.deepEqual(await axeFaults(page), [])
    if (PICTURES) await part.screenshot({ path: join(PICTURES, 'co-teachers.png') })
    await page.setViewportSize({ width: 1280, height: 900 })
    await part.getByRole('button', { name: 'Close' }).click()
    const channel = await ask(product, owner, `/api/channels/${id}`)
    assert.deepEqual(channel.instructor_ids, [learner.id])

    await page.getByLabel('Title', { exact: true }).first().fill('Tides and winds')
    const saved = page.waitForResponse((reply) => reply.request().method() === 'PUT')
    await page.getByRole('button', { name: 'Save changes' }).click()
    assert.equal((await saved).status(), 200)
    assert.equal((await ask(product, owner, `/api/channels/${id}`)).title, 'Tides and winds')
    assert.deepEqual((await ask(product, owner, `/api/channels/${id}`)).instructor_ids, [learner.id])

    const theirs = await at(path, learner, 360)
    await theirs.page.getByRole('button', { name: 'Teachers' }).click()
    const seen = theirs.page.getByRole('dialog')
    await seen.getByText('Only the owner of the channel').waitFor()
    assert.equal(await seen.getByRole('button').count(), 1)

    await page.getByRole('button', { name: 'Teachers' }).click()
    await part.getByRole('button', { name: 'Remove דנה כהן' }).click()
    await part.getByText('is no longer a teacher here').waitFor()
    assert.deepEqual((await ask(product, owner, `/api/channels/${id}`)).instructor_ids, [])
    assert.deepEqual([...problems, ...theirs.problems], [])
  })
})
