import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { BrowserContext, Page } from 'playwright-core'
import { aWindowOf } from '#testing/browser.ts'
import { sharedListeningWorld } from '#testing/enterprise.ts'
import { anAdmin, aUser } from '#testing/people.ts'

/** What somebody typed into a form of the console and has not sent yet. */
const lyceum = await sharedListeningWorld()
const { address, db, firstRun } = lyceum

const open = async (page: Page, path: string) => {
  await page.goto(`${address}${path}`)
  await page.locator('#page[aria-busy=false]').waitFor()
}
const aTab = async (context: BrowserContext, path: string) => {
  const page = await context.newPage()
  await open(page, path)
  return page
}
const edit = async (page: Page) => {
  await page.getByRole('button', { name: /^Edit/ }).first().click()
  return page.getByRole('dialog')
}
const given = (page: Page) => page.getByRole('dialog').locator('input[name=given_name]')
const family = (page: Page) => page.getByRole('dialog').locator('input[name=family_name]')
const restored = (page: Page) => page.getByText('What you typed before is back.')

describe('a draft', () => {
  test('comes back after a reload, and is gone once it is sent', async () => {
    const person = await aUser({ lyceum })
    const path = `/console/people/${person.user_id}`
    const { page, problems } = await aWindowOf(firstRun.admin, lyceum)
    await open(page, path)
    await edit(page)
    await given(page).fill('Ada')
    await page.reload()
    await edit(page)
    await restored(page).waitFor()
    assert.equal(await given(page).inputValue(), 'Ada')
    await page.getByRole('dialog').getByRole('button', { name: 'Save', exact: true }).click()
    await page.locator('.toast').getByText('Saved.').waitFor()
    await page.reload()
    await edit(page)
    assert.equal(await given(page).inputValue(), 'Ada')
    assert.equal(await restored(page).count(), 0)
    const [saved] = await db.pool`select given_name from sso.users where user_id = ${person.user_id}`
    assert.equal(saved?.['given_name'], 'Ada')
    assert.deepEqual(problems, [])
  })

  test('is merged between two tabs, and what is being typed stays', async () => {
    const path = `/console/people/${(await aUser({ lyceum })).user_id}`
    const { page } = await aWindowOf(firstRun.admin, lyceum)
    await open(page, path)
    const other = await aTab(page.context(), path)
    await edit(page)
    await edit(other)
    await family(other).fill('Lovelace')
    await given(page).fill('Ada')
    await page.waitForFunction('document.querySelector("dialog [name=family_name]").value === "Lovelace"')
    await other.waitForFunction('document.querySelector("dialog [name=given_name]").value === "Ada"')
    assert.equal(await family(other).inputValue(), 'Lovelace')
  })

  test('is forgotten by Cancel, and by Discard without closing', async () => {
    const path = `/console/people/${(await aUser({ lyceum })).user_id}`
    const { page } = await aWindowOf(firstRun.admin, lyceum)
    await open(page, path)
    await edit(page)
    await given(page).fill('Ada')
    await page.reload()
    await edit(page)
    await page.getByRole('button', { name: 'Discard it' }).click()
    assert.deepEqual([await given(page).inputValue(), await restored(page).count()], ['', 0])
    await given(page).fill('Eve')
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
    await edit(page)
    assert.deepEqual([await given(page).inputValue(), await restored(page).count()], ['', 0])
  })

  test('is shown to nobody else who signs in at the same browser', async () => {
    const { site, ...admin } = await anAdmin({ lyceum })
    const path = `/console/sites/${site.site_id}`
    const { page } = await aWindowOf(firstRun.admin, lyceum)
    await open(page, path)
    await edit(page)
    await page.getByRole('dialog').locator('input[name=name]').fill('Of the operator')
    const { page: theirs } = await aWindowOf(admin, lyceum)
    await page.context().clearCookies()
    await page.context().addCookies(await theirs.context().cookies())
    await open(page, path)
    await edit(page)
    assert.notEqual(
      await page.getByRole('dialog').locator('input[name=name]').inputValue(),
      'Of the operator',
    )
    assert.equal(await restored(page).count(), 0)
  })
})
