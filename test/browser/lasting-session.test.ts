import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { aWindowOf } from '#testing/browser.ts'
import { ask, somebody } from '#testing/campus.ts'
import { eventually } from '#testing/eventually.ts'
import { sharedProduct } from '#testing/shared-product.ts'

const PASSWORD = 'correct horse 42'

const { home: product } = await sharedProduct()
const home = { ...product, address: product.sso }
// The cookies of the sso reach the pages of learning only under the same host name.
const learning = product.learning.replace('127.0.0.1', 'localhost')
const email = `teacher-${randomBytes(5).toString('hex')}@example.org`
await somebody(product, email)

describe('a session on the pages of learning', () => {
  const aTeacher = async () => {
    const { page, problems } = await aWindowOf({ email, password: PASSWORD }, home, {
      at: 'learning',
      reducedMotion: 'reduce',
    })
    await page.goto(`${learning}/channel/edit`)
    await page.getByRole('button', { name: 'Create channel' }).waitFor()
    return { page, problems, renewals: renewalsOf(page) }
  }

  test('goes on when the access cookie has run out, and keeps what was typed', async () => {
    const { page, problems, renewals } = await aTeacher()
    await page.getByLabel('Title').fill('Written for forty minutes')
    // What a browser does after Max-Age.
    await page.context().clearCookies({ name: 'access_token' })
    await page.getByRole('button', { name: 'Create channel' }).click()
    await page.waitForURL(/channel\/edit\?id=/)
    assert.deepEqual(renewals, [200])
    const found = await ask(product, await somebody(product, email), '/api/channels?mine=true')
    assert.ok(found.items.some((one: { title: string }) => one.title === 'Written for forty minutes'))
    assert.deepEqual(problems, [])
  })

  test('is there again when a page is opened after the access cookie has run out', async () => {
    const { page, renewals } = await aTeacher()
    await page.context().clearCookies({ name: 'access_token' })
    await page.goto(`${learning}/learning`)
    await page.locator('#page[aria-busy=false]').waitFor({ state: 'attached' })
    assert.equal(await page.getByText('Sign in to continue').count(), 0)
    assert.deepEqual(renewals, [200])
  })

  test('is renewed once for two tabs', async () => {
    const { page, renewals } = await aTeacher()
    const other = await page.context().newPage()
    const theirs = renewalsOf(other)
    await other.goto(`${learning}/channels`)
    await page.context().clearCookies({ name: 'access_token' })
    await Promise.all([page.reload(), other.reload()])
    await Promise.all(
      [page, other].map((tab) => tab.locator('#page[aria-busy=false]').waitFor({ state: 'attached' })),
    )
    // A page that is left may have renewed unseen; then the next one learns that it was overtaken.
    const seen = [...renewals, ...theirs]
    assert.ok(seen.filter((status) => status === 200).length <= 1, seen.join(' '))
    assert.deepEqual(
      seen.filter((status) => status !== 200 && status !== 409),
      [],
    )
    for (const tab of [page, other]) assert.equal(await tab.getByText('Sign in to continue').count(), 0)
  })

  test('renews by itself a minute before it ends', async () => {
    const { page, renewals } = await aTeacher()
    await page.clock.install()
    await page.reload()
    await page.getByRole('button', { name: 'Create channel' }).waitFor()
    await page.clock.fastForward('28:00')
    assert.deepEqual(renewals, [])
    await page.clock.fastForward('01:05')
    await eventually(() => renewals.length === 1)
    assert.deepEqual(renewals, [200])
  })

  test('stays over after a sign-out, and asks the sso only once', async () => {
    const { page, renewals } = await aTeacher()
    await page.getByRole('button', { name: `Account of ${email}` }).click()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.waitForURL(`${learning}/`)
    await page.goto(`${learning}/learning`)
    await page.getByText('Sign in to continue').waitFor()
    await page.reload()
    await page.getByText('Sign in to continue').waitFor()
    assert.deepEqual(renewals, [401])
  })
})

/** The status of each renewal that a tab asks for. */
function renewalsOf(page: Page): number[] {
  const statuses: number[] = []
  page.on('response', (reply) => {
    if (new URL(reply.url()).pathname === '/sign-in/renew') statuses.push(reply.status())
  })
  return statuses
}
