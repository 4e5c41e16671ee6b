import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import type { BrowserContextOptions, Locator, Page } from 'playwright-core'
import { bookOf } from '#testing/books.ts'
import { aWindow, phoneFaults } from '#testing/browser.ts'
import { somebody } from '#testing/campus.ts'
import { eventually } from '#testing/eventually.ts'
import { call } from '#testing/product.ts'
import { sharedProduct } from '#testing/shared-product.ts'

/** A curator's day: a tree, a workbook with faults, members, and somebody else at the same cell. */
// The pages of collections let in only who signed in at a site of ours.
const { home: product } = await sharedProduct()
const tag = randomBytes(5).toString('hex')
const { collections } = product
const anna = await somebody(product, `anna-${tag}@example.org`)
const ben = await somebody(product, `ben-${tag}@example.org`)

async function openAs(who: typeof anna, path = '/', options: BrowserContextOptions = {}) {
  const { page, problems } = await aWindow({ viewport: { width: 1280, height: 900 }, ...options })
  await page
    .context()
    .addCookies([{ name: 'access_token', value: who.access_token, url: collections, httpOnly: true }])
  await page.goto(collections + path)
  return { page, problems }
}
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const node = (page: Page, name: string) => page.getByRole('treeitem', { name })
const cell = (page: Page, row: string, column: number) =>
  page.getByRole('row').filter({ hasText: row }).getByRole('gridcell').nth(column)
const dialog = (page: Page) => page.getByRole('dialog')

async function make(page: Page, opener: string, name: string) {
  await button(page, opener).click()
  await dialog(page).getByLabel('Name', { exact: true }).fill(name)
  await dialog(page).getByRole('button', { name: 'Create' }).click()
  await page.getByRole('heading', { level: 1, name }).waitFor()
}

/** Items with a year each; one without a name, one with a key twice. */
const DIRTY = bookOf({
  Items: [
    ['item_key', 'name', 'meta.year', 'description'],
    ['P-1', 'Bridge', 1901, 'Steel over water'],
    ['P-2', '', 1902, null],
    ['P-3', 'Harbour', 1903, null],
    ['P-1', 'Bridge again', 1904, null],
    ...Array.from({ length: 150 }, (_, i) => [
      `Q-${i}`,
      `Plate ${String(i).padStart(3, '0')}`,
      1910 + (i % 7),
      null,
    ]),
  ],
})

test('a curator builds a tree, mends a workbook, shares it, and settles a conflict', async () => {
  const { page, problems } = await openAs(anna)
  await page.getByText('You have no collections yet').waitFor()
  await make(page, 'New collection', 'Museum')
  await make(page, 'New below this', 'Photographs')
  await node(page, 'Museum').click()
  await make(page, 'New below this', 'Prints')

  // By mouse, and the question comes before anything is moved.
  const [from, to] = [await node(page, 'Prints').boundingBox(), await node(page, 'Photographs').boundingBox()]
  assert.ok(from && to)
  await page.mouse.move(from.x + 60, from.y + 15)
  await page.mouse.down()
  await page.mouse.move(to.x + 60, to.y + 10, { steps: 5 })
  await page.mouse.up()
  await dialog(page).getByText('Nobody loses or gets access').waitFor()
  await dialog(page).getByRole('button', { name: 'Move' }).click()
  await page.getByText('Prints is moved').waitFor()
  await page.locator('[role=group] [role=group]').getByRole('treeitem', { name: 'Prints' }).waitFor()

  await node(page, 'Photographs').click()
  await page.getByRole('heading', { level: 1, name: 'Photographs' }).waitFor()
  await page.getByRole('link', { name: 'Upload', exact: true }).click()
  await page.getByText('Below this collection: Photographs').waitFor()
  await page
    .locator('input[type=file]')
    .setInputFiles({ name: 'plates.xlsx', mimeType: 'application/octet-stream', buffer: DIRTY })
  await page.getByText('How the file is read').waitFor()
  await button(page, 'Check the file').click()
  await page.getByText('item_key is already the key of row 2').waitFor()
  await page.getByText('name is empty').waitFor()
  assert.deepEqual(await phoneFaults(page), [])
  const download = page.waitForEvent('download')
  await button(page, 'Refused rows as a workbook').click()
  assert.equal((await download).suggestedFilename(), 'plates.xlsx-errors.xlsx')
  await button(page, 'Import').click()
  await dialog(page).getByText('This writes what the check showed').waitFor()
  await dialog(page).getByRole('button', { name: 'Import' }).click()
  // Mended in place: only what was changed is sent, and the other refused row stays as it is.
  await page.getByText('Mend the refused rows').click()
  await page.getByLabel('Row 3, name').fill('Dock')
  await page.keyboard.press('Tab')
  assert.deepEqual(await phoneFaults(page), [])
  await button(page, 'Send one row').click()
  await page.getByRole('heading', { name: 'mended 1.xlsx' }).waitFor()
  await page.getByText('done', { exact: true }).first().waitFor()
  await page.getByRole('link', { name: 'Open the collection' }).click()
  await page.getByText('153 items').waitFor()

  // A cell by keyboard alone: Enter edits, Tab saves and goes on.
  await page.getByRole('button', { name: 'Name', exact: true }).click()
  await cell(page, 'Bridge', 2).click()
  await page.keyboard.press('Enter')
  await page.keyboard.type('P-100')
  await page.keyboard.press('Tab')
  await cell(page, 'P-100', 3).waitFor()
  await page.keyboard.press('F2')
  await page.keyboard.type('1899')
  await page.keyboard.press('Enter')
  await cell(page, '1899', 3).waitFor()

  await page.getByRole('link', { name: 'Members' }).click()
  await button(page, 'Invite').click()
  await dialog(page).getByLabel('E-mail address or user name').fill('nobody@example.org')
  await dialog(page).getByRole('button', { name: 'Invite' }).click()
  await dialog(page).getByText('Nobody of your organisation').waitFor()
  await dialog(page).getByLabel('E-mail address or user name').fill(ben.email)
  await dialog(page).getByLabel('Role').selectOption('editor')
  await dialog(page).getByRole('button', { name: 'Invite' }).click()
  await dialog(page).getByText('Nobody has proven that this address is theirs').waitFor()
  await dialog(page).getByRole('button', { name: 'Invite' }).click()
  await page.getByText(`${ben.email} is a member now`).waitFor()
  await page.getByRole('row').filter({ hasText: anna.email }).getByText('from Museum').waitFor()
  assert.deepEqual(await phoneFaults(page), [])
  await page.getByRole('link', { name: 'Items' }).click()
  await page.getByText('153 items').waitFor()

  const { page: his, problems: hisProblems } = await openAs(ben)
  await node(his, 'Photographs').click()
  await his.getByRole('searchbox', { name: 'Search' }).fill('harbour')
  await his.getByText('1 item', { exact: true }).waitFor()
  await page.getByRole('searchbox', { name: 'Search' }).fill('harbour')
  await page.getByText('1 item', { exact: true }).waitFor()
  const write = async (at: Page, text: string) => {
    await cell(at, 'P-3', 3).dblclick()
    await at.locator('.cell-edit').fill(text)
    await at.keyboard.press('Enter')
  }
  await write(his, '1850')
  await cell(his, '1850', 3).waitFor()
  await write(page, '1860')
  await dialog(page).getByRole('heading', { name: 'Somebody else changed this meanwhile' }).waitFor()
  const row = await dialog(page).getByRole('row').filter({ hasText: 'year' }).textContent()
  assert.match(row ?? '', /1903\s*1850\s*1860/)
  await dialog(page).getByRole('button', { name: 'Save mine' }).click()
  await cell(page, '1860', 3).waitFor()

  // Access ends while he looks at it.
  await page.getByRole('link', { name: 'Members' }).click()
  await page.getByRole('row').filter({ hasText: ben.email }).getByRole('button', { name: 'Remove' }).click()
  await dialog(page).getByRole('button', { name: 'Remove' }).click()
  await page.getByText(ben.email, { exact: true }).waitFor({ state: 'detached' })
  await write(his, '1870')
  await his.getByText('You no longer see this collection').waitFor()
  await his.getByText('You have no collections yet').waitFor()
  assert.equal(await his.getByText('Harbour').count(), 0)

  // A version that is not the latest, and a collection that is not theirs any more, are expected answers.
  const isExpected = (line: string) => /status of (404|412)/.test(line)
  assert.deepEqual(
    [...problems, ...hisProblems].filter((line) => !isExpected(line)),
    [],
  )
})

test('all that match are set, linked and removed together', async () => {
  const { page, problems } = await openAs(anna)
  await node(page, 'Museum').locator('.twist').click()
  await node(page, 'Photographs').click()
  await page.getByText('153 items').waitFor()
  await button(page, 'Add filter').click()
  await dialog(page).getByLabel('Field').selectOption('metadata.year')
  await dialog(page).getByLabel('Comparison').selectOption('eq')
  await dialog(page).getByLabel('Value').fill('1911')
  await dialog(page).getByRole('button', { name: 'Add filter' }).click()
  await page.getByText('22 items').waitFor()
  assert.equal(new URL(page.url()).searchParams.get('filter[metadata.year][eq]'), '1911')
  await page.getByLabel('Pick all rows that match').check()
  await page.getByText('all 22 that match').waitFor()
  await button(page, 'Set a field').click()
  await dialog(page).getByLabel('Field').fill('place')
  await dialog(page).getByLabel('Value').fill('Dublin')
  await dialog(page).getByRole('button', { name: 'Set', exact: true }).click()
  await page.getByText('22 items are changed').waitFor()
  await page.getByRole('gridcell', { name: 'Dublin' }).first().waitFor()

  await page.getByLabel('Pick all rows that match').check()
  await button(page, 'Add to another collection').click()
  await dialog(page).getByLabel('Find a collection').first().fill('Prin')
  await dialog(page)
    .getByRole('radio', { name: /Prints/ })
    .check()
  await dialog(page).getByRole('button', { name: 'Add to another collection' }).click()
  await page.getByText('22 items are added there').waitFor()

  await page.getByLabel('Pick Plate 001').check()
  await page.getByText('1 picked').waitFor()
  await button(page, 'Remove from this collection').click()
  await dialog(page).getByRole('button', { name: 'Remove from this collection' }).click()
  await page.getByText('One item is removed').waitFor()
  await page.getByText('21 items').waitFor()
  assert.deepEqual(await phoneFaults(page), [])
  assert.deepEqual(problems, [])
})

test('an item tells its history, and an old value is put back', async () => {
  const { page, problems } = await openAs(anna)
  await node(page, 'Museum').locator('.twist').click()
  await node(page, 'Photographs').click()
  await page.getByRole('searchbox', { name: 'Search' }).fill('harbour')
  await page.getByRole('button', { name: 'Harbour', exact: true }).click()
  const panel = page.locator('.item-panel')
  await panel.getByLabel('Description').fill('Ships at anchor')
  await panel.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Saved.').waitFor()
  await panel.getByText('History').click()
  await panel.getByText('Ships at anchor').first().waitFor()
  await panel.getByRole('button', { name: 'Put back' }).first().click()
  await dialog(page).getByRole('button', { name: 'Put back' }).click()
  await page.getByText('The old values are back').waitFor()
  assert.equal(await panel.getByLabel('Description').inputValue(), '')
  assert.deepEqual(await phoneFaults(page), [])
  assert.deepEqual(problems, [])
})

test('a file with other headers is read as somebody says', async () => {
  const { page, problems } = await openAs(anna)
  await node(page, 'Museum').click()
  await page.getByRole('link', { name: 'Upload', exact: true }).click()
  const buffer = Buffer.from('item_key;Titel;Farbe\nT-1;Boats;blue\n')
  await page.locator('input[type=file]').setInputFiles({ name: 'boats.csv', mimeType: 'text/csv', buffer })
  await page.getByText('Sheet Items has no column name').waitFor()
  await page.getByLabel('Separator').selectOption('tab')
  await page.getByLabel('Read as: item_key;Titel;Farbe').waitFor()
  await page.getByLabel('Separator').selectOption('semicolon')
  await page.getByLabel('Read as: Titel').selectOption('name')
  await page.getByLabel('Read as: Farbe').selectOption('meta.farbe')
  await page.getByText('Sheet Items has no column name').waitFor({ state: 'detached' })
  assert.deepEqual(await phoneFaults(page), [])
  await button(page, 'Import').click()
  await dialog(page).getByRole('button', { name: 'Import' }).click()
  await page.getByRole('link', { name: 'Open the collection' }).click()
  await page.getByRole('gridcell', { name: 'blue' }).waitFor()
  assert.deepEqual(problems, [])
})

/** A collection of its own, with items as given. */
async function aBox(items: object[]) {
  const headers = anna.headers
  const made = await call(`${collections}/api/collections`, { headers, body: { name: 'Box' } })
  const id = String(made.body['id'])
  const operations = items.map((item) => ({ action: 'create', ...item }))
  const written = await call(`${collections}/api/collections/${id}/items/batch-write`, {
    headers,
    body: { operations },
  })
  const ids = (written.body['results'] as { item_id: string }[]).map(({ item_id }) => item_id)
  const read = async (n: number) => {
    const { body } = await call(`${collections}/api/items/${ids[n] ?? ''}`, { headers })
    return body as Record<string, unknown> & { metadata: Record<string, unknown>; version: number }
  }
  return { id, ids, read }
}
/** Changes of items do not get through before the function that this returns is called. */
async function holdChanges(page: Page): Promise<() => void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  await page.route(/\/api\/items\//, async (route) => {
    if (route.request().method() === 'PATCH') await promise
    await route.continue()
  })
  return resolve
}

test('a late save leaves the item alone that was opened meanwhile', async () => {
  const { id, read } = await aBox([{ name: 'Alpha' }, { name: 'Beta' }])
  const { page } = await openAs(anna, `/?collection=${id}`)
  const letChangesGo = await holdChanges(page)
  const panel = page.locator('.item-panel')
  await button(page, 'Alpha').click()
  await panel.getByLabel('Key').fill('A-1')
  await panel.getByRole('button', { name: 'Save' }).click()
  await button(page, 'Beta').click()
  await panel.getByRole('heading', { name: 'Beta' }).waitFor()
  await panel.getByLabel('Description').fill('of Beta')
  letChangesGo()
  await page.getByText('Saved.').waitFor()
  assert.equal(await panel.getByLabel('Description').inputValue(), 'of Beta')
  await panel.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Saved.').nth(1).waitFor()
  const [alpha, beta] = [await read(0), await read(1)]
  assert.deepEqual(
    [alpha['external_key'], alpha['description'], beta['description']],
    ['A-1', null, 'of Beta'],
  )
})

test('two quick changes of one item do not conflict with each other', async () => {
  const { id, read } = await aBox([{ name: 'Gamma', metadata: { year: 1 } }])
  const { page, problems } = await openAs(anna, `/?collection=${id}`)
  const letChangesGo = await holdChanges(page)
  await cell(page, 'Gamma', 2).dblclick()
  await page.keyboard.type('G-1')
  await page.keyboard.press('Tab')
  await page.keyboard.press('F2')
  await page.keyboard.type('1955')
  await page.keyboard.press('Enter')
  letChangesGo()
  await eventually(async () => (await read(0)).version === 3)
  const { external_key, metadata } = await read(0)
  assert.deepEqual([external_key, metadata], ['G-1', { year: 1955 }])
  assert.equal(await dialog(page).count(), 0)
  assert.deepEqual(problems, [])
})

test('looking at a value of several lines changes nothing', async () => {
  const { id, read } = await aBox([{ name: 'Delta', metadata: { note: 'one\ntwo' } }])
  const { page } = await openAs(anna, `/?collection=${id}`)
  await cell(page, 'Delta', 3).dblclick()
  await page.locator('.item-form').waitFor()
  assert.equal(await page.locator('.item-form [name="metadata.note"]').inputValue(), 'one\ntwo')
  await page.keyboard.press('Tab')
  assert.equal((await read(0)).version, 1)
})

test('what is typed stays in its field when columns come and rows move', async () => {
  const { id, ids, read } = await aBox([{ name: 'Epsilon', metadata: { a: 'x' } }, { name: 'Zeta' }])
  const { page, problems } = await openAs(anna, `/?collection=${id}`)
  await page.locator('summary', { hasText: 'Columns' }).click()
  await page.getByLabel('Description', { exact: true }).check()
  await page.keyboard.press('Escape')
  await cell(page, 'Epsilon', 4).dblclick()
  await page.locator('.cell-edit').fill('first half')
  const body = { metadata: { b: 'new' } }
  await call(`${collections}/api/items/${ids[1] ?? ''}`, { headers: anna.headers, body, method: 'PATCH' })
  await page.getByRole('button', { name: 'Changed' }).dispatchEvent('click')
  await page.getByRole('columnheader', { name: 'b', exact: true }).waitFor()
  await eventually(async () => (await read(0)).description === 'first half')
  assert.deepEqual((await read(0)).metadata, { a: 'x' })
  assert.deepEqual(problems, [])
})

test('more rows than were shown are not deleted', async () => {
  const { id } = await aBox([{ name: 'Eta' }, { name: 'Theta' }])
  const { page } = await openAs(anna, `/?collection=${id}`)
  await page.getByLabel('Pick all rows that match').check()
  await button(page, 'Delete').last().click()
  await dialog(page).getByLabel('Type 2 to confirm').fill('2')
  const operations = [{ action: 'create', name: 'Iota' }]
  await call(`${collections}/api/collections/${id}/items/batch-write`, {
    headers: anna.headers,
    body: { operations },
  })
  await dialog(page).getByRole('button', { name: 'Delete' }).click()
  await dialog(page).getByText('3 items match now').waitFor()
  const { body } = await call(`${collections}/api/collections/${id}/items`, { headers: anna.headers })
  assert.equal(body['total'], 3)
})

test('a change that is refused leaves what was typed in its cell', async () => {
  const { id } = await aBox([{ name: 'Kappa', external_key: 'K' }, { name: 'Lambda' }])
  const { page } = await openAs(anna, `/?collection=${id}`)
  await cell(page, 'Lambda', 2).dblclick()
  await page.locator('.cell-edit').fill('K')
  await page.keyboard.press('Enter')
  await page.getByText('Another item of the tree has this external_key').waitFor()
  assert.equal(await page.locator('.cell-edit').inputValue(), 'K')
})

test('a finger holds a collection, scrolls the tree at its edge, and drops', async () => {
  const { headers } = anna
  for (const name of ['Aaa lifted', ...Array.from({ length: 9 }, (_, i) => `Aab ${i}`), 'Aac target'])
    await call(`${collections}/api/collections`, { headers, body: { name } })
  const options = { hasTouch: true, isMobile: true, viewport: { width: 360, height: 780 } }
  const { page } = await openAs(anna, '/', options)
  await node(page, 'Aac target').waitFor()
  const placeOf = async (locator: Locator) => {
    const box = await locator.boundingBox()
    assert.ok(box)
    return box
  }
  const [from, tree] = [await placeOf(node(page, 'Aaa lifted')), await placeOf(page.getByRole('tree'))]
  const edge = tree.y + tree.height - 6
  assert.ok((await placeOf(node(page, 'Aac target'))).y > edge, 'the target is not in view')
  const session = await page.context().newCDPSession(page)
  const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', y?: number) =>
    session.send('Input.dispatchTouchEvent', {
      type,
      touchPoints: y === undefined ? [] : [{ x: from.x + 60, y }],
    })
  await touch('touchStart', from.y + 12)
  await page.locator('.ghost').waitFor()
  await touch('touchMove', from.y + 22)
  await touch('touchMove', edge)
  const isSeen = async () => (await placeOf(node(page, 'Aac target'))).y + 24 < edge
  await eventually(isSeen)
  const middle = tree.y + tree.height / 2
  await touch('touchMove', middle)
  await touch('touchMove', (await placeOf(node(page, 'Aac target'))).y + 12)
  await touch('touchEnd')
  await dialog(page).getByText('Move Aaa lifted below Aac target?').waitFor()
  await dialog(page).getByRole('button', { name: 'Move' }).click()
  await page.getByText('Aaa lifted is moved').waitFor()
})

test('a collection is moved by keyboard alone', async () => {
  const { id } = await aBox([{ name: 'Nu' }])
  const { page } = await openAs(anna, `/?collection=${id}`)
  await page.getByText('Actions', { exact: true }).focus()
  await page.keyboard.press('Enter')
  await button(page, 'Move').focus()
  await page.keyboard.press('Enter')
  await page.keyboard.type('Prints')
  await dialog(page)
    .getByRole('radio', { name: /Prints/ })
    .focus()
  await page.keyboard.press('Space')
  await page.keyboard.press('Enter')
  await dialog(page).getByText('Move Box below Prints?').waitFor()
  await dialog(page).getByRole('button', { name: 'Move' }).focus()
  await page.keyboard.press('Enter')
  await page.getByText('Box is moved').waitFor()
})

test('a view is saved under a name and comes back', async () => {
  const { id } = await aBox([{ name: 'Xi' }, { name: 'Omicron' }])
  const { page, problems } = await openAs(anna, `/?collection=${id}`)
  await page.getByRole('searchbox', { name: 'Search' }).fill('xi')
  await page.getByText('1 item', { exact: true }).waitFor()
  await page.getByText('Views', { exact: true }).click()
  await button(page, 'Save this view').click()
  await dialog(page).getByLabel('Name').fill('Only Xi')
  await dialog(page).getByRole('button', { name: 'Save' }).click()
  await page.goto(`${collections}/?collection=${id}`)
  await page.getByText('2 items').waitFor()
  await page.getByText('Views', { exact: true }).click()
  await button(page, 'Only Xi').click()
  await page.getByText('1 item', { exact: true }).waitFor()
  assert.equal(new URL(page.url()).searchParams.get('q'), 'xi')
  assert.deepEqual(problems, [])
})

test('an editor shares a view, which viewers open and cannot remove', async () => {
  const { id } = await aBox([{ name: 'Xi' }, { name: 'Omicron' }])
  const ben = await somebody(product, `viewer-${tag}@example.org`)
  const { sub } = JSON.parse(Buffer.from(ben.access_token.split('.')[1] ?? '', 'base64url').toString()) as {
    sub: string
  }
  const members = `${collections}/api/collections/${id}/members`
  await call(members, { headers: anna.headers, body: { user_id: sub, role: 'viewer' } })
  const { page, problems } = await openAs(anna, `/?collection=${id}&q=xi`)
  await page.getByText('1 item', { exact: true }).waitFor()
  await page.getByText('Views', { exact: true }).click()
  await button(page, 'Save this view').click()
  await dialog(page).getByLabel('Name').fill('Xi for all')
  await dialog(page).getByLabel('For everybody who sees this').check()
  await dialog(page).getByRole('button', { name: 'Save' }).click()
  await page.getByRole('button', { name: 'Xi for all shared' }).waitFor()
  assert.deepEqual(problems, [])

  const { page: other, problems: others } = await openAs(ben, `/?collection=${id}`)
  await other.getByText('2 items').waitFor()
  await other.getByText('Views', { exact: true }).click()
  assert.equal(await other.getByRole('button', { name: 'Remove the view Xi for all' }).count(), 0)
  await other.getByRole('button', { name: 'Xi for all shared' }).click()
  await other.getByText('1 item', { exact: true }).waitFor()
  assert.deepEqual(await phoneFaults(other), [])
  assert.deepEqual(others, [])

  await page.getByRole('button', { name: 'Remove the view Xi for all' }).click()
  await page.getByRole('button', { name: 'Xi for all shared' }).waitFor({ state: 'detached' })
})
