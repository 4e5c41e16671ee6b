import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import type { BrowserContextOptions } from 'playwright-core'
import { aWindow, axeFaults } from '#testing/browser.ts'
import { listeningWorld } from '#testing/enterprise.ts'
import { aSchool, type School } from '#testing/scim.ts'

/** The directory of a connection, at a page of the console. */
const lyceum = await listeningWorld({ SSO_RATE_LIMIT_AUTH: '0', SSO_RATE_LIMIT_SITE: '0' })
const { address, db } = lyceum
const { PICTURES } = process.env

async function open({ site, connection_id }: School, options: BrowserContextOptions = {}) {
  const { page, problems } = await aWindow(options)
  await page.goto(`${address}/console/enterprise?site_id=${site.site_id}&open=${connection_id}`)
  await page.locator('input[name=name]').fill(site.owner.email)
  await page.locator('input[name=password]').fill(site.owner.password)
  await page.locator('main button').first().click()
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
    const { problems, rules, dialog } = await open(school)
    await rules.getByText('No rule yet').waitFor()
    await rules.getByRole('button', { name: 'Edit the rules' }).click()
    await dialog.getByLabel('Rules').fill('Heads = NO_SUCH')
    await dialog.getByRole('button', { name: 'Edit the rules' }).click()
    await dialog.locator('.fault').waitFor()
    await dialog.getByLabel('Rules').fill('Heads = ADMIN')
    await dialog.getByRole('button', { name: 'Edit the rules' }).click()
    await rules.getByRole('row', { name: /Heads/ }).waitFor()
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

  for (const colorScheme of ['light', 'dark'] as const)
    for (const width of [360, 1280])
      test(`passes axe, ${colorScheme} at ${width} px`, async () => {
        const school = await aSchool(lyceum)
        await db.pool`
          update sso.connections set role_mapping = '[{"value": "Teachers", "role": "ADMIN"}]'
           where connection_id = ${school.connection_id}`
        const { page, section, dialog } = await open(school, {
          colorScheme,
          viewport: { width, height: 800 },
        })
        const check = async (name: string) => {
          if (PICTURES)
            await page.screenshot({
              path: join(PICTURES, `scim-${name}-${colorScheme}-${width}.png`),
              fullPage: true,
            })
          assert.deepEqual(await axeFaults(page), [])
          assert.equal(await page.evaluate('document.documentElement.scrollWidth > innerWidth'), false)
        }
        await section.getByRole('row', { name: /Directory/ }).waitFor()
        await check('section')
        await section.getByRole('button', { name: 'Make a token' }).click()
        await dialog.waitFor()
        await check('make')
      })
})
