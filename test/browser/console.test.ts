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
  path = '/console/people',
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

describe('the console', () => {
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
    await heading(other.page, 'People')
    assert.equal(await post(own, { origin }, other.page), 403)
    const { page: nobody } = await aWindow()
    assert.equal(await post(own, { origin }, nobody), 303)
    const [row] = await db.pool`select status from sso.users where user_id = ${person.user_id}`
    assert.equal(row?.['status'], 'active')
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
        const options = { colorScheme, viewport: { width, height: 800 } }
        const { page, problems } = await openAs(firstRun.admin, '/console/people', options)
        await heading(page, 'People')
        for (const [name, path] of Object.entries({
          people: '/console/people',
          person: `/console/people/${admin.user_id}`,
        })) {
          await page.goto(`${address}${path}`)
          assert.deepEqual(await axeFaults(page), [], path)
          assert.equal(await page.evaluate('document.documentElement.scrollWidth > innerWidth'), false, path)
          await picture(page, `console-${name}-${colorScheme}-${width}`)
        }
        assert.deepEqual(problems, [])
      })
})
