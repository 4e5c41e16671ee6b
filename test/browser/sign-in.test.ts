import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, describe, test } from 'node:test'
import { TOTP } from 'otpauth'
import type { Page } from 'playwright-core'
import { aWindow, aWindowOf, phoneFaults } from '#testing/browser.ts'
import { call } from '#testing/product.ts'
import { sharedProduct } from '#testing/shared-product.ts'

const { home: product, mail } = await sharedProduct()
const { sso } = product
const learning = product.learning.replace('127.0.0.1', 'localhost')
/** Another site for browsers: a page with a form or a link to the address in its query. */
const stranger = createServer((request, response) => {
  const [kind = '', address = ''] = (request.url ?? '').split(/\?(.*)/s)
  const fields =
    '<input name="name"><input name="email"><input name="password"><input name="display_name"><input name="form_token">'
  const body =
    kind === '/form'
      ? `<form method="post" action="${address}">${fields}<button>Win</button></form>`
      : `<a href="${address}">Go</a>`
  response.setHeader('content-type', 'text/html').end(`<link rel="icon" href="data:,">${body}`)
}).listen(0, '127.0.0.1')
await once(stranger, 'listening')
const elsewhere = `http://127.0.0.1:${(stranger.address() as AddressInfo).port}`

after(() => stranger.close())

const PASSWORD = 'correct horse 42'
const info = `${learning}/api/info`
const query = `?${new URLSearchParams({ return_to: info }).toString()}`
const siteKey = { 'x-sso-site-key': product.firstRun.sites['learning']?.site_key ?? '' }

async function anAccount() {
  const email = `anna-${randomBytes(5).toString('hex')}@example.org`
  const registered = await call(`${sso}/api/v1/auth/register`, {
    headers: siteKey,
    body: { email, password: PASSWORD, display_name: 'Anna' },
  })
  assert.equal(registered.status, 201)
  return email
}

/** A new account, with the headers of a session that was opened through the API. */
async function aPersonOfTheApi() {
  const email = await anAccount()
  const { body } = await call(`${sso}/api/v1/auth/login`, {
    headers: siteKey,
    body: { email, password: PASSWORD },
  })
  return { email, headers: { authorization: `Bearer ${String(body['access_token'])}` } }
}

async function signIn(page: Page, email: string, password = PASSWORD) {
  await page.goto(`${sso}/sign-in${query}`)
  await page.getByLabel('E-mail address or username').fill(email)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
}

/** A window that is signed in already, at the page that a sign-in returns to. */
async function aSignedIn(email: string) {
  const window = await aWindowOf(
    { email, password: PASSWORD },
    { ...product, address: sso },
    { at: 'learning' },
  )
  await window.page.goto(info)
  return window
}

/** The e-mail address of the user that the learning service sees, read from the page that sign-in returns to. */
async function visitorOf(page: Page): Promise<string | undefined> {
  assert.equal(page.url(), info)
  const { user } = JSON.parse(await page.locator('body').innerText()) as { user: { email: string } | null }
  return user?.email
}

const cookieNames = async (page: Page) => (await page.context().cookies()).map(({ name }) => name).toSorted()

describe('in a real browser', () => {
  test('a newcomer signs up by the mailed link', async () => {
    const { page, problems } = await aWindow()
    const email = `new-${randomBytes(5).toString('hex')}@example.org`
    await page.goto(`${sso}/sign-in${query}`)
    await page.getByRole('link', { name: 'Create an account' }).click()
    await page.getByLabel('Name').fill('Anna Blume')
    await page.getByLabel('E-mail address').fill(email)
    await page.getByRole('button', { name: 'Create account' }).click()
    await page.getByRole('heading', { name: 'Look into your mailbox' }).waitFor()

    const [letter] = await mail.wants(email, 1)
    const link = /https?:\/\/\S+#token=\S+/.exec(letter?.mail.text ?? '')?.[0] ?? ''
    await page.goto(link)
    assert.equal(new URL(page.url()).pathname, '/sign-up/password')
    assert.equal(new URL(page.url()).hash, '', 'the token has left the address')
    assert.equal(await page.getByLabel('Link from the e-mail').isVisible(), false)
    await page.getByLabel('Password').fill(PASSWORD)
    await page.getByRole('button', { name: 'Save the password and go on' }).click()
    assert.equal(await visitorOf(page), email)
    assert.deepEqual(problems, [])
  })

  test('a wrong password is reported at the focus', async () => {
    const { page, problems } = await aWindow()
    const email = await anAccount()
    await signIn(page, email, 'wrong horse 43')
    const summary = page.getByRole('alert')
    assert.match(await summary.innerText(), /E-mail address or password is wrong/)
    assert.equal(await page.evaluate('document.activeElement.getAttribute("role")'), 'alert')
    assert.deepEqual(await phoneFaults(page), [])
    assert.equal(await page.getByLabel('Password').inputValue(), '')
    await summary.getByRole('link').click()
    assert.equal(await page.evaluate('document.activeElement.id'), 'name')
    await page.getByLabel('Password').fill(PASSWORD)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    assert.equal(await visitorOf(page), email)
    assert.deepEqual(problems, [])
  })

  test('scripts see no session cookie, and the refresh cookie is path-bound', async () => {
    const { page } = await aWindow()
    await signIn(page, await anAccount())
    await page.goto(`${sso}/forgot-password`)
    assert.equal(await page.evaluate('document.cookie'), '')
    const cookies = await page.context().cookies()
    const seen = cookies.map(({ name, path, httpOnly, sameSite }) => ({ name, path, httpOnly, sameSite }))
    assert.deepEqual(
      seen.toSorted((a, b) => a.name.localeCompare(b.name)),
      [
        { name: 'access_token', path: '/', httpOnly: true, sameSite: 'Lax' },
        { name: 'sso_form', path: '/', httpOnly: true, sameSite: 'Lax' },
        { name: 'sso_known', path: '/sign-in', httpOnly: true, sameSite: 'Lax' },
        { name: 'sso_refresh', path: '/sign-in', httpOnly: true, sameSite: 'Strict' },
      ],
    )
  })

  test('an account with an app is asked for its code', async () => {
    const { email, headers } = await aPersonOfTheApi()
    const begun = await call(`${sso}/api/v1/mfa/factors`, { headers, body: { type: 'totp', name: 'Phone' } })
    assert.equal(begun.status, 201, JSON.stringify(begun.body))
    const totp = new TOTP({ secret: String(begun.body['secret']) })
    // Each time step works once: the previous one enrols the factor, the current one signs in.
    const activated = await call(`${sso}/api/v1/mfa/factors/${String(begun.body['factor_id'])}/activate`, {
      headers,
      body: { code: totp.generate({ timestamp: Date.now() - 30_000 }) },
    })
    assert.equal(activated.status, 200, JSON.stringify(activated.body))

    const { page, problems } = await aWindow()
    await signIn(page, email)
    await page.getByRole('heading', { name: 'Confirm that it is you' }).waitFor()
    assert.equal(await page.evaluate('document.activeElement.id'), 'code')
    await page.getByLabel('Code').fill('000000')
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('alert').waitFor()
    assert.deepEqual(await phoneFaults(page), [])
    await page.getByLabel('Code').fill(totp.generate())
    await page.getByRole('button', { name: 'Continue' }).click()
    assert.equal(await visitorOf(page), email)
    assert.deepEqual(await cookieNames(page), ['access_token', 'sso_form', 'sso_known', 'sso_refresh'])
    assert.deepEqual(problems, [])
  })

  test('an account with a security key signs in with it', async () => {
    const { email, headers } = await aPersonOfTheApi()
    const { page, problems } = await aWindow()
    const devtools = await page.context().newCDPSession(page)
    await devtools.send('WebAuthn.enable')
    await devtools.send('WebAuthn.addVirtualAuthenticator', {
      options: { protocol: 'ctap2', transport: 'usb', hasUserVerification: false, isUserVerified: false },
    })
    const begun = await call(`${sso}/api/v1/mfa/factors`, {
      headers,
      body: { type: 'webauthn', name: 'Key' },
    })
    assert.equal(begun.status, 201, JSON.stringify(begun.body))
    await page.goto(`${sso}/sign-in`)
    const credential = await page.evaluate(`(async () => {
      const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(${JSON.stringify(begun.body['public_key'])})
      return (await navigator.credentials.create({ publicKey })).toJSON()
    })()`)
    const activated = await call(`${sso}/api/v1/mfa/factors/${String(begun.body['factor_id'])}/activate`, {
      headers,
      body: { credential },
    })
    assert.equal(activated.status, 200, JSON.stringify(activated.body))

    await signIn(page, email)
    // A response that no security key produced.
    await page.evaluate(`
      document.forms[0].elements.credential.value = '{"id":"x"}'
      document.forms[0].submit()`)
    await page.getByRole('link', { name: 'This passkey was not accepted' }).click()
    assert.equal(await page.evaluate('location.hash'), '#passkey')
    await page.getByRole('button', { name: 'Use a passkey or security key' }).click()
    await page.waitForURL(info)
    assert.equal(await visitorOf(page), email)
    assert.deepEqual(problems, [])
  })

  test('a forgotten password is replaced by the mailed link', async () => {
    const email = await anAccount()
    const { page, problems } = await aWindow()
    const linkIn = (text = '') => /https?:\/\/\S+#token=\S+/.exec(text)?.[0] ?? ''
    // Mails to an address that nobody has proven wait for each other.
    const [registered] = await mail.wants(email, 1)
    await page.goto(linkIn(registered?.mail.text))
    await page.getByLabel('Password').fill(PASSWORD)
    await page.getByRole('button', { name: 'Confirm' }).click()
    await page.getByRole('heading', { name: 'Your address is confirmed' }).waitFor()
    await page.goto(`${sso}/sign-in${query}`)
    await page.getByRole('link', { name: 'Forgot your password' }).click()
    await page.getByLabel('E-mail address').fill(email)
    await page.getByRole('button', { name: 'Send the link' }).click()
    await page.getByRole('heading', { name: 'Look into your mailbox' }).waitFor()
    const letters = await mail.wants(email, 2)
    const letter = letters.find(({ mail: { subject } }) => subject === 'Choose a new password')
    await page.goto(linkIn(letter?.mail.text))
    await page.getByLabel('New password').fill('short')
    await page.getByRole('button', { name: 'Save the password' }).click()
    await page.getByRole('alert').waitFor()
    assert.deepEqual(await phoneFaults(page), [])
    await page.getByLabel('New password').fill('another horse 43')
    await page.getByRole('button', { name: 'Save the password' }).click()
    await page.getByRole('heading', { name: 'Your password is saved' }).waitFor()
    await signIn(page, email, 'another horse 43')
    assert.equal(await visitorOf(page), email)
    assert.deepEqual(problems, [])
  })

  test('a signed in visitor returns without form, also in two tabs', async () => {
    const email = await anAccount()
    const { page, problems } = await aSignedIn(email)
    const before = (await page.context().cookies()).find(({ name }) => name === 'sso_refresh')?.value
    await page.goto(`${sso}/sign-in${query}`)
    assert.equal(await visitorOf(page), email)
    const tabs = [page, await page.context().newPage()]
    await Promise.all(tabs.map((tab) => tab.goto(`${sso}/sign-in${query}`)))
    for (const tab of tabs) assert.equal(await visitorOf(tab), email)
    const now = (await page.context().cookies()).find(({ name }) => name === 'sso_refresh')?.value
    assert.ok(before && now && before !== now)
    assert.deepEqual(problems, [])
  })

  test('a form of the learning service signs out', async () => {
    const email = await anAccount()
    const { page } = await aWindow()
    await signIn(page, email)
    const access = (await page.context().cookies()).find(({ name }) => name === 'access_token')?.value
    // Simulates a sign-out form of the learning service, with a referrer policy that sends its origin.
    await page.evaluate(`
      document.head.innerHTML = '<meta name="referrer" content="strict-origin-when-cross-origin">'
      document.body.innerHTML = '<form method="post" action="${sso}/sign-out"><input name="return_to" value="${info}"></form>'
      document.forms[0].submit()`)
    await page.getByText('"user":null').waitFor()
    assert.equal(await visitorOf(page), undefined)
    assert.deepEqual(await cookieNames(page), ['sso_form'])
    const stolen = await fetch(`${product.learning}/api/channels`, {
      headers: { authorization: `Bearer ${access}` },
    })
    assert.equal(stolen.status, 401)
    await page.goto(`${sso}/sign-in${query}`)
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  })

  test('a link to sign out asks first', async () => {
    const email = await anAccount()
    const { page, problems } = await aSignedIn(email)
    await page.goto(`${sso}/sign-out${query}`)
    await page.getByRole('button', { name: 'Sign out' }).click()
    assert.equal(await visitorOf(page), undefined)
    await page.goto(`${sso}/sign-out`)
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('heading', { name: 'You are signed out' }).waitFor()
    assert.deepEqual(problems, [])
  })

  test('a page of another site can neither sign in nor out', async () => {
    const { page } = await aSignedIn(await anAccount())
    const before = await page.context().cookies()
    for (const path of ['/sign-out', '/sign-in/out', '/sign-in', '/sign-up']) {
      await page.goto(`${elsewhere}/form?${sso}${path}`)
      const answer = page.waitForResponse(
        (reply) => reply.request().method() === 'POST' && reply.status() !== 307,
      )
      await page.getByRole('button').click()
      assert.equal((await answer).status(), 403, path)
    }
    assert.deepEqual(await page.context().cookies(), before)
  })

  test('a signed in visitor from another site returns without form', async () => {
    const email = await anAccount()
    const { page, problems } = await aSignedIn(email)
    await page.goto(`${elsewhere}/link?${sso}/sign-in${query}`)
    await page.getByRole('link').click()
    await page.waitForURL(info)
    assert.equal(await visitorOf(page), email)
    assert.deepEqual(problems, [])
  })
})

describe('the pages', () => {
  test('work without JavaScript, mailed links included', async () => {
    const { page } = await aWindow({ javaScriptEnabled: false })
    const email = await anAccount()
    await signIn(page, email)
    assert.equal(page.url(), info)
    const [letter] = await mail.wants(email, 1)
    const link = /https?:\/\/\S+#token=\S+/.exec(letter?.mail.text ?? '')?.[0] ?? ''
    await page.goto(link)
    await page.getByLabel('Link from the e-mail').fill(link)
    await page.getByRole('button', { name: 'Confirm' }).click()
    await page.getByRole('heading', { name: 'Your address is confirmed' }).waitFor()
  })

  test('follow the reading order by keyboard', async () => {
    const { page } = await aWindow()
    const email = await anAccount()
    // The field gets the focus when the page is drawn, which can be after the load event.
    const open = async () => {
      await page.goto(`${sso}/sign-in${query}`)
      await page.locator('#name:focus').waitFor()
    }
    await open()
    const focused = () => page.evaluate('document.activeElement.id || document.activeElement.innerText')
    const walk = [await focused()]
    for (let step = 0; step < 5; step++) {
      await page.keyboard.press('Tab')
      walk.push(await focused())
    }
    assert.deepEqual(walk, [
      'name',
      'password',
      'Sign in',
      'passkey',
      'Forgot your password or lost your passkey?',
      'Create an account',
    ])
    await open()
    await page.keyboard.type(email)
    await page.keyboard.press('Tab')
    await page.keyboard.type(PASSWORD)
    await page.keyboard.press('Enter')
    await page.waitForURL(info)
    assert.equal(await visitorOf(page), email)
  })
})
