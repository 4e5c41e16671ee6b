import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { aWindow, aWindowOf, phoneFaults } from '#testing/browser.ts'
import { listeningWorld } from '#testing/enterprise.ts'
import { anAdmin, type Person } from '#testing/people.ts'

/** How the installation is set up, at a page of the console. */
const lyceum = await listeningWorld({ SMTP_URL: 'smtp://lyceum:canary@127.0.0.1:1' })
const { address, db, firstRun } = lyceum

async function openAs(
  person: Pick<Person, 'email' | 'password'>,
  query = '',
  options: BrowserContextOptions = {},
) {
  const { page, problems } = await aWindowOf(person, lyceum, options)
  await page.goto(`${address}/console/settings${query}`)
  await page.locator('#page > *').first().waitFor()
  return { page, problems }
}

const ring = (environment: string, purpose: string) => db.pool<{ kid: string; state: string }[]>`
  select kid, state from sso.signing_keys
   where environment = ${environment} and purpose = ${purpose} order by created_at, kid`
const kidOf = async (state: string) =>
  (await ring('sandbox', 'access')).find((key) => key.state === state)?.kid ?? assert.fail(state)

describe('the settings', () => {
  test('rotate a key once its environment is typed', async () => {
    await db.pool`
      update sso.signing_keys set created_at = clock_timestamp() - interval '11 minutes' where state = 'standby'`
    const standby = await kidOf('standby')
    const { page, problems } = await openAs(firstRun.admin)
    await page.getByText('8 of 8').waitFor()
    await page.getByRole('button', { name: 'Rotate: Access tokens, Sandbox' }).click()
    const dialog = page.getByRole('dialog')
    const confirm = dialog.getByRole('button', { name: 'Rotate' })
    assert.equal(await confirm.isDisabled(), true)
    assert.deepEqual(await phoneFaults(page), [])
    await dialog.getByLabel('Type sandbox').fill('sandbox')
    await confirm.dblclick()
    await page.getByText('The standby signs now.').waitFor()
    await page.getByText('9 of 9').waitFor()
    assert.equal(await kidOf('active'), standby)
    const [{ lines } = assert.fail()] = await db.pool<{ lines: number }[]>`
      select count(*) as lines from sso.audit_log where action = 'signing_key.rotation_asked'`
    assert.equal(lines, 1)
    assert.deepEqual(problems, [])
  })

  test('revoke a key that leaked once its id is typed', async () => {
    const kid = await kidOf('active')
    const { page } = await openAs(firstRun.admin)
    await page.getByRole('button', { name: kid.slice(0, 12) }).click()
    await page.locator('.panel').getByRole('button', { name: 'Revoke at once' }).click()
    await page.getByRole('dialog').getByLabel('Type').fill(kid.slice(0, 12))
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke at once' }).click()
    await page.getByText('The key is revoked.').waitFor()
    const revoked = (await ring('sandbox', 'access')).find((key) => key.kid === kid)
    assert.equal(revoked?.state, 'revoked')
  })

  test('give the sign-in page a name, logo and colour, and refuse a colour too light', async () => {
    const { page } = await openAs(firstRun.admin, '?show=branding')
    await page.getByLabel('Name', { exact: true }).fill('Abendschule <b>Köln</b>')
    await page.getByLabel('Colour of buttons and links').fill('#ffee00')
    await page.getByText(/Contrast on light pages: 1\.\d/).waitFor()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText(/has a contrast of 1/).waitFor()
    await page.getByLabel('Colour of buttons and links').fill('#7a1fa2')
    await page.getByText(/Contrast on light pages: 7\.\d/).waitFor()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved. All pages').waitFor()
    assert.deepEqual(await phoneFaults(page), [])
    const visitor = await aWindow()
    await visitor.page.goto(`${address}/sign-in`)
    assert.equal(await visitor.page.locator('.brand').textContent(), 'Abendschule <b>Köln</b>')
    const background = (one: Page) =>
      one.evaluate<string>('getComputedStyle(document.querySelector("main button")).backgroundColor')
    assert.equal(await background(visitor.page), 'rgb(122, 31, 162)')
    assert.deepEqual(await phoneFaults(visitor.page), [])
    await page.getByRole('button', { name: 'Show ours again' }).click()
    await page.getByText('Lyceum', { exact: true }).last().waitFor()
    assert.deepEqual(visitor.problems, [])
  })

  test('show mails with their texts, by address and keyboard', async () => {
    const { page, problems } = await openAs(firstRun.admin, '?mail=password_reset')
    const letter = page.locator('.letter')
    await letter.getByText('The link works once.').waitFor()
    assert.equal(await letter.locator('a').count(), 0)
    await page.getByLabel('Shown in').selectOption({ label: 'German' })
    await letter.getByText('Der Link funktioniert einmal.').waitFor()
    assert.equal(await letter.getAttribute('lang'), 'de')
    assert.deepEqual(await phoneFaults(page), [])
    await page.getByLabel('Shown in').selectOption({ label: 'English' })
    await page.locator('.panel').press('Escape')
    await letter.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Sign-in code', exact: true }).press('Enter')
    await letter.getByText('123456').waitFor()
    assert.match(page.url(), /mail=mfa_code/)
    assert.deepEqual(problems, [])
  })

  test('count what is due, and name deprecated routes', async () => {
    const { page, problems } = await openAs(firstRun.admin, '?show=retention')
    await page.getByRole('cell', { name: '365 days' }).waitFor()
    await page.getByRole('button', { name: 'Count what is due now' }).click()
    await page.getByRole('row', { name: 'Audit log 365 days 0' }).waitFor()
    await page.getByRole('link', { name: 'Deprecations' }).click()
    await page.getByText('No route of the API is deprecated.').waitFor()
    await page.goBack()
    await page.getByRole('cell', { name: '365 days' }).waitFor()
    assert.deepEqual(problems, [])
  })

  test('show the settings of the program without secrets', async () => {
    const { page, problems } = await openAs(firstRun.admin, '?show=program')
    await page.getByRole('row', { name: /^SMTP_URL set / }).waitFor()
    assert.ok(!(await page.content()).includes('canary'))
    await page.getByLabel('Find').fill('rate_limit_auth')
    await page.getByText('SSO_PORT').waitFor({ state: 'detached' })
    assert.equal(await page.locator('tbody tr').count(), 1)
    await page.getByLabel('Find').fill('learning')
    await page.getByLabel('Only what differs').check()
    await page.getByText('No setting matches.').waitFor()
    assert.deepEqual(problems, [])
  })

  test('are hidden from an ADMIN of a site', async () => {
    const { page, problems } = await openAs(await anAdmin({ lyceum }), '?show=program')
    await page.getByText('This page is for operators').waitFor()
    assert.equal(await page.getByRole('link', { name: 'Settings' }).count(), 0)
    assert.ok(!(await page.content()).includes('SSO_PORT'))
    assert.deepEqual(problems, [])
  })

  for (const [locale, tabs, meaning, subject] of [
    [
      'de-DE',
      ['Signaturschlüssel', 'Erscheinungsbild', 'E-Mail-Texte', 'Aufbewahrung', 'Abkündigungen', 'Programm'],
      /^SSO_PORT .*Port des Anmeldedienstes/,
      'Wählen Sie ein neues Passwort',
    ],
    [
      'es-ES',
      ['Claves de firma', 'Apariencia', 'Textos de correo', 'Conservación', 'Rutas obsoletas', 'Programa'],
      /^SSO_PORT .*puerto del servicio de inicio/,
      'Elija una contraseña nueva',
    ],
  ] as const)
    test(`speak ${locale}`, async () => {
      const { page } = await openAs(firstRun.admin, '?show=retention', { locale })
      await page.getByRole('cell', { name: /^365 / }).waitFor()
      assert.deepEqual(await page.locator('.tabs a').allTextContents(), [...tabs])
      await page.getByRole('link', { name: tabs[5], exact: true }).click()
      await page.getByRole('row', { name: meaning }).waitFor()
      await page.goto(`${address}/console/settings?mail=password_reset`)
      await page.getByRole('heading', { level: 3, name: subject }).waitFor()
    })
})
