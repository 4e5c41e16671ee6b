import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { aWindow, phoneFaults } from '#testing/browser.ts'
import { somebody } from '#testing/campus.ts'
import { call } from '#testing/product.ts'
import { sharedProduct } from '#testing/shared-product.ts'

/** Names that strangers chose, and links that they sent, before a signed-in curator. */
// The pages of collections let in only who signed in at a site of ours.
const { home: product } = await sharedProduct()
const tag = randomBytes(5).toString('hex')
const { collections } = product
const anna = await somebody(product, `anna-${tag}@example.org`)
const made = await call(`${collections}/api/collections`, { headers: anna.headers, body: { name: 'Box' } })
const id = String(made.body['id'])

const HOSTILE = '</script><img src=x onerror=document.title=1>"\'\u202egnp'

const idOf = ({ access_token }: { access_token: string }) =>
  (JSON.parse(Buffer.from(access_token.split('.')[1] ?? '', 'base64url').toString()) as { sub: string }).sub

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

test('a description is shown as Markdown, and what looks like markup or a script is text', async () => {
  const { headers } = anna
  const box = await call(`${collections}/api/collections`, { headers, body: { name: 'Texts' } })
  const description =
    '# Vase\n\n**blue** [site](https://example.org/) [bad](javascript:alert(1)) <img src=x onerror=document.title=1>\n\n- one\n- two\n\n| a | b |\n|---|---|\n| 1 | 2 |'
  const path = `${collections}/api/collections/${String(box.body['id'])}`
  const item = await call(`${path}/items`, { headers, body: { name: 'Vase', description } })
  const ben = await somebody(product, `ben-${tag}@example.org`)
  await call(`${path}/members`, { headers, body: { user_id: idOf(ben), role: 'viewer' } })
  for (const [person, isEditor] of [
    [anna, true],
    [ben, false],
  ] as const) {
    const { page, problems } = await aWindow({ viewport: { width: 1280, height: 900 } })
    await page
      .context()
      .addCookies([{ name: 'access_token', value: person.access_token, url: collections, httpOnly: true }])
    await page.goto(`${collections}/?collection=${String(box.body['id'])}&item=${String(item.body['id'])}`)
    const panel = page.locator('.item-panel')
    await panel.getByRole('heading', { level: 2, name: 'Vase' }).waitFor()
    if (isEditor) {
      await panel.getByText('Preview of the description').click()
      await panel.getByLabel('Description', { exact: true }).fill(`${description}\n\n*typed now*`)
      await panel.locator('.prose em', { hasText: 'typed now' }).waitFor()
    }
    const prose = panel.locator('.prose')
    assert.equal(await prose.locator('strong').textContent(), 'blue')
    assert.deepEqual(
      await prose.locator('a').evaluateAll((all) => all.map((one) => one.getAttribute('href'))),
      ['https://example.org/'],
    )
    assert.equal(await prose.locator('img, script').count(), 0)
    assert.deepEqual(await prose.locator('li, td').allTextContents(), ['one', 'two', '1', '2'])
    assert.match(await prose.innerText(), /<img src=x onerror=document\.title=1>/)
    if (isEditor) assert.deepEqual(await phoneFaults(page), [])
    assert.deepEqual(problems, [])
  }
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
  assert.deepEqual([items.body['total'], all.body['total']], [0, 2])
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

test('a collection that is not there is asked for once', async () => {
  const { page } = await openAs('/')
  const asked: string[] = []
  page.on('request', (request) => {
    if (request.url().includes('/items?')) asked.push(request.url())
  })
  await page.goto(`${collections}/?collection=01a20dd8-073f-7000-bca8-98b7dc1c032c`)
  await page.getByRole('alert').first().waitFor()
  await page.waitForLoadState('networkidle')
  assert.ok(asked.length <= 2, `${asked.length} times`)
})
