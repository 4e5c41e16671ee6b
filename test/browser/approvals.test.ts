import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { aWindow, axeFaults } from '#testing/browser.ts'
import { listeningWorld } from '#testing/enterprise.ts'
import { aUser, type Person } from '#testing/people.ts'

/** Operators approve production sites on a page of the sso. */
const lyceum = await listeningWorld()
const { address, db, firstRun } = lyceum
const approvals = `${address}/console/approvals`

/** Saves a screenshot to the folder in PICTURES, if that is set. */
const { PICTURES } = process.env
const picture = async (page: Page, name: string) => {
  if (PICTURES) await page.screenshot({ path: join(PICTURES, `${name}.png`), fullPage: true })
}

async function aPendingSite(name: string): Promise<{ site_id: string; owner: Person }> {
  const owner = await aUser({ lyceum })
  const reply = await lyceum.sso.inject({
    method: 'POST',
    url: '/api/v1/sites',
    headers: { ...owner.headers, host: new URL(address).host },
    payload: { name, environment: 'production' },
  })
  assert.equal(reply.statusCode, 201, reply.body)
  const { site_id } = reply.json()
  await db.pool`update sso.sites set status = 'pending' where site_id = ${site_id}`
  return { site_id, owner }
}

const statusOf = async (site_id: string) =>
  (await db.pool`select status from sso.sites where site_id = ${site_id}`)[0]?.['status']

async function openAs(
  { email, password }: { email: string; password: string },
  options: BrowserContextOptions = {},
) {
  const { page, problems } = await aWindow(options)
  await page.goto(approvals)
  await page.getByLabel('E-mail address or username').fill(email)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  return { page, problems }
}

const title = (page: Page) => page.getByRole('heading', { name: 'Sites that wait for approval' })

describe('the page of approvals', () => {
  test('approves a site for an operator, without JavaScript', async () => {
    const { site_id, owner } = await aPendingSite('Night School')
    const { page, problems } = await openAs(firstRun.admin, { javaScriptEnabled: false })
    await title(page).waitFor()
    assert.equal(await page.getByText(owner.email).count(), 1)
    await page.getByRole('button', { name: 'Approve Night School' }).click()
    await page.getByRole('status').getByText('Night School is approved').waitFor()
    assert.equal(await statusOf(site_id), 'active')
    assert.deepEqual(problems, [])
  })

  test('hides pending sites from others', async () => {
    const { site_id, owner } = await aPendingSite('Hidden School')
    const { page } = await openAs(await aUser({ lyceum }))
    await page.getByRole('heading', { name: 'For operators only' }).waitFor()
    assert.equal(await page.getByText(owner.email).count(), 0)
    assert.equal(await statusOf(site_id), 'pending')
  })

  test('refuses forms of other sites and other operators', async () => {
    const { site_id } = await aPendingSite('Forged School')
    const { page } = await openAs(firstRun.admin)
    await title(page).waitFor()
    const form_token = await page.locator('input[name=form_token]').first().getAttribute('value')
    const post = (fields: Record<string, string>, headers: Record<string, string>) =>
      page.context().request.post(approvals, { form: fields, headers, maxRedirects: 0 })
    const origin = new URL(address).origin
    const own = { form_token: form_token ?? '', site_id }
    assert.equal(
      (await post(own, { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' })).status(),
      403,
    )
    assert.equal((await post({ ...own, form_token: 'x' }, { origin })).status(), 403)
    assert.equal(await statusOf(site_id), 'pending')
  })

  for (const colorScheme of ['light', 'dark'] as const)
    for (const width of [360, 1280])
      test(`passes axe, ${colorScheme} at ${width} px`, async () => {
        await aPendingSite('Volkshochschule am Rotenberg und Umgebung')
        const options = { colorScheme, viewport: { width, height: 800 } }
        const { page, problems } = await openAs(firstRun.admin, options)
        await title(page).waitFor()
        assert.deepEqual(await axeFaults(page), [])
        assert.equal(await page.evaluate('document.documentElement.scrollWidth > innerWidth'), false)
        await picture(page, `approvals-${colorScheme}-${width}`)
        assert.deepEqual(problems, [])
      })
})
