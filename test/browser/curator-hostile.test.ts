import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { aWindow } from '#testing/browser.ts'
import { somebody } from '#testing/campus.ts'
import { call, newDataDir, removeDataDir, startProduct } from '#testing/product.ts'

/** Names that strangers chose, and links that they sent, before a signed-in curator. */
const dataDir = newDataDir()
const product = await startProduct(dataDir)
const { collections } = product
const anna = await somebody(product, 'anna@example.org')
const made = await call(`${collections}/api/collections`, { headers: anna.headers, body: { name: 'Box' } })
const id = String(made.body['id'])

after(async () => {
  await product.end()
  removeDataDir(dataDir)
})

const HOSTILE = '</script><img src=x onerror=document.title=1>"\'\u202egnp'

async function openAs(path: string) {
  const { page, problems } = await aWindow({ viewport: { width: 1280, height: 900 } })
  await page
    .context()
    .addCookies([{ name: 'access_token', value: anna.access_token, url: collections, httpOnly: true }])
  await page.goto(collections + path)
  return { page, problems }
}

for (const [what, name] of [
  ['a script and turned text', `${HOSTILE}.csv`],
  ['200 characters', `${'long '.repeat(39)}.csv`],
] as const)
  test(`a file named with ${what} is shown as text and moves nothing`, async () => {
    const { page, problems } = await openAs('/uploads')
    const buffer = Buffer.from(`collection_key,name,type\n${name.length},Case,general\n`)
    await page.locator('input[type=file]').setInputFiles({ name, mimeType: 'text/csv', buffer })
    await page.getByText('How the file is read').waitFor()
    await page.getByRole('button', { name: 'Check the file' }).click()
    await page.locator('#progress').waitFor()
    assert.equal(await page.locator('main img').count(), 0)
    assert.notEqual(await page.title(), '1')
    assert.equal(await page.locator('#progress').getAttribute('dir'), 'auto')
    const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth')
    assert.ok(Number(overflow) <= 0, `${String(overflow)} px too wide`)
    assert.deepEqual(problems, [])
  })

test('a saved view with a script in its name and filter is text', async () => {
  const { page, problems } = await openAs(`/?collection=${id}&q=${encodeURIComponent(HOSTILE)}`)
  await page.getByText('Views', { exact: true }).click()
  await page.getByRole('button', { name: 'Save this view', exact: true }).click()
  await page.getByRole('dialog').getByLabel('Name').fill(HOSTILE)
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
  await page.goto(`${collections}/?collection=${id}`)
  await page.getByText('Views', { exact: true }).click()
  await page.getByRole('button', { name: HOSTILE, exact: true }).click()
  assert.equal(await page.locator('img[src=x]').count(), 0)
  assert.notEqual(await page.title(), '1')
  assert.deepEqual(problems, [])
})

test('a form of another site that a curator sends changes nothing', async () => {
  const { page } = await openAs('/')
  for (const path of [`/api/collections/${id}/items`, '/api/collections', '/api/bulk/upload']) {
    await page.goto('about:blank')
    await page.setContent(
      `<form method="post" enctype="text/plain" action="${collections}${path}"><input name='{"name":"Planted","a":"' value='"}'></form>`,
    )
    await page.evaluate('document.forms[0].submit()')
    await page.waitForURL(`${collections}${path}`)
  }
  const { headers } = anna
  const [items, all] = await Promise.all([
    call(`${collections}/api/collections/${id}/items`, { headers }),
    call(`${collections}/api/collections`, { headers }),
  ])
  assert.deepEqual([items.body['total'], all.body['total']], [0, 1])
})

test('no link that a curator follows writes, whatever its address says', async () => {
  const { headers } = anna
  const item = await call(`${collections}/api/collections/${id}/items`, { headers, body: { name: 'Vase' } })
  const { items: jobs } = (await call(`${collections}/api/bulk/jobs`, { headers })).body
  const job = String((jobs as { job_id: string }[])[0]?.job_id ?? '')
  assert.match(job, /^[0-9a-f-]{36}$/)
  const written: string[] = []
  const { page } = await openAs('/')
  page.on('request', (request) => {
    const { pathname } = new URL(request.url())
    if (request.method() !== 'GET' && pathname !== '/token') written.push(`${request.method()} ${pathname}`)
  })
  for (const link of [
    `/?collection=${id}&item=${String(item.body['id'])}&action=delete&confirm=yes&members=1`,
    `/?collection=${id}&invite=mallory@example.org&role=admin&name=Planted&parent_id=&selected=all`,
    `/?collection=${id}&_method=DELETE&method=delete&filter[name][eq]=x&sort=name&view=Planted#delete`,
    `/uploads?open=${job}&apply=true&dry_run=false&allow_delete=true&cancel=1`,
    `/uploads?parent_id=${id}&file=${encodeURIComponent('https://example.org/a.xlsx')}&start=1#apply`,
    `//evil.example/?collection=${id}`,
  ]) {
    await page.goto('about:blank')
    await page.setContent(`<a href="${collections}${link.replaceAll('&', '&amp;')}">look</a>`)
    await page.getByText('look').click()
    await page.waitForLoadState('networkidle')
    assert.ok(page.url().startsWith(`${collections}/`), page.url())
  }
  assert.deepEqual(written, [])
  const after = await call(`${collections}/api/collections/${id}/items`, { headers })
  assert.deepEqual([after.body['total'], (after.body.items as { version: number }[])[0]?.version], [1, 1])
})
