import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, test } from 'node:test'
import { eventually } from '#testing/eventually.ts'
import { adminHeaders, call } from '#testing/product.ts'
import { sharedProduct } from '#testing/shared-product.ts'

const product = await sharedProduct()
const headers = await adminHeaders(product, 'console')
const { body: site } = await call(`${product.sso}/api/v1/sites`, { headers, body: { name: 'Partner' } })
const url = `${product.sso}/api/v1/revocations`
const asSite = { 'x-sso-site-key': String(site['site_key']) }

describe('streams of revocations', () => {
  test('that end at once leave no place taken, and no fault in the log', async () => {
    const { port, host, hostname } = new URL(url)
    for (let round = 0; round < 40; round++) {
      const socket = connect(Number(port), hostname)
      const head = `GET /api/v1/revocations HTTP/1.1\r\nHost: ${host}\r\nX-SSO-Site-Key: ${asSite['x-sso-site-key']}\r\n\r\n`
      socket.write(head)
      // Some go before they ask, some before the answer begins, some once the database has been asked for news.
      if (round % 3 > 0) await once(socket, 'connect')
      if (round % 3 > 1) await once(socket, 'data')
      socket.destroy()
    }
    const open = await eventually(
      async () => {
        const replies = await Promise.all(Array.from({ length: 5 }, () => fetch(url, { headers: asSite })))
        if (replies.some(({ ok }) => !ok)) for (const { body } of replies) await body?.cancel()
        return replies
      },
      (replies) => replies.every(({ ok }) => ok),
    )
    for (const { body } of open) {
      let text = ''
      for await (const part of body?.pipeThrough(new TextDecoderStream()) ?? [])
        if ((text += part).includes('event: ready')) break
    }
    assert.doesNotMatch(product.log(), /revocations could not be read|UNDEFINED_VALUE|write after end/)
  })
})
