import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { aWindow, axeFaults } from '#testing/browser.ts'
import { listeningWorld } from '#testing/enterprise.ts'
import { aUser, anAdmin } from '#testing/people.ts'

/** The console for operators, for ADMINs of sites, and for people without one. */
const lyceum = await listeningWorld()
const { address, db, firstRun } = lyceum
const origin = new URL(address).origin

/** Saves a screenshot to the folder in PICTURES, if that is set. */
const { PICTURES } = process.env
const picture = async (page: Page, name: string) => {
  if (PICTURES) await page.screenshot({ path: join(PICTURES, `${name}.png`), fullPage: true })
}

async function openAs(
  { email, password }: { email: string; password: string },
  path = '/console',
  options: BrowserContextOptions = {},
) {
  const { page, problems } = await aWindow(options)
  await page.goto(`${address}${path}`)
  await page.getByLabel('E-mail address or username').fill(email)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  return { page, problems }
}

const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name }).waitFor()
const go = (page: Page, name: string) => page.getByRole('link', { name, exact: true }).first().click()

describe('the console', () => {
  test('makes a site for an operator, with its key shown once', async () => {
    const { page, problems } = await openAs(firstRun.admin, '/console/sites/new')
    await heading(page, 'New site')
    await page.getByRole('button', { name: 'Make the site' }).click()
    await page.getByRole('alert').getByText('name is missing').waitFor()
    await page.getByLabel('Name').fill('Evening School')
    await page.getByRole('button', { name: 'Make the site' }).click()
    await heading(page, 'Evening School is made')
    const site_key = (await page.locator('.secret').first().textContent()) ?? ''
    const registered = await fetch(`${address}/api/v1/auth/register`, {
      method: 'POST',
      headers: { 'x-sso-site-key': site_key, 'content-type': 'application/json' },
      body: JSON.stringify({ email: 'pupil@example.org', password: 'analytical engine 1843' }),
    })
    assert.equal(registered.status, 201)
    await go(page, 'To the site')
    assert.ok(!(await page.content()).includes(site_key))
    assert.deepEqual(problems, [])
  })

  test('refuses forms of other pages, of other people and of nobody', async () => {
    const { page } = await openAs(firstRun.admin, '/console/sites/new')
    await page.getByRole('button', { name: 'Make the site' }).waitFor()
    const form_token = (await page.locator('input[name=form_token]').first().getAttribute('value')) ?? ''
    const url = `${address}/console/sites/new`
    const own = { form_token, name: 'Planted', environment: 'sandbox' }
    const post = async (fields: Record<string, string>, headers: Record<string, string>, at = page) =>
      (await at.context().request.post(url, { form: fields, headers, maxRedirects: 0 })).status()
    assert.equal(await post(own, { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }), 403)
    assert.equal(await post({ ...own, form_token: 'x' }, { origin }), 403)
    const other = await openAs(await anAdmin({ lyceum }))
    await heading(other.page, 'Overview')
    assert.equal(await post(own, { origin }, other.page), 403)
    const { page: nobody } = await aWindow()
    assert.equal(await post(own, { origin }, nobody), 303)
    assert.deepEqual([...(await db.pool`select from sso.sites where name = 'Planted'`)], [])
  })

  test('gives a person without a site nothing but the way to make one', async () => {
    const { page } = await openAs(await aUser({ lyceum }))
    await page.getByText('You are ADMIN of no site yet').waitFor()
  })
})

describe('pages of the console', () => {
  for (const colorScheme of ['light', 'dark'] as const)
    for (const width of [360, 1280])
      test(`pass axe, ${colorScheme} at ${width} px`, async () => {
        const options = { colorScheme, viewport: { width, height: 800 } }
        const { page, problems } = await openAs(firstRun.admin, '/console', options)
        await heading(page, 'Overview')
        for (const [name, path] of Object.entries({
          overview: '/console',
          'new-site': '/console/sites/new',
        })) {
          await page.goto(`${address}${path}`)
          assert.deepEqual(await axeFaults(page), [], path)
          assert.equal(await page.evaluate('document.documentElement.scrollWidth > innerWidth'), false, path)
          await picture(page, `console-${name}-${colorScheme}-${width}`)
        }
        assert.deepEqual(problems, [])
      })
})
