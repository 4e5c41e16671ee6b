import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, describe, test } from 'node:test'
import { TOTP } from 'otpauth'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { aWindow, aWindowOf, phoneFaults } from '#testing/browser.ts'
import { call } from '#testing/product.ts'
import { sharedProduct } from '#testing/shared-product.ts'

const { home: product, mail } = await sharedProduct()
const { sso } = product
/** A page of another site that posts a form to the address in its query. */
const stranger = createServer((request, response) => {
  const address = (request.url ?? '').split(/\?(.*)/s)[1] ?? ''
  const fields =
    '<input name="confirmation"><input name="email"><input name="form_token"><button>Win</button>'
  response
    .setHeader('content-type', 'text/html')
    .end(`<link rel="icon" href="data:,"><form method="post" action="${address}">${fields}</form>`)
}).listen(0, '127.0.0.1')
await once(stranger, 'listening')
const elsewhere = `http://127.0.0.1:${(stranger.address() as AddressInfo).port}`

after(() => stranger.close())

const PASSWORD = 'correct horse 42'
const siteKey = { 'x-sso-site-key': product.firstRun.sites['learning']?.site_key ?? '' }

async function anAccount() {
  const email = `anna-${randomBytes(5).toString('hex')}@example.org`
  const body = { email, password: PASSWORD, display_name: 'Anna Blume' }
  const registered = await call(`${sso}/api/v1/auth/register`, { headers: siteKey, body })
  assert.equal(registered.status, 201)
  return email
}

/** Enrols a second factor for the account, in a separate session. */
async function withTotp(email: string) {
  const body = { email, password: PASSWORD }
  const entered = await call(`${sso}/api/v1/auth/login`, { headers: siteKey, body })
  const headers = { authorization: `Bearer ${String(entered.body['access_token'])}` }
  const begun = await call(`${sso}/api/v1/mfa/factors`, { headers, body: { type: 'totp' } })
  const totp = new TOTP({ secret: String(begun.body['secret']) })
  const code = totp.generate({ timestamp: Date.now() - 30_000 })
  const url = `${sso}/api/v1/mfa/factors/${String(begun.body['factor_id'])}/activate`
  assert.equal((await call(url, { headers, body: { code } })).status, 200)
  return totp
}

/** A window of the account, at that page. */
async function openAs(email: string, to = '/account', options: BrowserContextOptions = {}) {
  const account = { email, password: PASSWORD }
  const { page, problems } = await aWindowOf(
    account,
    { ...product, address: sso },
    { at: 'learning', ...options },
  )
  await page.goto(`${sso}${to}`)
  return { page, problems }
}

/** By the form, where a second step follows. */
async function signIn(page: Page, email: string, to = '/account') {
  await page.goto(`${sso}${to}`)
  await page.getByLabel('E-mail address or username').fill(email)
  await page.getByLabel('Password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
}

/** With a session that proved nothing itself: it was opened by the cookie of another of our sites. */
async function carriedOver(email: string) {
  const account = { email, password: PASSWORD }
  const { page, problems } = await aWindowOf(account, { ...product, address: sso }, { at: 'collections' })
  await page.goto(`${sso}/sign-in?return_to=${encodeURIComponent(`${sso}/account`)}`)
  await page.getByRole('heading', { name: 'Your account' }).waitFor()
  return { page, problems }
}

/** Begins to add an authenticator app on the page, and reads its key as a person would type it. */
async function addApp(page: Page) {
  await page.getByRole('button', { name: 'Use an authenticator app' }).click()
  const key = await page.locator('.key code').innerText()
  return new TOTP({ secret: key.replaceAll(' ', '') })
}

describe('the account’s pages in a real browser', () => {
  test('add an app and a recovery code that open the next sign-in', async () => {
    const email = await anAccount()
    const { page, problems } = await openAs(email, '/account/security', { javaScriptEnabled: false })
    const totp = await addApp(page)
    await page.getByLabel('Code').fill(totp.generate({ timestamp: Date.now() - 30_000 }))
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByText('The second step is set up').waitFor()
    await page.getByRole('button', { name: 'Make recovery codes' }).click()
    const code = await page.locator('.codes code').first().innerText()
    await page.getByRole('link', { name: 'I have kept them' }).click()
    await page.getByText('10 left').waitFor()
    const { page: other } = await aWindow({ javaScriptEnabled: false })
    await signIn(other, email)
    await other.getByText('recovery code').first().waitFor()
    await other
      .getByLabel(/recovery code|Code/i)
      .first()
      .fill(code)
    await other.getByRole('button', { name: 'Continue' }).first().click()
    await other.getByRole('heading', { name: 'Your account' }).waitFor()
    assert.deepEqual(problems, [])
  })

  test('end the session of another browser', async () => {
    const email = await anAccount()
    const [{ page }, { page: other }] = [await openAs(email), await openAs(email)]
    await other.getByRole('heading', { name: 'Your account' }).waitFor()
    await page.getByRole('link', { name: 'Where you are signed in' }).click()
    await page.getByRole('button', { name: 'End all other sessions' }).click()
    await page.getByText('All other sessions have ended').waitFor()
    await other.reload()
    await other.getByLabel('Password').waitFor()
    await page.goto(`${sso}/account/activity`)
    await page.getByText('A session was ended').first().waitFor()
  })

  test('erase it after password and address were typed', async () => {
    const email = await anAccount()
    const { page, problems } = await carriedOver(email)
    await page.getByRole('link', { name: 'Erase the account' }).click()
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('heading', { name: 'Confirm that it is you' }).waitFor()
    await page.getByLabel('Password').fill('not the password')
    await page.getByRole('button', { name: 'Continue' }).click()
    assert.match(await page.getByRole('alert').innerText(), /The password is wrong/)
    await page.getByLabel('Password').fill(PASSWORD)
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByLabel('Your e-mail address').fill(email)
    await page.getByRole('button', { name: 'Erase my account' }).click()
    await page.getByRole('heading', { name: 'Your account is erased' }).waitFor()
    const body = { email, password: PASSWORD }
    assert.equal((await call(`${sso}/api/v1/auth/login`, { headers: siteKey, body })).status, 401)
    assert.deepEqual(problems, [])
  })

  test('ask for the second factor and need no script', async () => {
    const { page, problems } = await aWindow({ javaScriptEnabled: false })
    const email = await anAccount()
    const totp = await withTotp(email)
    await signIn(page, email, '/account/email')
    await page.getByLabel('Code').fill(totp.generate())
    await page.getByRole('button', { name: 'Continue' }).click()
    const next = `new-${email}`
    await page.getByLabel('New e-mail address').fill(next)
    await page.getByRole('button', { name: 'Send the link' }).click()
    await page.getByRole('heading', { name: 'Look into your new mailbox' }).waitFor()
    const [letter] = await mail.wants(next, 1)
    const link = /https?:\/\/\S+#token=(\S+)/.exec(letter?.mail.text ?? '') ?? []
    await page.goto(link[0] ?? '')
    await page.getByLabel('Link from the e-mail').fill(link[0] ?? '')
    await page.getByRole('button', { name: 'Confirm' }).click()
    await page.getByRole('heading', { name: 'Your e-mail address is changed' }).waitFor()
    assert.deepEqual(problems, [])
  })

  test('restore it by the link in the old mailbox', async () => {
    const email = await anAccount()
    const { page, problems } = await openAs(email)
    const linkIn = (text = '') => /https?:\/\/\S+#token=\S+/.exec(text)?.[0] ?? ''
    // Mails to an address that nobody has proven wait for each other.
    const [registered] = await mail.wants(email, 1)
    await page.goto(linkIn(registered?.mail.text))
    await page.getByRole('button', { name: 'Confirm' }).click()
    await page.getByRole('heading', { name: 'Your address is confirmed' }).waitFor()
    await page.goto(`${sso}/account/email`)
    const next = `new-${email}`
    await page.getByLabel('New e-mail address').fill(next)
    await page.getByRole('button', { name: 'Send the link' }).click()
    await page.getByRole('heading', { name: 'Look into your new mailbox' }).waitFor()
    const [asked] = await mail.wants(next, 1)
    await page.goto(linkIn(asked?.mail.text))
    await page.getByRole('button', { name: 'Confirm' }).click()
    await page.getByRole('heading', { name: 'Your e-mail address is changed' }).waitFor()
    const letters = await mail.wants(email, 3)
    const told = letters.find(({ mail: { subject } }) => subject === 'Your e-mail address was changed')
    await page.goto(linkIn(told?.mail.text))
    assert.equal(page.url(), `${sso}/account/email-undo`, 'the token has left the address')
    await page.getByRole('button', { name: 'Take it back' }).click()
    await page.getByRole('heading', { name: 'Your account is yours again' }).waitFor()
    assert.deepEqual(problems, [])
  })

  test('ignore a form of another site', async () => {
    const email = await anAccount()
    const { page } = await openAs(email)
    for (const path of ['/account/erase', '/account/email', '/account/export']) {
      await page.goto(`${elsewhere}/?${sso}${path}`)
      const answer = page.waitForResponse((reply) => reply.request().method() === 'POST')
      await page.getByRole('button').click()
      assert.equal((await answer).status(), 403, path)
    }
    await page.goto(`${sso}/account`)
    assert.ok((await page.locator('main').innerText()).includes(email))
  })

  test('suit a phone at night, also where something was refused or added', async () => {
    const { page, problems } = await carriedOver(await anAccount())
    const look = async (name: string) => assert.deepEqual(await phoneFaults(page), [], name)
    await page.goto(`${sso}/account/confirm?to=/account/erase`)
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('alert').waitFor()
    await look('confirm-refused')
    await page.getByLabel('Password').fill(PASSWORD)
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('button', { name: 'Erase my account' }).click()
    await page.getByRole('alert').waitFor()
    await look('erase-refused')
    await page.goto(`${sso}/account/profile`)
    await page.getByLabel('Username').fill('a b')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('alert').waitFor()
    await look('profile-refused')
    await page.goto(`${sso}/account/security`)
    const totp = await addApp(page)
    await look('app')
    await page.getByLabel('Code').fill(totp.generate())
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByText('The second step is set up').waitFor()
    await look('security-with-app')
    await page.getByRole('button', { name: 'Make recovery codes' }).click()
    await page.getByRole('heading', { name: 'Your recovery codes' }).waitFor()
    await look('codes')
    await page.goto(`${sso}/account/email-undo#token=x`)
    await look('undo')
    assert.deepEqual(problems, [])
  })
})
