import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, test } from 'node:test'
import type { CDPSession, Page } from 'playwright-core'
import { aWindow, phoneFaults } from '#testing/browser.ts'
import { sharedProduct } from '#testing/shared-product.ts'

const { sso, learning, mail } = await sharedProduct()
const info = `${learning.replace('127.0.0.1', 'localhost')}/api/info`
const query = `?${new URLSearchParams({ return_to: info }).toString()}`

/** A device that keeps passkeys and answers by itself. */
async function aDevice(page: Page) {
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('WebAuthn.enable')
  const { authenticatorId } = await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
    },
  })
  return { devtools, authenticatorId }
}
type Device = Awaited<ReturnType<typeof aDevice>>

const keysOf = async ({ devtools, authenticatorId }: Device) =>
  (await devtools.send('WebAuthn.getCredentials', { authenticatorId })).credentials
const lose = ({ devtools, authenticatorId }: Device): ReturnType<CDPSession['send']> =>
  devtools.send('WebAuthn.removeVirtualAuthenticator', { authenticatorId })

/** The address that the learning service sees. */
async function visitorOf(page: Page): Promise<string | undefined> {
  await page.waitForURL(info)
  const { user } = JSON.parse(await page.locator('body').innerText()) as { user: { email: string } | null }
  return user?.email
}

const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()
const linkIn = (text = '') => /https?:\/\/\S+#token=\S+/.exec(text)?.[0] ?? ''

async function signUp(page: Page, email: string, look?: () => Promise<void>) {
  await page.goto(`${sso}/sign-up${query}`)
  await page.getByLabel('E-mail address').fill(email)
  await press(page, 'Create account')
  await page.getByRole('heading', { name: 'Look into your mailbox' }).waitFor()
  const [letter] = await mail.wants(email, 1)
  await page.goto(linkIn(letter?.mail.text))
  await page.getByRole('button', { name: 'Create a passkey' }).waitFor()
  await look?.()
  await press(page, 'Create a passkey')
  await page.getByRole('heading', { name: 'Create a passkey' }).waitFor()
  await look?.()
  await press(page, 'Create the passkey now')
  await page.getByRole('heading', { name: 'Your recovery codes' }).waitFor()
  await look?.()
  const codes = await page.locator('.codes code').allInnerTexts()
  await page.getByRole('link', { name: 'I have kept them' }).click()
  return codes
}

const newAddress = () => `anna-${randomBytes(5).toString('hex')}@example.org`
const forget = (page: Page) => page.context().clearCookies()

async function mailedLink(page: Page, email: string) {
  await page.goto(`${sso}/sign-in${query}`)
  await page.getByRole('link', { name: 'lost your passkey' }).click()
  await page.getByLabel('E-mail address').fill(email)
  await press(page, 'Send the link')
  await page.getByRole('heading', { name: 'Look into your mailbox' }).waitFor()
  const letters = await mail.wants(email, 2)
  await page.goto(
    linkIn(letters.find(({ mail: { subject } }) => subject === 'Choose a new password')?.mail.text),
  )
}

describe('a person without a password', () => {
  test('signs up, signs in by the button, loses the device and recovers by mail and code', async () => {
    const [{ page, problems }, email] = [await aWindow(), newAddress()]
    // Without anybody to choose from what it proposes, Chromium would answer before the button is pressed.
    await page.addInitScript('PublicKeyCredential.isConditionalMediationAvailable = async () => false')
    const old = await aDevice(page)
    const look = async () => assert.deepEqual(await phoneFaults(page), [])
    const codes = await signUp(page, email, look)
    assert.equal(codes.length, 10)
    assert.equal(await visitorOf(page), email)
    const [key] = await keysOf(old)
    assert.equal(key?.isResidentCredential, true)

    await forget(page)
    await page.goto(`${sso}/sign-in${query}`)
    await press(page, 'Sign in with a passkey')
    assert.equal(await visitorOf(page), email)

    await page.goto(`${sso}/account/security`)
    await page.getByText('You sign in with a passkey, without a password.').waitFor()
    await press(page, 'Remove')
    await page.getByRole('alert').waitFor()
    assert.match(await page.getByRole('alert').innerText(), /nothing would open your account/)
    await look()

    await lose(old)
    await forget(page)
    await aDevice(page)
    await mailedLink(page, email)
    await press(page, 'Create a passkey')
    await page.getByLabel('Recovery code').fill('AAAA-AAAA-AAAA-AAAA')
    await press(page, 'Continue')
    await page.getByRole('alert').waitFor()
    await look()
    await page.getByLabel('Recovery code').fill(codes[3] ?? '')
    await press(page, 'Continue')
    await press(page, 'Create the passkey now')
    await page.getByRole('heading', { name: 'Your passkey is saved' }).waitFor()
    await page.goto(`${sso}/sign-in${query}`)
    await press(page, 'Sign in with a passkey')
    assert.equal(await visitorOf(page), email)
    assert.deepEqual(problems, [])
  })

  test('signs in by what the browser proposes in the field of the name', async () => {
    const [{ page, problems }, email] = [await aWindow(), newAddress()]
    await aDevice(page)
    await signUp(page, email)
    assert.equal(await visitorOf(page), email)
    await forget(page)
    await page.goto(`${sso}/sign-in${query}`)
    assert.equal(await visitorOf(page), email)
    assert.deepEqual(problems, [])
  })

  test('signs in on a page that has been open for longer than a challenge lives', async () => {
    const [{ page, problems }, email] = [await aWindow(), newAddress()]
    await page.addInitScript('PublicKeyCredential.isConditionalMediationAvailable = async () => false')
    await aDevice(page)
    await signUp(page, email)
    await forget(page)
    await page.clock.install()
    await page.goto(`${sso}/sign-in${query}`)
    await page.clock.fastForward(300_000)
    const asked = page.waitForResponse(`${sso}/sign-in/passkey/options`)
    await press(page, 'Sign in with a passkey')
    assert.equal((await asked).status(), 200)
    assert.equal(await visitorOf(page), email)
    assert.deepEqual(problems, [])
  })

  test('is not asked for a passkey where the browser has none, and may type a password', async () => {
    const { page, problems } = await aWindow()
    await page.addInitScript('delete window.PublicKeyCredential')
    await page.goto(`${sso}/sign-in${query}`)
    assert.equal(await page.getByRole('button', { name: 'Sign in with a passkey' }).isVisible(), false)
    await page.goto(`${sso}/reset-password#token=ott_x`)
    assert.equal(await page.getByRole('button', { name: 'Create a passkey' }).isVisible(), false)
    assert.equal(await page.getByLabel('New password').isVisible(), true)
    assert.deepEqual(problems, [])
  })
})
