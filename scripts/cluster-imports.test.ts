import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { aWindow } from '#testing/browser.ts'
import { bookOf } from '#testing/books.ts'
import { runCommand } from '#testing/command.ts'
import { eventually } from '#testing/eventually.ts'
import { adminHeaders, call, startProduct } from '#testing/product.ts'

/** Real data, where there is some: LYCEUM_DATA names the folder. Else small made ones. */
const DATA = process.env['LYCEUM_DATA'] ?? ''
const product = await startProduct('')
const { sso, learning, collections } = product
const folder = mkdtempSync(join(tmpdir(), 'lyceum-imports-'))
after(() => rmSync(folder, { recursive: true, force: true }))

function given(path: string, make: () => string): string {
  const there = join(DATA, path)
  if (DATA !== '' && existsSync(there)) return there
  const made = join(folder, 'made')
  writeFileSync(made, make())
  return made
}

async function send(url: string, headers: Record<string, string>, name: string, content: Buffer) {
  const form = new FormData()
  form.set('file', new Blob([Uint8Array.from(content)]), name)
  const reply = await fetch(url, { method: 'POST', headers, body: form })
  assert.equal(reply.status, 202, await reply.clone().text())
  return String(((await reply.json()) as { job_id: string }).job_id)
}

/** Polls as a browser does; any node may answer. */
async function ended(url: string, headers: Record<string, string>) {
  const { body } = await eventually(
    () => call(url, { headers }),
    ({ status, body: job }) => status !== 200 || job['finished_at'] !== null,
  )
  assert.notEqual(body['finished_at'] ?? null, null, JSON.stringify(body))
  return body
}

describe('the importers, through a balancer', () => {
  test('bring in channels, and change nothing when repeated', async () => {
    const file = given('learning-channels/channels.jsonl', () =>
      Array.from({ length: 20 }, (_, n) =>
        JSON.stringify({
          title: `Channel ${n}`,
          source_url: `https://example.org/channels/${n}`,
          episodes: [{ title: 'One', video: { url: `https://media.example.org/${n}.mp4` } }],
        }),
      ).join('\n'),
    )
    const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean).length
    const command = ['import-channels', file, '--url', learning, '--sso', sso]
    for (const counts of [`${lines} created, 0 updated, 0`, `0 created, 0 updated, ${lines}`]) {
      const { code, stdout, stderr } = await runCommand(command, { DATA_DIR: product.dataDir })
      assert.equal(code, 0, stderr)
      assert.ok(stdout.startsWith(`${counts} unchanged, 0 failed`), stdout)
    }
  })

  test('bring in people', async () => {
    const file = given('bulk-users/users-5000.csv', () =>
      ['email,display_name', ...Array.from({ length: 200 }, (_, n) => `p${n}@example.org,Person ${n}`)].join(
        '\n',
      ),
    )
    const headers = await adminHeaders(product)
    const job = await send(`${sso}/api/v1/bulk/register`, headers, 'people.csv', readFileSync(file))
    const end = await ended(`${sso}/api/v1/bulk/jobs/${job}`, headers)
    assert.equal(end['error_count'], 0, JSON.stringify(end))
    assert.equal(end['success_count'], end['processed_rows'])
    assert.ok(Number(end['success_count']) >= 200)
  })

  test('bring in a workbook', async () => {
    const path = join(DATA, 'collections-tate/tate-small.xlsx')
    const book = existsSync(path)
      ? readFileSync(path)
      : bookOf({
          Collections: [
            ['collection_key', 'name'],
            ['one', 'One'],
          ],
          Items: [
            ['item_key', 'collection_keys', 'name'],
            ['i1', 'one', 'An item'],
          ],
        })
    const headers = await adminHeaders(product, 'collections')
    const job = await send(`${collections}/api/bulk/upload`, headers, 'book.xlsx', book)
    const end = await ended(`${collections}/api/bulk/jobs/${job}`, headers)
    assert.equal(end['state'], 'completed', JSON.stringify(end))
  })
})

test('pages open through a balancer, and somebody signs in there', { timeout: 120_000 }, async () => {
  const { page, problems } = await aWindow()
  const { email, password } = product.firstRun.admin
  await page.goto(`${learning}/`)
  await page.goto(`${sso}/sign-in?return_to=${encodeURIComponent(`${learning}/`)}`)
  await page.locator('input[name=name]').fill(email)
  await page.locator('input[name=password]').fill(password)
  await page.locator('input[name=password]').press('Enter')
  await page.waitForURL(`${learning}/**`)
  for (const url of [`${learning}/`, `${sso}/account`, `${sso}/console`, `${sso}/status`]) {
    const reply = await page.goto(url)
    assert.equal(reply?.status(), 200, url)
    await page.locator('main, h1').first().waitFor()
  }
  assert.deepEqual(problems, [])
})
