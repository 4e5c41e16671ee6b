import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { aWindow, phoneFaults } from '#testing/browser.ts'
import { somebody } from '#testing/campus.ts'
import { call } from '#testing/product.ts'
import { sharedProduct } from '#testing/shared-product.ts'

/** Cells of a spreadsheet go into the table, and back. */
// The pages of collections let in only who signed in at a site of ours.
const { home: product } = await sharedProduct()
const tag = randomBytes(5).toString('hex')
const { collections } = product
const anna = await somebody(product, `anna-${tag}@example.org`)
const { headers } = anna

type Item = { id: string; name: string; external_key: string | null; metadata: Record<string, unknown> }
const dialog = (page: Page) => page.getByRole('dialog')
const cell = (page: Page, row: string, column: number) =>
  page.getByRole('row').filter({ hasText: row }).getByRole('gridcell').nth(column)

async function aBox(): Promise<string> {
  const made = await call(`${collections}/api/collections`, { headers, body: { name: 'Box' } })
  const box = String(made.body['id'])
  for (const [place, name] of ['Amphora', 'Bowl', 'Cup'].entries())
    await call(`${collections}/api/collections/${box}/items`, {
      headers,
      body: { name, metadata: { year: 1901 + place, place: 'Rome' } },
    })
  return box
}

async function itemsOf(box: string): Promise<Item[]> {
  const { body } = await call(`${collections}/api/collections/${box}/items?sort=name`, { headers })
  return (body as unknown as { items: Item[] }).items
}

async function openBox(box: string, who = anna) {
  const { page, problems } = await aWindow({ viewport: { width: 1280, height: 900 } })
  const context = page.context()
  await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: collections })
  await context.addCookies([
    { name: 'access_token', value: who.access_token, url: collections, httpOnly: true },
  ])
  await page.goto(`${collections}/?collection=${box}&sort=name`)
  await cell(page, 'Cup', 1).waitFor()
  return { page, problems }
}

/** As Ctrl+V does after a copy in a spreadsheet. */
async function paste(page: Page, row: string, column: number, text: string) {
  await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(text)})`)
  await cell(page, row, column).click()
  await page.keyboard.press('ControlOrMeta+v')
}

/** The columns are: pick, name, key, year, place. */
const [KEY, YEAR] = [2, 3]

test('a block of cells is shown before it is written, keeps numbers, and is undone', async () => {
  const box = await aBox()
  const { page, problems } = await openBox(box)
  const before = await itemsOf(box)
  await paste(
    page,
    'Amphora',
    KEY,
    'K-1\t1801\t"Old ""Rome"""\r\nK-2\t1902\tAthens\r\n\t1803\t\r\nK-9\t1\tbeyond\r\n',
  )
  await dialog(page).getByText('Paste into 3 items?').waitFor()
  await dialog(page).getByText('7 cells change.').waitFor()
  await dialog(page).getByText('3 cells are left out').waitFor()
  await dialog(page).getByRole('button', { name: 'Paste' }).click()
  await page.getByText('3 items are changed.').waitFor()
  await cell(page, 'Amphora', YEAR).filter({ hasText: '1801' }).waitFor()
  const after = (await itemsOf(box)).map(({ external_key, metadata }) => [external_key, metadata])
  assert.deepEqual(after, [
    ['K-1', { year: 1801, place: 'Old "Rome"' }],
    ['K-2', { year: 1902, place: 'Athens' }],
    [null, { year: 1803 }],
  ])
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByText('3 items are as they were.').waitFor()
  const plain = (items: Item[]) =>
    items.map(({ name, external_key, metadata }) => ({ name, external_key, metadata }))
  assert.deepEqual(plain(await itemsOf(box)), plain(before))
  assert.deepEqual(problems, [])
})

test('what somebody else changed while the question stood is refused, and the rest is written', async () => {
  const box = await aBox()
  const { page } = await openBox(box)
  const [amphora] = await itemsOf(box)
  await paste(page, 'Amphora', YEAR, '1701\n1702')
  await dialog(page).getByText('Paste into 2 items?').waitFor()
  const body = { metadata: { year: 1650 } }
  await call(`${collections}/api/items/${amphora?.id}`, { method: 'PATCH', headers, body })
  await dialog(page).getByRole('button', { name: 'Paste' }).click()
  await page.getByText('One item was refused').waitFor()
  await page.getByText('One item is changed.').waitFor()
  const years = (await itemsOf(box)).map(({ metadata }) => metadata['year'])
  assert.deepEqual(years, [1650, 1702, 1903])
})

test('cells that cannot be edited, or say so already, open no question', async () => {
  const box = await aBox()
  const { page } = await openBox(box)
  await paste(page, 'Cup', 5, 'x')
  await page.getByText('these cells cannot be edited').waitFor()
  await paste(page, 'Cup', YEAR, '1903\tRome')
  await page.getByText('the cells already say so').waitFor()
  await paste(page, 'Cup', YEAR, '1\n'.repeat(1_001))
  await page.getByText('At most 1,000 rows at a time').waitFor()
  assert.equal(await dialog(page).count(), 0)
})

test('a viewer copies a cell whole and pastes nothing', async () => {
  const box = await aBox()
  const ben = await somebody(product, `ben-${tag}@example.org`)
  const body = { user_id: JSON.parse(atob(ben.access_token.split('.')[1] ?? ''))['sub'], role: 'viewer' }
  await call(`${collections}/api/collections/${box}/members`, { headers, body })
  const { page } = await openBox(box, ben)
  await cell(page, 'Bowl', YEAR).click()
  await page.keyboard.press('ControlOrMeta+c')
  assert.equal(await page.evaluate('navigator.clipboard.readText()'), '1902')
  await paste(page, 'Cup', YEAR, '1')
  await page.keyboard.press('ArrowUp')
  assert.equal(await dialog(page).count(), 0)
  assert.deepEqual(
    (await itemsOf(box)).map(({ metadata }) => metadata['year']),
    [1901, 1902, 1903],
  )
})

test('the question fits a telephone', async () => {
  const box = await aBox()
  const { page, problems } = await openBox(box)
  await paste(page, 'Amphora', KEY, `K-1\t1801\t${'A very long place '.repeat(8)}`)
  await dialog(page).getByText('Paste into one item?').waitFor()
  assert.deepEqual(await phoneFaults(page), [])
  assert.deepEqual(problems, [])
})
