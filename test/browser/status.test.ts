import assert from 'node:assert/strict'
import { test } from 'node:test'
import { aWindow } from '#testing/browser.ts'
import { sharedProduct } from '#testing/shared-product.ts'

test('the status page says of each part whether it works, visibly and to screen readers', async () => {
  const [{ sso }, { page, problems }] = [await sharedProduct(), await aWindow()]
  await page.goto(`${sso}/status`)
  await page.getByRole('row', { name: 'Database Works' }).waitFor()
  assert.equal(await page.getByRole('row').count(), 6)
  assert.deepEqual(problems, [])
})
