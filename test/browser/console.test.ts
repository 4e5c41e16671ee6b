import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { aWindow, axeFaults } from '#testing/browser.ts'
import { listeningWorld } from '#testing/enterprise.ts'
import { aColleague, aUser, anAdmin } from '#testing/people.ts'

/** Operators and ADMINs of sites look after people and sites in a browser, also without JavaScript. */
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
  test('makes a site for an operator, with its key shown once and a second key', async () => {
    const { page, problems } = await openAs(firstRun.admin, '/console', { javaScriptEnabled: false })
    await heading(page, 'Overview')
    await page.getByText('Still to do').waitFor()
    await go(page, 'Sites')
    await go(page, 'New site')
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
    await page.getByLabel('Name').fill('Night School')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('status').getByText('Saved.').waitFor()
    await page.getByRole('button', { name: 'Make a second key' }).click()
    await heading(page, 'New key')
    await go(page, 'Site')
    await page.getByRole('button', { name: `Revoke ${site_key.slice(-4)}` }).click()
    await page.getByRole('status').getByText('is refused from now on').waitFor()
    assert.deepEqual(problems, [])
  })

  test('finds a person, suspends them, ends their sessions and erases them', async () => {
    const person = await aUser({ lyceum })
    const { page, problems } = await openAs(firstRun.admin, '/console/people', { javaScriptEnabled: false })
    await heading(page, 'People')
    await page.getByLabel('Name, address or user name').fill(person.email)
    await page.getByRole('button', { name: 'Show' }).click()
    await page.getByText('One person').waitFor()
    await page.locator('td a').first().click()
    await page.getByRole('button', { name: 'End all sessions' }).click()
    await page.getByRole('status').getByText('have ended').waitFor()
    const check = await lyceum.sso.inject({
      url: `/api/v1/users/${person.user_id}`,
      headers: { ...person.headers, host: new URL(address).host },
    })
    assert.equal(check.statusCode, 401)
    await page.getByRole('button', { name: 'Suspend the account' }).click()
    await page.getByRole('status').getByText('is suspended').waitFor()
    await page.getByRole('button', { name: 'Make the account active again' }).click()
    await page.getByRole('status').getByText('active again').waitFor()
    await page.getByRole('button', { name: 'Erase' }).click()
    await page.getByRole('alert').getByText(`must be ${person.email}`).waitFor()
    await page.getByLabel(`Type ${person.email}`).fill(person.email)
    await page.getByRole('button', { name: 'Erase' }).click()
    await heading(page, 'Done')
    const [row] = await db.pool`select status from sso.users where user_id = ${person.user_id}`
    assert.equal(row?.['status'], 'deleted')
    assert.deepEqual(problems, [])
  })

  test('shows an ADMIN the people and the log of their own site only', async () => {
    const admin = await anAdmin({ lyceum })
    const colleague = await aColleague(admin, lyceum)
    const stranger = await anAdmin({ lyceum })
    const { page } = await openAs(admin, '/console/people')
    await heading(page, 'People')
    assert.equal((await page.getByText(colleague.email).count()) > 0, true)
    assert.equal(await page.getByText(stranger.email).count(), 0)
    const statusAt = async (path: string) => (await page.goto(`${address}${path}`))?.status()
    assert.equal(await statusAt(`/console/people/${stranger.user_id}`), 404)
    assert.equal(await statusAt(`/console/people?site_code=${stranger.site.site_code}`), 404)
    assert.equal(await statusAt(`/console/audit?site_code=${stranger.site.site_code}`), 404)
    assert.equal(await statusAt(`/console/sites/${stranger.site.site_id}`), 404)
    assert.equal(await statusAt('/console/audit'), 200)
  })

  test('refuses forms of other pages, of other people and of nobody', async () => {
    const person = await aUser({ lyceum })
    const { page } = await openAs(firstRun.admin, `/console/people/${person.user_id}`)
    await page.getByRole('button', { name: 'Suspend the account' }).waitFor()
    const form_token = (await page.locator('input[name=form_token]').first().getAttribute('value')) ?? ''
    const url = `${address}/console/people/${person.user_id}`
    const own = { form_token, act: 'suspend' }
    const post = async (fields: Record<string, string>, headers: Record<string, string>, at = page) =>
      (await at.context().request.post(url, { form: fields, headers, maxRedirects: 0 })).status()
    assert.equal(await post(own, { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }), 403)
    assert.equal(await post({ ...own, form_token: 'x' }, { origin }), 403)
    const other = await openAs(await anAdmin({ lyceum }))
    await heading(other.page, 'Overview')
    assert.equal(await post(own, { origin }, other.page), 403)
    const { page: nobody } = await aWindow()
    assert.equal(await post(own, { origin }, nobody), 303)
    const [row] = await db.pool`select status from sso.users where user_id = ${person.user_id}`
    assert.equal(row?.['status'], 'active')
  })

  test('gives a person without a site nothing but the way to make one', async () => {
    const { page } = await openAs(await aUser({ lyceum }))
    await page.getByText('You are ADMIN of no site yet').waitFor()
    const person = await aUser({ lyceum })
    assert.equal((await page.goto(`${address}/console/people/${person.user_id}`))?.status(), 404)
    assert.equal((await page.goto(`${address}/console/audit`))?.status(), 403)
  })

  test('escapes what people write about themselves', async () => {
    const person = await aUser({ lyceum })
    const hostile = '<img src=x onerror=alert(1)>"\'</title>'
    await db.pool`update sso.users set display_name = ${hostile} where user_id = ${person.user_id}`
    const { page, problems } = await openAs(firstRun.admin, `/console/people/${person.user_id}`)
    await heading(page, hostile)
    assert.deepEqual(problems, [])
  })
})

describe('pages of the console', () => {
  for (const colorScheme of ['light', 'dark'] as const)
    for (const width of [360, 1280])
      test(`pass axe, ${colorScheme} at ${width} px`, async () => {
        const admin = await anAdmin({ lyceum })
        const { site } = admin
        const options = { colorScheme, viewport: { width, height: 800 } }
        const { page, problems } = await openAs(firstRun.admin, '/console', options)
        await heading(page, 'Overview')
        for (const [name, path] of Object.entries({
          overview: '/console',
          people: '/console/people',
          person: `/console/people/${admin.user_id}`,
          sites: '/console/sites',
          'new-site': '/console/sites/new',
          site: `/console/sites/${site.site_id}`,
          audit: '/console/audit',
        })) {
          await page.goto(`${address}${path}`)
          assert.deepEqual(await axeFaults(page), [], path)
          assert.equal(await page.evaluate('document.documentElement.scrollWidth > innerWidth'), false, path)
          await picture(page, `console-${name}-${colorScheme}-${width}`)
        }
        assert.deepEqual(problems, [])
      })
})
