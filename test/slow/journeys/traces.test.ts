import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { attributesOf, startCollector } from '#testing/collector.ts'
import {
  adminHeaders,
  call,
  newDataDir,
  type Product,
  removeDataDir,
  startProduct,
} from '#testing/product.ts'
import { answers, type Receiver, startReceiver } from '#testing/receiver.ts'
import { sourceFiles } from '#testing/source.ts'
import { eventually } from '#testing/eventually.ts'

const TRACE = '0af7651916cd43dd8448eb211c80319c'
const SPAN = 'b7ad6b7169203331'
const traceparent = `00-${TRACE}-${SPAN}-01`
const SERVER = 2
const CLIENT = 3
const CONSUMER = 5

for (const WORKERS of ['1', '2'])
  describe(`with traces on and WORKERS=${WORKERS}`, () => {
    const dataDir = newDataDir()
    let collector: Awaited<ReturnType<typeof startCollector>>
    let receiver: Receiver
    let product: Product
    let atSite: Record<string, string>
    before(async () => {
      collector = await startCollector()
      receiver = await startReceiver(answers(204))
      product = await startProduct(dataDir, {
        WORKERS,
        OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
        OTEL_EXPORTER_OTLP_HEADERS: 'x-tenant=a%20school',
        OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
        OTEL_BSP_SCHEDULE_DELAY: '50',
      })
      const headers = await adminHeaders(product)
      const body = { name: 'Partner', webhook_url: receiver.url }
      const site = await call(`${product.sso}/api/v1/sites`, { headers, body })
      assert.equal(site.status, 201)
      atSite = { 'x-sso-site-key': String(site.body['site_key']) }
      await eventually(() => receiver.requests.length === 1)
      const query = `?site_code=${String(site.body['site_code'])}`
      await eventually(async () => {
        const { items } = (await call(`${product.sso}/api/v1/webhooks${query}`, { headers })).body
        return (items?.[0] as { status?: string } | undefined)?.status === 'active'
      })
    })
    after(async () => {
      await product.end()
      await receiver.close()
      collector.close()
      removeDataDir(dataDir)
    })

    const spansOf = (trace_id: string) => collector.spans().filter(({ traceId }) => traceId === trace_id)
    /** Registers a person; resolves with the webhook request that tells it. */
    async function register(email: string, headers: Record<string, string>) {
      const from = receiver.requests.length
      const { status } = await call(`${product.sso}/api/v1/auth/register`, {
        headers: { ...atSite, ...headers },
        body: { email, password: 'a horse of many colours' },
      })
      assert.equal(status, 201)
      const told = () =>
        receiver.requests.slice(from).find(({ body }) => String(body).includes('"user.created"'))
      await eventually(() => told() !== undefined)
      return told()
    }

    test('a request, its job and its webhook share the trace of the caller', async () => {
      const told = await register('anna@example.org', { traceparent, tracestate: 'vendor=one' })
      const delivered = () => spansOf(TRACE).find(({ name }) => name === 'webhook user.created')
      await eventually(() => delivered() !== undefined)
      const spans = spansOf(TRACE)
      const named = (name: string, kind: number) =>
        spans.find((span) => span.name === name && span.kind === kind)
      const request = named('POST /api/v1/auth/register', SERVER)
      const webhook = delivered()
      const job = spans.find(({ spanId }) => spanId === webhook?.parentSpanId)
      const sent = spans.find(
        ({ name, parentSpanId, kind }) =>
          kind === CLIENT && name === 'POST' && parentSpanId === webhook?.spanId,
      )
      assert.ok(request && job && webhook && sent, JSON.stringify(spans.map(({ name }) => name)))
      assert.equal(request.parentSpanId, SPAN)
      assert.deepEqual([job.name, job.kind], ['job webhook.fan_out', CONSUMER])
      assert.equal(job.parentSpanId, request.spanId)
      assert.deepEqual(attributesOf(request), {
        'lyceum.service': 'sso',
        'http.request.method': 'POST',
        'http.route': '/api/v1/auth/register',
        'http.response.status_code': 201,
      })
      assert.equal(attributesOf(sent)['http.response.status_code'], 204)
      assert.equal(told?.headers['traceparent'], `00-${TRACE}-${sent.spanId}-01`)
      assert.equal(told?.headers['tracestate'], 'vendor=one')
      const lines = () => requestLines(product).filter(({ trace_id }) => trace_id === TRACE)
      await eventually(() => lines().length > 0)
      assert.equal(lines()[0]?.['route'], '/api/v1/auth/register')
    })

    for (const hostile of [
      `${traceparent}"}`,
      traceparent.toUpperCase(),
      `${'a'.repeat(8_000)}, ${traceparent}`,
    ])
      test(`a hostile traceparent (${hostile.slice(-12)}) begins a new trace`, async () => {
        const email = `${hostile.length}${hostile.slice(3, 5)}@example.org`.toLowerCase()
        const told = await register(email, { traceparent: hostile, tracestate: 'vendor=one' })
        const [, trace_id = ''] =
          /^00-([0-9a-f]{32})-[0-9a-f]{16}-01$/.exec(told?.headers['traceparent'] ?? '') ?? []
        assert.notEqual(trace_id, '')
        assert.notEqual(trace_id, TRACE)
        assert.equal(told?.headers['tracestate'], undefined)
        await eventually(() => spansOf(trace_id).some(({ name }) => name === 'POST /api/v1/auth/register'))
        const begun = spansOf(trace_id).find(({ name }) => name === 'POST /api/v1/auth/register')
        assert.ok(!begun?.parentSpanId)
      })

    test('a caller that does not sample is not exported, but keeps its trace', async () => {
      const quiet = 'c'.repeat(32)
      const told = await register('quiet@example.org', { traceparent: `00-${quiet}-${SPAN}-00` })
      assert.match(told?.headers['traceparent'] ?? '', new RegExp(`^00-${quiet}-[0-9a-f]{16}-00$`))
      // What is asked later is exported later.
      const later = 'd'.repeat(32)
      await register('later@example.org', { traceparent: `00-${later}-${SPAN}-01` })
      await eventually(() => spansOf(later).length > 0)
      assert.deepEqual(spansOf(quiet), [])
    })

    test('spans hold no ids, addresses, tokens or keys', async () => {
      const headers = await adminHeaders(product)
      const { user_id, email } = product.firstRun.admin
      assert.equal((await call(`${product.sso}/api/v1/users/${user_id}?q=secret`, { headers })).status, 200)
      assert.equal((await call(`${product.learning}/no/such/${user_id}`, { headers })).status, 404)
      const seen = () => collector.spans().some(({ name }) => name === 'GET /api/v1/users/:user_id')
      await eventually(seen)
      await eventually(() => collector.spans().some(({ name }) => name === 'GET'))
      const exported = collector.exports.map(({ text }) => text).join('')
      for (const secret of [user_id, email, 'anna@', 'q=secret', 'eyJ', ...Object.values(atSite)])
        assert.ok(!exported.includes(secret), secret)
    })

    test('the collector is told who sends, with the headers of the settings', () => {
      const [first] = collector.exports
      assert.deepEqual([first?.path, first?.headers['x-tenant']], ['/v1/traces', 'a school'])
      const [resource] = collector.resources()
      assert.ok(resource)
      const attributes = attributesOf(resource.resource)
      assert.equal(attributes['service.name'], 'lyceum')
      assert.equal(attributes['deployment.environment.name'], 'test')
    })
  })

test('without a collector requests are answered, and the stop does not wait for it', async () => {
  const dataDir = newDataDir()
  const product = await startProduct(dataDir, {
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9',
    OTEL_BSP_SCHEDULE_DELAY: '50',
  })
  assert.equal((await call(`${product.learning}/health`)).status, 200)
  await eventually(() => product.log().includes('traces could not be exported'))
  // One that waited for it would be ended by its own patience, with code 1.
  assert.equal(await product.end(), 0)
  removeDataDir(dataDir)
})

describe('with traces off', () => {
  test('the log line of a request names a valid trace of its caller and no other', async () => {
    const dataDir = newDataDir()
    const product = await startProduct(dataDir, {
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9',
      OTEL_TRACES_EXPORTER: 'none',
    })
    const ask = (headers: Record<string, string>) => call(`${product.learning}/api/info`, { headers })
    await ask({ traceparent })
    await ask({ traceparent: `${traceparent}"}` })
    await ask({})
    await product.end()
    const traces = requestLines(product).filter(({ route }) => route === '/api/info')
    assert.deepEqual(
      traces.map(({ trace_id }) => trace_id),
      [TRACE, undefined, undefined],
    )
    removeDataDir(dataDir)
  })

  test('nothing imports the libraries', () => {
    const users = sourceFiles('src/**/*.ts').filter(({ text }) => /from '@opentelemetry\//.test(text))
    assert.deepEqual(
      users.map(({ path }) => path),
      ['src/foundation/tracing/open-tracing.ts'],
    )
    const importers = sourceFiles('src/**/*.ts').filter(({ text }) => /from '.*open-tracing\.ts'/.test(text))
    assert.deepEqual(importers, [])
  })
})

const requestLines = (product: Product) =>
  product
    .log()
    .split('\n')
    .filter((line) => line.startsWith('{') && line.includes('"request_id"'))
    .map((line) => JSON.parse(line) as Record<string, unknown>)
