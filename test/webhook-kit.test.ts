import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { describe, test } from 'node:test'
import { verifyWebhook, WebhookError } from 'lyceum/webhook-kit'
import { Webhook as StandardWebhook } from 'standardwebhooks'

const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
const other = `whsec_${Buffer.alloc(32, 8).toString('base64')}`
const event_id = '01a1ff20-b2d1-7002-9bc5-8fe445a1553a'
const body = Buffer.from(JSON.stringify({ event_type: 'ping', data: { name: 'Zoë ✓' }, event_id }))
const now = 1_800_000_000_000

type Given = Record<string, string | string[] | undefined>
const plain: Given = {
  'x-sso-event-id': event_id,
  'x-sso-signature': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
}
/** As another implementation makes them. */
const full: Given = {
  ...plain,
  'webhook-id': event_id,
  'webhook-timestamp': String(now / 1_000),
  'webhook-signature': `v1,AAAA ${new StandardWebhook(secret).sign(event_id, new Date(now), body)}`,
}
const signatureWith = (key: string) =>
  `v1,${createHmac('sha256', key)
    .update(`${event_id}.${now / 1_000}.`)
    .update(body)
    .digest('base64')}`
const verify = (headers: Given | Headers, given = secret, raw: Buffer | string = body, at = now) =>
  verifyWebhook(raw, headers, given, { now: at })
/** As a receiver that takes the signature of the document alone. */
const verifyUndated = (headers: Given, given = secret, raw: Buffer | string = body) =>
  verifyWebhook(raw, headers, given, { now, acceptsUndated: true })
const codeOf = (work: () => unknown) => {
  try {
    work()
    return 'ok'
  } catch (error) {
    assert.ok(error instanceof WebhookError)
    return error.code
  }
}

describe('verifyWebhook', () => {
  test('returns the event of a request with both signatures', () => {
    assert.equal(verify(full).event_id, event_id)
    assert.equal(verify(full, secret, body.toString()).event_id, event_id)
    assert.equal(verify(new Headers(full as Record<string, string>)).event_id, event_id)
  })

  test('accepts a request without time only on request', () => {
    assert.equal(
      codeOf(() => verify(plain)),
      'timestamp',
    )
    assert.equal(verifyUndated(plain).event_type, 'ping')
  })

  test('refuses a stored request stripped of its dated signature', () => {
    const { 'webhook-signature': _, ...stripped } = full
    assert.equal(
      codeOf(() => verify(stripped, secret, body, now + 86_400_000)),
      'timestamp',
    )
  })

  test('takes no empty secret, with which everybody could sign', () => {
    for (const none of ['', 'whsec_', ['', secret], undefined as unknown as string]) {
      const signed = { ...full, 'webhook-signature': signatureWith('') }
      assert.throws(() => verifyWebhook(body, signed, none, { now }), TypeError)
    }
  })

  test('accepts either of two secrets during a rotation', () => {
    assert.equal(verifyWebhook(body, full, [other, secret], { now }).event_id, event_id)
    assert.equal(verifyWebhook(body, plain, [other, secret], { acceptsUndated: true }).event_id, event_id)
  })

  const refused: [name: string, code: string, work: () => unknown][] = [
    ['another secret', 'signature', () => verify(full, other)],
    ['another secret, one header', 'signature', () => verifyUndated(plain, other)],
    ['a byte more', 'signature', () => verify(full, secret, `${body.toString()} `)],
    ['a byte more, one header', 'signature', () => verifyUndated(plain, secret, `${body.toString()} `)],
    [
      'a body that was parsed and written again',
      'signature',
      () => verify(full, secret, JSON.stringify(JSON.parse(body.toString()), null, 1)),
    ],
    ['no headers at all', 'signature', () => verify({})],
    ['a header twice', 'signature', () => verify({ ...plain, 'x-sso-signature': ['a', 'b'] })],
    [
      'the hex in capitals',
      'signature',
      () => verify({ ...plain, 'x-sso-signature': String(plain['x-sso-signature']).toUpperCase() }),
    ],
    [
      'an empty Standard Webhooks signature, whatever the other says',
      'signature',
      () => verify({ ...full, 'webhook-signature': '' }),
    ],
    ['a request of six minutes ago', 'timestamp', () => verify(full, secret, body, now + 360_000)],
    ['a request of the future', 'timestamp', () => verify(full, secret, body, now - 360_000)],
    ['a time that is none', 'timestamp', () => verify({ ...full, 'webhook-timestamp': 'now' })],
    ['another time', 'signature', () => verify({ ...full, 'webhook-timestamp': String(now / 1_000 + 1) })],
    ['another id', 'signature', () => verify({ ...full, 'webhook-id': 'x', 'x-sso-event-id': 'x' })],
    ['another idempotency key', 'id_mismatch', () => verify({ ...full, 'x-sso-event-id': 'x' })],
    [
      'another idempotency key, one header',
      'id_mismatch',
      () => verifyUndated({ ...plain, 'x-sso-event-id': 'x' }),
    ],
  ]
  for (const [name, code, work] of refused) test(`refuses ${name}`, () => assert.equal(codeOf(work), code))

  test('compares before it parses', () => {
    const nonsense = Buffer.from('{')
    assert.equal(
      codeOf(() => verify(plain, secret, nonsense)),
      'signature',
    )
    const signed = {
      ...plain,
      'x-sso-signature': `sha256=${createHmac('sha256', secret).update(nonsense).digest('hex')}`,
    }
    assert.equal(
      codeOf(() => verifyUndated(signed, secret, nonsense)),
      'body',
    )
  })
})
