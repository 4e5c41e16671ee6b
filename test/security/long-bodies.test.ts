import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { sharedProduct } from '#testing/shared-product.ts'

const MEBIBYTE = 1_048_576
const product = await sharedProduct()
const { headers: owner } = product.owner
const site_key = product.firstRun.sites['learning']?.site_key ?? ''
const ROUTES = [
  ['sso', `${product.sso}/api/v1/auth/login`, { 'x-sso-site-key': site_key }],
  ['learning', `${product.learning}/api/channels`, owner],
  ['collections', `${product.collections}/api/collections`, owner],
] as const

for (const [service, url, headers] of ROUTES)
  describe(`a too long body sent to ${service} by fetch`, () => {
    const send = (
      body: string | ReadableStream,
      type = 'application/json',
      who: Record<string, string> = headers,
    ) =>
      fetch(url, {
        method: 'POST',
        headers: { ...who, 'content-type': type },
        body,
        ...(body instanceof ReadableStream && { duplex: 'half' }),
      })

    for (const [size, times] of [
      [5, 8],
      [15, 4],
    ] as const)
      test(`gets a 413 ${times} times of ${times} at ${size} MiB`, async () => {
        const body = `{"a": "${'x'.repeat(size * MEBIBYTE)}"}`
        for (let time = 0; time < times; time++) {
          const reply = await send(body)
          assert.equal(reply.status, 413)
          assert.match(((await reply.json()) as { detail: string }).detail, /too large/)
        }
      })

    test('gets a 413 without announced length', async () => {
      const chunk = new Uint8Array(65_536).fill(0x20)
      for (let time = 0; time < 4; time++) {
        let left = 100
        const body = new ReadableStream({
          pull: (controller) => (left-- > 0 ? controller.enqueue(chunk) : controller.close()),
        })
        assert.equal((await send(body)).status, 413)
      }
    })

    test('gets a 401 without a valid sender', async () => {
      for (let time = 0; time < 4; time++)
        assert.equal((await send('x'.repeat(5 * MEBIBYTE), 'application/json', {})).status, 401)
    })

    test('gets a 415 with an unread type', async () => {
      for (let time = 0; time < 4; time++)
        assert.equal((await send('x'.repeat(5 * MEBIBYTE), 'application/xml')).status, 415)
    })
  })
