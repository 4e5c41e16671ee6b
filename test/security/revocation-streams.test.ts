import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { after, describe, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { adminHeaders, call, newDataDir, removeDataDir, startProduct } from '#testing/product.ts'

const dataDir = newDataDir()
const product = await startProduct(dataDir)
after(async () => {
  await product.end()
  removeDataDir(dataDir)
})
const headers = await adminHeaders(product, 'console')
const { body: site } = await call(`${product.sso}/api/v1/sites`, { headers, body: { name: 'Partner' } })
const url = `${product.sso}/api/v1/revocations`
const asSite = { 'x-sso-site-key': String(site['site_key']) }

describe('streams of revocations', () => {
  test('that end at once leave no place taken, and no fault in the log', async () => {
    const { port, host } = new URL(url)
    for (let round = 0; round < 40; round++) {
      const socket = connect(Number(port), '127.0.0.1')
      const head = `GET /api/v1/revocations HTTP/1.1\r\nHost: ${host}\r\nX-SSO-Site-Key: ${asSite['x-sso-site-key']}\r\n\r\n`
      socket.write(head)
      // Some go before the answer begins, some once the database has been asked for news.
      await wait(Math.random() * (round % 2 ? 10 : 300))
      socket.destroy()
    }
    await wait(500)
    const open = await Promise.all(Array.from({ length: 5 }, () => fetch(url, { headers: asSite })))
    assert.deepEqual(new Set(open.map(({ status }) => status)), new Set([200]))
    for (const { body } of open) await body?.cancel()
    await wait(1_000)
    assert.doesNotMatch(product.log(), /revocations could not be read|UNDEFINED_VALUE|write after end/)
  })
})
