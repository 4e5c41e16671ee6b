import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { aWindow } from '#testing/browser.ts'
import { adminHeaders, call } from '#testing/product.ts'
import { sharedProduct } from '#testing/shared-product.ts'

const { home: product, mail } = await sharedProduct()
const { sso } = product
/** A production site must be https at a public name, which nobody serves here: the browser goes there and finds nothing. */
const callback = 'https://chor.example.org/back'

const linkIn = (text = '') => /https?:\/\/\S+#token=\S+/.exec(text)?.[0] ?? assert.fail('no link in the mail')

/** The page is German, says so, and is no wider than a phone. */
async function isFine(page: Page, title: string) {
  await page.getByRole('heading', { level: 1, name: title }).waitFor()
  const { lang, overflow } = await page.evaluate<{ lang: string; overflow: number }>(
    '({ lang: document.documentElement.lang, overflow: document.documentElement.scrollWidth - innerWidth })',
  )
  assert.deepEqual([lang, overflow], ['de', 0], title)
}

const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()

describe('a person on a German phone', () => {
  test('recovers the account, disconnects a site, takes the data along and leaves', async () => {
    const { page, problems } = await aWindow({ locale: 'de-DE', viewport: { width: 360, height: 740 } })
    const headers = await adminHeaders(product)
    const site = await call(`${sso}/api/v1/sites`, {
      headers,
      body: { name: 'Chor der Stadt', environment: 'production', callback_url: callback },
    })
    assert.equal(site.status, 201, JSON.stringify(site.body))
    const email = `juergen-${randomBytes(5).toString('hex')}@example.org`

    // An account, made on the way to the partner's site.
    await page.goto(`${sso}/sign-up?site_code=${String(site.body['site_code'])}`)
    await isFine(page, 'Konto anlegen')
    await press(page, 'Konto anlegen')
    assert.match(await page.getByRole('alert').innerText(), /Geben Sie Ihre E-Mail-Adresse ein/)
    await page.getByLabel('E-Mail-Adresse').fill(email)
    await page.getByLabel('Name').fill('Jürgen Groß')
    await press(page, 'Konto anlegen')
    await isFine(page, 'Sehen Sie in Ihr Postfach')
    const [welcome] = await mail.wants(email, 1)
    assert.equal(welcome?.mail.subject, 'Stellen Sie Ihr Konto fertig')
    assert.match(welcome?.mail.html ?? '', /<html lang="de">/)
    await page.goto(linkIn(welcome?.mail.text))
    await isFine(page, 'Wählen Sie, wie Sie sich anmelden')
    await page.getByLabel('Passwort', { exact: true }).fill('passwort')
    await press(page, 'Passwort speichern und weiter')
    assert.match(await page.getByRole('alert').innerText(), /Das Passwort ist eines der häufigsten/)
    await page.getByLabel('Passwort', { exact: true }).fill('vier Wörter im Regen')
    await press(page, 'Passwort speichern und weiter')
    await isFine(page, 'Bei Chor der Stadt anmelden?')
    assert.deepEqual(problems, [])
    const leaving = page.waitForEvent('requestfailed')
    await press(page, 'Erlauben')
    assert.match((await leaving).url(), /^https:\/\/chor\.example\.org\/back\?code=/)
    await page.waitForURL('chrome-error://**')
    problems.length = 0

    // The password is forgotten; the mail brings it back.
    await page.goto(`${sso}/account`)
    await isFine(page, 'Anmelden')
    await page.getByLabel('E-Mail-Adresse oder Benutzername').fill(email)
    await page.getByLabel('Passwort').fill('was war es nur')
    await press(page, 'Anmelden')
    assert.match(await page.getByRole('alert').innerText(), /E-Mail-Adresse oder Passwort ist falsch/)
    await page.getByRole('link', { name: 'Passwort vergessen oder Passkey verloren?' }).click()
    await isFine(page, 'Zurück in Ihr Konto')
    await page.getByLabel('E-Mail-Adresse').fill(email)
    await press(page, 'Link schicken')
    await isFine(page, 'Sehen Sie in Ihr Postfach')
    const letters = await mail.wants(email, 2)
    const recovery = letters.find((one) => one.mail.subject === 'Wählen Sie ein neues Passwort')
    await page.goto(linkIn(recovery?.mail.text))
    await isFine(page, 'Wählen Sie, wie Sie sich anmelden')
    await page.getByLabel('Neues Passwort').fill('fünf Wörter im hellen Regen')
    await press(page, 'Passwort speichern')
    await isFine(page, 'Ihr Passwort ist gespeichert')
    await page.goto(`${sso}/account`)
    await page.getByLabel('E-Mail-Adresse oder Benutzername').fill(email)
    await page.getByLabel('Passwort').fill('fünf Wörter im hellen Regen')
    await press(page, 'Anmelden')
    await isFine(page, 'Ihr Konto')

    await page.getByRole('link', { name: 'Websites, die Sie mit diesem Konto nutzen' }).click()
    await isFine(page, 'Verbundene Websites')
    await page.getByText('Von Ihnen erlaubt, seit').waitFor()
    await press(page, 'Trennen')
    await page.getByText('Chor der Stadt ist getrennt.').waitFor()
    await page.getByText('Keine Website von anderen kennt Ihr Konto.').waitFor()

    await page.getByRole('link', { name: 'Zurück zu Ihrem Konto' }).click()
    const download = page.waitForEvent('download')
    await press(page, 'Ihre Daten herunterladen')
    const data = JSON.parse(readFileSync((await (await download).path()) ?? '', 'utf8'))
    assert.ok(JSON.stringify(data).includes(email))
    assert.ok(JSON.stringify(data).includes('Jürgen Groß'))

    await page.goto(`${sso}/account`)
    await page.getByRole('link', { name: 'Konto löschen' }).click()
    await isFine(page, 'Ihr Konto löschen')
    await page.getByLabel('Ihre E-Mail-Adresse').fill('jemand@example.org')
    await press(page, 'Mein Konto löschen')
    assert.match(await page.getByRole('alert').innerText(), /Das ist nicht die E-Mail-Adresse des Kontos/)
    await page.getByLabel('Ihre E-Mail-Adresse').fill(email)
    await press(page, 'Mein Konto löschen')
    await isFine(page, 'Ihr Konto ist gelöscht')
    await page.goto(`${sso}/account`)
    await page.getByLabel('E-Mail-Adresse oder Benutzername').fill(email)
    await page.getByLabel('Passwort').fill('fünf Wörter im hellen Regen')
    await press(page, 'Anmelden')
    assert.match(await page.getByRole('alert').innerText(), /E-Mail-Adresse oder Passwort ist falsch/)
    assert.deepEqual(problems, [])
  })
})
