import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { aWindow, phoneFaults } from '#testing/browser.ts'
import { sharedProduct } from '#testing/shared-product.ts'

const product = await sharedProduct()
const SERVICES = ['sso', 'learning', 'collections'] as const

describe('the API reference in a browser', () => {
  for (const service of SERVICES)
    test(`shows every route of ${service}`, async () => {
      const { page, problems } = await aWindow()
      await page.goto(`${product[service]}/docs`)
      const found = (await (await fetch(`${product[service]}/docs/openapi.json`)).json()) as {
        paths: Record<string, Record<string, { responses: Record<string, { content?: object }> }>>
      }
      const expected = Object.values(found.paths)
        .flatMap((one) => Object.values(one))
        .filter(({ responses }) => !('text/html' in (responses['200']?.content ?? {})))
      const routes = page.locator('.route')
      await routes.first().waitFor()
      assert.equal(await routes.count(), expected.length)
      await routes.nth(3).locator('summary').first().click()
      await routes.nth(3).getByText('curl', { exact: true }).waitFor()
      await routes.nth(3).locator('.trial summary').click()
      if (service === 'learning') assert.deepEqual(await phoneFaults(page), [])
      assert.deepEqual(problems, [])
    })

  test('calls a route with the credential that somebody typed, and shows what came back', async () => {
    const { page } = await aWindow()
    await page.goto(`${product.sso}/docs?q=GET+/api/v1/roles`)
    const route = page.locator('details#getRoles')
    await route.locator('summary').first().click()
    await route.locator('.trial summary').click()
    await route.getByRole('button', { name: 'Send' }).click()
    await route.getByText(/^401 in/).waitFor()
    const { sites, admin } = product.firstRun
    const reply = await fetch(`${product.sso}/api/v1/auth/login`, {
      method: 'POST',
      headers: { 'X-SSO-Site-Key': sites.console?.site_key ?? '', 'Content-Type': 'application/json' },
      body: JSON.stringify({ email: admin.email, password: admin.password }),
    })
    const { access_token } = (await reply.json()) as { access_token: string }
    await page.getByLabel('Access token').fill(access_token)
    await route.getByRole('button', { name: 'Send' }).click()
    await route.getByText(/^200 in/).waitFor()
    await route.getByText('ADMIN').first().waitFor()
  })

  test('sends no cookie of whoever looks at it', async () => {
    const { page } = await aWindow()
    await page.context().addCookies([{ name: 'access_token', value: 'x', url: product.sso }])
    await page.goto(`${product.sso}/docs#getRoles`)
    const route = page.locator('details#getRoles')
    await route.locator('.trial summary').click()
    const asked = page.waitForRequest(/\/api\/v1\/roles/)
    await route.getByRole('button', { name: 'Send' }).click()
    assert.equal((await (await asked).allHeaders())['cookie'], undefined)
  })

  test('finds routes by word and opens the one that the address names', async () => {
    const { page } = await aWindow()
    await page.goto(`${product.learning}/docs#postEnroll`)
    const route = page.locator('details#postEnroll')
    await route.getByText('channel_id').first().waitFor()
    await page.getByLabel('Find a route').fill('enroll post')
    await page.getByRole('status').getByText('1 route', { exact: true }).waitFor()
    await page.getByLabel('Find a route').fill('no such words')
    await page.getByText('No route has these words.').waitFor()
  })

  for (const [locale, text] of [
    ['de-DE', 'API-Referenz'],
    ['es-ES', 'Referencia de la API'],
  ] as const)
    test(`speaks ${locale}`, async () => {
      const { page } = await aWindow({ locale })
      await page.goto(`${product.collections}/docs`)
      await page.getByRole('link', { name: text }).waitFor()
    })
})
