import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { aWindow, axeFaults } from '#testing/browser.ts'
import { newDataDir, type Product, removeDataDir, startProduct } from '#testing/product.ts'

/** Saves screenshots to the folder in PICTURES, if that is set. */
const { PICTURES } = process.env

describe('the status page in a browser', () => {
  const dataDir = newDataDir()
  let product: Product
  before(async () => void (product = await startProduct(dataDir)))
  after(async () => {
    await product.end()
    removeDataDir(dataDir)
  })

  for (const colorScheme of ['light', 'dark'] as const)
    test(`shows each part visibly and to screen readers, in ${colorScheme}`, async () => {
      const { page, problems } = await aWindow({ colorScheme, viewport: { width: 360, height: 640 } })
      await page.goto(`${product.sso}/status`)
      assert.equal(await page.getByRole('row').count(), 6)
      await page.getByRole('row', { name: 'Database Works' }).waitFor()
      assert.deepEqual(await axeFaults(page), [])
      assert.deepEqual(problems, [])
      if (PICTURES) await page.screenshot({ path: join(PICTURES, `status-${colorScheme}.png`) })
    })
})
