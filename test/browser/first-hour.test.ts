import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { after, test } from 'node:test'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'
import { aWindow } from '#testing/browser.ts'
import { eventually } from '#testing/eventually.ts'
import { newDataDir, removeDataDir, startProduct } from '#testing/product.ts'
import { answers, startReceiver } from '#testing/receiver.ts'

/** The first hour of an operator as the README tells it, from the password of the first start to a webhook. */
const dataDir = newDataDir()
const [product, receiver] = [await startProduct(dataDir), await startReceiver(answers(204))]
// As the README says it: no passkey can belong to an IP address.
const sso = product.sso.replace('127.0.0.1', 'localhost')
const PASSWORD = 'difference engine 1822'
const SITE = 'Evening School'

after(async () => {
  await product.end()
  await receiver.close()
  removeDataDir(dataDir)
})

/** The addresses and the bold labels of the section, in order. */
function readmeSteps(): string[] {
  const text = readFileSync(new URL('../../README.md', import.meta.url), 'utf8')
  const [, section = ''] = /## The first hour, in a browser\n([^]*?)\nMore commands/.exec(text) ?? []
  return [...section.matchAll(/\*\*([^*]+)\*\*|`(\/[a-z/]+)`/g)].map(([, label, path]) => label ?? path ?? '')
}

/** A virtual passkey of the browser, which answers by itself. */
async function givePasskey(page: Page) {
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('WebAuthn.enable')
  await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
    },
  })
}

test('an operator makes themselves safe, makes a site, signs in with its sample and replays a webhook', async () => {
  const { page, problems } = await aWindow()
  const told = readmeSteps()
  const next = (expected: string) => {
    assert.equal(told.shift(), expected, 'the README tells another step')
    return expected
  }
  const open = (path: string) => page.goto(`${sso}${next(path)}`)
  const press = (name: string) =>
    page
      .getByRole('button', { name: next(name), exact: true })
      .first()
      .click()
  const heading = (name: string) => page.getByRole('heading', { level: 1, name }).waitFor()
  const { email, password } = product.firstRun.admin

  await open('/console')
  await page.getByLabel('E-mail address or username').fill(email)
  await page.getByLabel('Password').fill(password)
  await press('Sign in')
  await heading('Overview')

  await open('/account/password')
  await page.getByLabel('Current password').fill(password)
  await page.getByLabel('New password').fill(PASSWORD)
  await press('Save the password')
  await heading('Your password is saved')

  await givePasskey(page)
  await open('/account/security')
  await page.getByLabel('Password').fill(PASSWORD)
  await press('Continue')
  await press('Use a passkey or security key')
  await press('Register a passkey or security key')
  await page.getByText('recovery codes').first().waitFor()

  await open('/console/sites/new')
  await page.getByLabel('Name of the site').fill(SITE)
  await press('Next')
  await press('Next')
  await press('Make the site')
  await page.getByRole('heading', { name: `${SITE} is made` }).waitFor()
  const [curl = ''] = await page.locator('.sample pre').allTextContents()
  const { stdout } = await promisify(execFile)('bash', ['-c', curl])
  assert.match(stdout, /"access_token":"[\w-]+\.[\w-]+\.[\w-]+"/)
  await page.getByRole('link', { name: next('To the site') }).click()
  await heading(SITE)

  await open('/console/webhooks')
  await page.locator('select[name=site_code]').selectOption({ label: SITE })
  await press('Add endpoint')
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('URL').fill(receiver.url)
  await dialog.getByRole('button', { name: 'Add endpoint' }).click()
  await dialog.getByText('whsec_').first().waitFor()
  await page.keyboard.press('Escape')
  await press('Send test event')
  await eventually(() => receiver.requests.length > 0)
  await page.getByRole('button', { name: 'ping' }).first().click()
  await page.locator('.panel').getByText('204').first().waitFor()
  const before = receiver.requests.length
  await press('Replay')
  await eventually(() => receiver.requests.length > before)
  assert.deepEqual([told, problems], [[], []])
})
