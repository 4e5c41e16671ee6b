import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { aWindow } from '#testing/browser.ts'
import { somebody } from '#testing/campus.ts'
import { newDataDir, type Product, removeDataDir, startProduct } from '#testing/product.ts'

/** A program of its own: the sso follows the name of the visitor only where no SSO_URL says its name. */
const dataDir = newDataDir()
let product: Product
before(async () => void (product = await startProduct(dataDir)))
after(async () => {
  await product.end()
  removeDataDir(dataDir)
})

for (const host of ['127.0.0.1', 'localhost'])
  test(`a program without settings signs people in and out, at ${host}`, async () => {
    const home = product.learning.replace('127.0.0.1', host)
    await somebody(product, 'mona@loopback.example.org')
    const { page, problems } = await aWindow()
    await page.goto(`${home}/learning`)
    await page.locator('.panel').getByRole('link', { name: 'Sign in' }).click()
    await page.getByLabel('E-mail address or username').fill('mona@loopback.example.org')
    await page.getByLabel('Password').fill('correct horse 42')
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByText('You have not joined a channel yet.').waitFor()
    assert.equal(page.url(), `${home}/learning`)
    await page.getByRole('button', { name: 'Account of mona@loopback.example.org' }).click()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('heading', { name: 'Sign in to continue' }).waitFor()
    assert.equal(page.url(), `${home}/`)
    assert.deepEqual(problems, [])
  })
