import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import * as XLSX from '@e965/xlsx'
import type { Page } from 'playwright-core'
import { bookOf } from '#testing/books.ts'
import { aWindow, phoneFaults } from '#testing/browser.ts'
import { somebody } from '#testing/campus.ts'
import { call } from '#testing/product.ts'
import { sharedProduct } from '#testing/shared-product.ts'

/** One dirty workbook, mended in two ways: in the grid of the page, and in the workbook of refused rows. */
// The pages of collections let in only who signed in at a site of ours.
const { home: product } = await sharedProduct()
const tag = randomBytes(5).toString('hex')
const { collections } = product
const anna = await somebody(product, `anna-${tag}@example.org`)

/** Of the collections one row hangs nowhere; of the items every second is wrong, each in a way of its own. */
const DIRTY = bookOf({
  Collections: [
    ['collection_key', 'parent_key', 'name'],
    ['museum', null, 'Museum'],
    ['paintings', 'museum', 'Paintings'],
    ['prints', 'musuem', 'Prints'],
  ],
  Items: [
    ['item_key', 'collection_keys', 'name', 'meta.year'],
    ['N-1', 'paintings', 'Dusk', 1871],
    ['N-2', 'paintings', null, 1872],
    ['N-3', 'paintings', 'Dawn', 1873],
    ['N-1', 'paintings', 'Noon', 1874],
    ['N-5', 'paintings', 'Rain', 1875],
    ['N-6', 'paintngs', 'Snow', 1876],
  ],
})

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const idle = (page: Page) => page.locator('#page[aria-busy=false]').waitFor({ state: 'attached' })

async function send(page: Page, name: string, buffer: Buffer) {
  await page.locator('input[type=file]').setInputFiles({ name, mimeType: 'application/octet-stream', buffer })
  await page.getByText('How the file is read').waitFor()
  await button(page, 'Import').click()
  await page.getByRole('dialog').getByRole('button', { name: 'Import' }).click()
  await page.getByRole('heading', { name, exact: true }).waitFor()
}

const NEW_TEXTS: Record<string, [header: string, text: string]> = {
  'N-1': ['item_key', 'N-4'],
  'N-6': ['collection_keys', 'paintings'],
}

/** Types into the workbook as somebody does in a spreadsheet program. */
function mendedIn(bytes: Buffer): { buffer: Buffer; refused: number } {
  const book = XLSX.read(bytes, { cellStyles: true })
  const sheet = book.Sheets['Items']
  assert.ok(sheet)
  const rows = XLSX.utils.sheet_to_json<string[]>(sheet, { header: 1, defval: '' })
  const header = rows.find((row) => row.includes('error_code'))
  assert.ok(header)
  for (const [r, row] of rows.entries()) {
    const [column, text] = NEW_TEXTS[row[header.indexOf('item_key')] ?? ''] ?? []
    if (column === undefined) continue
    sheet[XLSX.utils.encode_cell({ r, c: header.indexOf(column) })] = { t: 's', v: text }
  }
  const buffer = XLSX.write(book, { type: 'buffer', bookType: 'xlsx' }) as Buffer
  return { buffer, refused: rows.length - rows.indexOf(header) - 1 }
}

test('a dirty workbook is mended from the grid and from the workbook of refused rows', async () => {
  const { page, problems } = await aWindow({ viewport: { width: 1280, height: 900 } })
  await page
    .context()
    .addCookies([{ name: 'access_token', value: anna.access_token, url: collections, httpOnly: true }])
  await page.goto(`${collections}/uploads`)
  await idle(page)
  await send(page, 'dirty.xlsx', DIRTY)
  await page.getByText('done, with refused rows').first().waitFor()
  const made = page.getByRole('navigation', { name: 'Collections of this file' })
  assert.deepEqual(await made.getByRole('link').allTextContents(), ['Museum', 'Paintings'])
  assert.deepEqual(await phoneFaults(page), [])

  await page.getByText('Mend the refused rows').click()
  await page.getByLabel('Row 4, parent_key').fill('museum')
  await page.keyboard.press('Tab')
  await page.getByLabel('Row 3, name').fill('Evening')
  await page.keyboard.press('Tab')
  await button(page, 'Send 2 rows').click()
  await page.getByRole('heading', { name: 'mended 2.xlsx' }).waitFor()
  await made.getByRole('link', { name: 'Prints' }).waitFor()

  await page.getByRole('row').filter({ hasText: 'dirty.xlsx' }).getByRole('button').first().click()
  await page.getByRole('heading', { name: 'dirty.xlsx', exact: true }).waitFor()
  const download = page.waitForEvent('download')
  await button(page, 'Refused rows as a workbook').click()
  const { buffer, refused } = mendedIn(readFileSync(await (await download).path()))
  assert.equal(refused, 3)
  await send(page, 'refused.xlsx', buffer)
  await made.getByRole('link', { name: 'Paintings' }).click()
  await page.getByRole('heading', { level: 1, name: 'Paintings' }).waitFor()
  await page.getByText('6 items').waitFor()

  const { headers } = anna
  const { body } = await call(`${collections}/api/collections?per_page=50&sort=name`, { headers })
  const tree = (body.items as { id: string; name: string; external_key: string; item_count: number }[]) ?? []
  assert.deepEqual(
    tree.map(({ name, external_key, item_count }) => [name, external_key, item_count]),
    [
      ['Museum', 'museum', 0],
      ['Paintings', 'paintings', 6],
      ['Prints', 'prints', 0],
    ],
  )
  const items = await call(
    `${collections}/api/collections/${tree[1]?.id ?? ''}/items?fields=name,external_key,metadata`,
    { headers },
  )
  const names = (items.body.items as { name: string; external_key: string; metadata: object }[]) ?? []
  assert.deepEqual(
    names
      .map(({ external_key, name, metadata }) => [external_key, name, metadata])
      .toSorted(([a = ''], [b = '']) => (a < b ? -1 : 1)),
    [
      ['N-1', 'Dusk', { year: 1871 }],
      ['N-2', 'Evening', { year: 1872 }],
      ['N-3', 'Dawn', { year: 1873 }],
      ['N-4', 'Noon', { year: 1874 }],
      ['N-5', 'Rain', { year: 1875 }],
      ['N-6', 'Snow', { year: 1876 }],
    ],
  )
  assert.deepEqual(problems, [])
})
