import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { BrowserContextOptions } from 'playwright-core'
import { aWindowOf, phoneFaults } from '#testing/browser.ts'
import { sharedListeningWorld } from '#testing/enterprise.ts'
import { aSchool, type School } from '#testing/scim.ts'

/** The directory of a connection, at a page of the console. */
const lyceum = await sharedListeningWorld()
const { address, db } = lyceum

async function open({ site, connection_id }: School, options: BrowserContextOptions = {}) {
  const { page, problems } = await aWindowOf(site.owner, lyceum, options)
  await page.goto(`${address}/console/enterprise?site_id=${site.site_id}&open=${connection_id}`)
  const section = page.locator('section', { has: page.getByRole('heading', { name: /\(SCIM\)/ }) })
  await section.getByText(`/scim/v2/${connection_id}`).waitFor()
  const rules = page.locator('section', { has: page.getByRole('heading', { name: 'Roles of groups' }) })
  return { page, problems, section, rules, dialog: page.getByRole('dialog') }
}

describe('the directory of a connection', () => {
  test('gets a token that is shown once, tells its use, and can be revoked', async () => {
    const school = await aSchool(lyceum)
    const { page, problems, section, dialog } = await open(school)
    await section.getByRole('button', { name: 'Make a token' }).click()
    await dialog.getByLabel('What it is for').fill('Okta')
    assert.deepEqual(await phoneFaults(page), [])
    await dialog.getByLabel('Days until it ends').fill('90')
    await dialog.getByRole('button', { name: 'Make a token' }).click()
    const token = (await dialog.locator('.secret').textContent()) ?? ''
    await dialog.getByRole('button', { name: 'Close' }).click()
    await dialog.waitFor({ state: 'detached' })
    await section.getByRole('row', { name: /Okta/ }).waitFor()
    assert.ok(!(await page.content()).includes(token))
    const authorization = { authorization: `Bearer ${token}` }
    assert.equal((await school.call('GET', '/Users', undefined, authorization)).status, 200)
    await section.getByRole('button', { name: 'Revoke Okta' }).click()
    await dialog.getByRole('button', { name: 'Revoke' }).click()
    await section.getByRole('row', { name: /Okta/ }).waitFor({ state: 'detached' })
    assert.equal((await school.call('GET', '/Users', undefined, authorization)).status, 401)
    assert.deepEqual(problems, [])
  })

  test('has rules that say which role a group gives', async () => {
    const school = await aSchool(lyceum)
    const { page, problems, rules, dialog } = await open(school)
    await rules.getByText('No rule yet').waitFor()
    await rules.getByRole('button', { name: 'Edit the rules' }).click()
    await dialog.getByLabel('Rules').fill('Heads = NO_SUCH')
    await dialog.getByRole('button', { name: 'Edit the rules' }).click()
    await dialog.locator('.fault').waitFor()
    await dialog.getByLabel('Rules').fill('Heads = ADMIN')
    await dialog.getByRole('button', { name: 'Edit the rules' }).click()
    await rules.getByRole('row', { name: /Heads/ }).waitFor()
    assert.deepEqual(await phoneFaults(page), [])
    const [stored] = await db.pool`
      select role_mapping from sso.connections where connection_id = ${school.connection_id}`
    assert.deepEqual(stored?.['role_mapping'], [{ value: 'Heads', role: 'ADMIN' }])
    assert.deepEqual(problems, [])
  })

  for (const [locale, text] of [
    ['de-DE', 'Token erstellen'],
    ['es-ES', 'Crear un token'],
  ] as const)
    test(`speaks ${locale}`, async () => {
      const { section, problems } = await open(await aSchool(lyceum), { locale })
      await section.getByRole('button', { name: text }).waitFor()
      assert.deepEqual(problems, [])
    })
})
