import assert from 'node:assert/strict'
import type { IncomingMessage } from 'node:http'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import type { InjectOptions } from 'fastify'
import type { App } from '#foundation/http/http.ts'
import { isUuid } from '#foundation/ids.ts'

type Schema = { [member: string]: unknown }
type Response = { content?: Record<string, { schema?: Schema }> }
type Document = { paths: Record<string, Record<string, { responses: Record<string, Response> }>> }
/** What a handler gave to the serializer, before that adds or drops anything. */
type Given = { method: string; url: string; payload?: unknown }

const ajv = new Ajv2020({
  strict: false,
  logger: false,
  formats: {
    uuid: isUuid,
    // Times that are sent always have milliseconds and are of UTC.
    'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/,
    date: /^\d{4}-\d\d-\d\d$/,
  },
})
const compiled = new Map<string, ValidateFunction>()

/**
 * Makes every answer of a test that goes through `inject` fail the test unless it fits the published OpenAPI description of its
 * route: as the handler gave it, because the serializer turns null into "" or 0, and as it was sent.
 */
export function checkAnswers(app: App) {
  const asked = new WeakMap<IncomingMessage, Given>()
  let document: Document | undefined
  app.addHook('onRequest', (request, _, done) => {
    const { url = '' } = request.routeOptions
    asked.set(request.raw, { method: request.method.toLowerCase(), url: url.replace(/^\/v1\//, '/api/v1/') })
    done()
  })
  app.addHook('preSerialization', async (request, _, payload) => {
    const given = asked.get(request.raw)
    if (given) given.payload = payload
    return payload
  })
  const inject = app.inject.bind(app) as (asking: InjectOptions | string) => ReturnType<typeof app.inject>
  const checked = async (asking: InjectOptions | string) => {
    const reply = await inject(asking)
    const given = asked.get(reply.raw.req)
    if (!given || !/^application\/json(?:;|$)/.test(String(reply.headers['content-type']))) return reply
    document ??= app.swagger() as unknown as Document
    const schema = schemaOf(document, given, reply.statusCode)
    if (!schema) return reply
    const name = `${given.method.toUpperCase()} ${given.url} ${reply.statusCode}`
    if (given.payload !== undefined)
      assertFits(schema, JSON.parse(JSON.stringify(given.payload)), `${name} as handed over`)
    if (reply.headers['content-encoding'] === undefined && reply.body !== '')
      assertFits(schema, JSON.parse(reply.body), name)
    return reply
  }
  app.inject = checked as typeof app.inject
}

/** Undefined for routes that are not published. */
function schemaOf({ paths }: Document, { method, url }: Given, status: number): Schema | undefined {
  const responses = paths[url.replaceAll(/:(\w+)/g, '{$1}')]?.[method]?.responses
  if (!responses) return undefined
  const response = responses[status] ?? responses[`${String(status)[0]}XX`]
  assert.ok(response, `${method} ${url} answers ${status}, which is not published`)
  const json = Object.entries(response.content ?? {}).find(([type]) => type.includes('json'))
  return json?.[1].schema
}

function assertFits(schema: Schema, value: unknown, name: string) {
  const text = JSON.stringify(schema)
  const fits = compiled.get(text) ?? ajv.compile(schema)
  compiled.set(text, fits)
  assert.ok(fits(value), `${name} is not as published: ${JSON.stringify(fits.errors?.slice(0, 3))}`)
}
