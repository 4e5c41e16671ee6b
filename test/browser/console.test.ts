import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { describe, test } from 'node:test'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'
import { aWindowOf, phoneFaults } from '#testing/browser.ts'
import { sharedListeningWorld } from '#testing/enterprise.ts'
import { aUser, anAdmin } from '#testing/people.ts'

/** The console for operators, for ADMINs of sites, and for people without one. */
const lyceum = await sharedListeningWorld()
const { address, db, firstRun } = lyceum

async function openAs(person: { email: string; password: string }, path = '/console') {
  const { page, problems } = await aWindowOf(person, lyceum)
  await page.goto(`${address}${path}`)
  return { page, problems }
}

const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name }).waitFor()
const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()
const HOSTILE = `</script><img src=x onerror=document.title=1> ${randomBytes(4).toString('hex')}`
const go = (page: Page, name: string) => page.getByRole('link', { name, exact: true }).first().click()

describe('the console', () => {
  test('makes a site in three steps, and its samples sign a person in', async () => {
    const { page, problems } = await openAs(firstRun.admin, '/console/sites/new')
    await heading(page, 'New site')
    await press(page, 'Next')
    await page.getByRole('alert').getByText('The site needs a name.').waitFor()
    await page.getByLabel('Name of the site').fill(HOSTILE)
    await press(page, 'Next')
    await page.getByLabel('Address that people return to').fill('https://')
    await page.goBack()
    assert.equal(await page.getByLabel('Name of the site').inputValue(), HOSTILE)
    await press(page, 'Next')
    assert.equal(await page.getByLabel('Address that people return to').inputValue(), 'https://')
    await press(page, 'Next')
    await press(page, 'Make the site')
    // A refusal leads back to its field.
    await page.locator('input[name=callback_url][aria-invalid=true]').waitFor()
    await page.getByLabel('Address that people return to').fill('')
    await page.getByLabel('Code', { exact: true }).fill(`evening-${Date.now()}`)
    await press(page, 'Next')
    assert.deepEqual(await phoneFaults(page), [])
    await page.getByRole('button', { name: 'Make the site' }).dblclick()
    await page.getByRole('heading', { name: `${HOSTILE} is made` }).waitFor()
    assert.equal(await page.title(), 'New site · Lyceum')
    const [secret = ''] = await page.locator('.secret').allTextContents()
    assert.deepEqual(await phoneFaults(page), [])
    const [curl = '', node = '', python = ''] = await page.locator('.sample pre').allTextContents()
    const programs: [string, string[]][] = [
      ['bash', ['-c', curl]],
      [process.execPath, ['--input-type=module', '-e', node]],
      ...(existsSync('/usr/bin/python3') ? [['/usr/bin/python3', ['-c', python]] as [string, string[]]] : []),
    ]
    for (const [program, args] of programs) {
      const { stdout } = await promisify(execFile)(program, args)
      assert.match(stdout, /"access_token": ?"[\w-]+\.[\w-]+\.[\w-]+"/, program)
    }
    await go(page, 'To the site')
    await heading(page, HOSTILE)
    assert.ok(!(await page.content()).includes(secret))
    const made = await db.pool`select from sso.sites where name = ${HOSTILE}`
    assert.equal(made.length, 1)
    assert.deepEqual(problems, [])
  })

  test('makes one site only when the answer is lost, and leads to it', async () => {
    const { page } = await openAs(firstRun.admin, '/console/sites/new')
    const code = `lost-${Date.now()}`
    await page.getByLabel('Name of the site').fill('Lost Answer')
    await press(page, 'Next')
    await page.getByLabel('Code', { exact: true }).fill(code)
    await press(page, 'Next')
    await page.route('**/api/v1/sites', async (route) => {
      await route.fetch()
      await route.abort()
    })
    await press(page, 'Make the site')
    await page.getByRole('alert').getByText('The answer was lost.').waitFor()
    await page.unroute('**/api/v1/sites')
    await press(page, 'Make the site')
    await page.getByText('A site with this code exists already.').waitFor()
    await go(page, 'Lost Answer')
    await heading(page, 'Lost Answer')
    assert.equal((await db.pool`select from sso.sites where site_code = ${code}`).length, 1)
  })

  test('keeps what was typed through a reload, and gives every site a code', async () => {
    const { page } = await openAs(firstRun.admin, '/console/sites/new')
    await page.getByLabel('Name of the site').fill('École Zürich')
    await press(page, 'Next')
    assert.equal(await page.getByLabel('Code', { exact: true }).inputValue(), 'ecole-zurich')
    await page.reload()
    assert.equal(await page.getByLabel('Code', { exact: true }).inputValue(), 'ecole-zurich')
    await page.goBack()
    await page.getByLabel('Name of the site').fill('日本')
    await press(page, 'Next')
    await page.getByLabel('Code', { exact: true }).fill('')
    await press(page, 'Next')
    await press(page, 'Make the site')
    await page.getByRole('heading', { name: '日本 is made' }).waitFor()
    const [made] = await db.pool`select site_code from sso.sites where name = '日本'`
    assert.match(String(made?.['site_code']), /^site-[0-9a-f]{8}$/)
    await page.goto(`${address}/console/sites/new`)
    assert.equal(await page.getByLabel('Name of the site').inputValue(), '')
  })

  test('takes an answer that was cut off for a lost one', async () => {
    const { page } = await openAs(firstRun.admin, '/console/sites/new')
    await page.getByLabel('Name of the site').fill(`Cut off ${Date.now()}`)
    await press(page, 'Next')
    await press(page, 'Next')
    await page.route('**/api/v1/sites', async (route) => {
      await route.fetch()
      await route.fulfill({ status: 201, contentType: 'application/json', body: '{"site_id": "' })
    })
    await press(page, 'Make the site')
    await page.getByRole('alert').getByText('The answer was lost.').waitFor()
  })

  test('tells nothing of the site of others that has the code already', async () => {
    const { site } = await anAdmin({ lyceum })
    const { page } = await openAs(await aUser({ lyceum }), '/console/sites/new')
    await page.getByLabel('Name of the site').fill('Mine')
    await press(page, 'Next')
    await page.getByLabel('Code', { exact: true }).fill(site.site_code)
    await press(page, 'Next')
    await press(page, 'Make the site')
    await page.getByText('A site with this code exists already.').waitFor()
    assert.equal(await page.locator('main .note').count(), 0)
  })

  test('gives a person without a site nothing but the way to make one', async () => {
    const { page } = await openAs(await aUser({ lyceum }))
    await page.getByText('You are ADMIN of no site yet').waitFor()
  })
})
