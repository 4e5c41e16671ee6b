import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startMailServer } from '#testing/mail-server.ts'
import { call, newDataDir, type Product, removeDataDir, startProduct } from '#testing/product.ts'

const dataDir = newDataDir()
let product: Product | undefined
after(async () => {
  await product?.end('SIGTERM')
  removeDataDir(dataDir)
})

test('a kill before recording the delivery repeats the same Message-ID', async () => {
  const { promise: taken, resolve: take } = Promise.withResolvers<void>()
  // The server keeps the first mail, but its reply never arrives.
  const server = await startMailServer({
    judge: () => {
      take()
      return server.received.length === 1 ? new Promise<void>(() => {}) : undefined
    },
  })
  const env = { SMTP_URL: server.url, LOG_LEVEL: 'debug' }
  product = await startProduct(dataDir, env)
  const email = 'anna.canary@school.example.org'
  const { status } = await call(`${product.sso}/api/v1/auth/register`, {
    headers: { 'x-sso-site-key': product.firstRun.sites['learning']?.site_key ?? '' },
    body: { email, password: 'battery staple 7' },
  })
  assert.equal(status, 201)
  await taken
  assert.equal(await product.end('SIGKILL'), 'SIGKILL')
  const logs = [product.log()]

  product = await startProduct(dataDir, env)
  const mails = await server.wants(email, 2)
  assert.equal(mails.length, 2)
  assert.equal(new Set(mails.map(({ mail }) => mail.messageId)).size, 1)
  const [token = ''] = /ott_[\w-]{43}/.exec(mails[0]?.mail.text ?? '') ?? []
  assert.ok(token)
  assert.equal(await product.end('SIGTERM'), 0)
  logs.push(product.log())
  product = undefined
  for (const canary of [token, email]) assert.ok(!logs.join('').includes(canary), `${canary} is in the log`)
  await server.close()
})
