import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { contractRoutes, operationOf, type ServiceName } from '#testing/contract.ts'
import { aUser, anAdmin, homeSite } from '#testing/people.ts'
import { buildWorld, world } from '#testing/world.ts'

const apps = await world()

type Schema = Record<string, unknown>
type Content = Record<string, { schema?: Schema }>
type Operation = {
  operationId?: string
  summary?: string
  security?: Record<string, string[]>[]
  parameters?: { name: string; in: string; required?: boolean; schema?: Schema }[]
  requestBody?: { content: Content }
  responses: Record<string, { description: string; content?: Content }>
}
type Document = {
  openapi: string
  info: { title: string; version: string; license: object }
  servers: { url: string }[]
  webhooks?: Record<string, { post?: Operation }>
  components: { securitySchemes: Record<string, { type: string }> }
  paths: Record<string, Record<string, Operation>>
}

const URLS: Record<ServiceName, string> = {
  sso: '/api/v1/openapi.json',
  learning: '/openapi.json',
  collections: '/openapi.json',
}

/** The `security` member in the description for each declared auth of a route. */
const SECURITY: Record<string, string> = {
  public: '[]',
  optional: '[{},{"bearer":[]}]',
  site: '[{"site_key":[]}]',
  user: '[{"bearer":[]}]',
  admin: '[{"bearer":[]}]',
}

/** What a person opens and no program calls. */
const isPage = ({ response }: { response?: unknown }) =>
  JSON.stringify((response as Record<string, unknown> | undefined)?.['200'] ?? '').includes('text/html')

const ajv = new Ajv2020({ strict: false })

for (const service of Object.keys(URLS) as ServiceName[])
  describe(`the OpenAPI description of ${service}`, async () => {
    const { headers } = await homeSite()
    const reply = await apps[service].inject({ url: URLS[service], headers })
    const document = reply.json<Document>()
    const operations = Object.entries(document.paths ?? {}).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({
        name: `${method.toUpperCase()} ${path}`,
        path,
        operation,
      })),
    )
    const faults = (judge: (operation: Operation, path: string) => unknown) =>
      operations.flatMap(({ name, path, operation }) => (judge(operation, path) ? [name] : []))

    test('is OpenAPI 3.1.0 with a title, a version and operations', () => {
      assert.equal(reply.statusCode, 200)
      assert.equal(document.openapi, '3.1.0')
      assert.match(document.info.title, /^Lyceum /)
      assert.ok(document.info.version.length > 0)
      assert.ok(operations.length > 0)
    })

    test('holds every contract route with its authentication', () => {
      const described = new Map(operations.map(({ name, operation }) => [name, operation]))
      for (const route of contractRoutes(apps[service])) {
        if (route.schema.hide || isPage(route.schema)) continue
        const name = operationOf(route).replaceAll(/:(\w+)/g, '{$1}')
        const operation = described.get(name)
        assert.ok(operation, `${name} is not described`)
        assert.equal(JSON.stringify(operation.security), SECURITY[route.config.auth ?? ''], name)
      }
    })

    test('says where it is, under which licence, and what each operation and event is for', () => {
      assert.match(document.servers[0]?.url ?? '', /^https?:\/\/\S*[^/]$/)
      assert.deepEqual(document.info.license, { name: 'MIT', identifier: 'MIT' })
      const events = Object.entries(document.webhooks ?? {}).map(([name, { post }]) => ({
        name,
        operation: post,
      }))
      const all = [...operations, ...events]
      const nameless = ({ summary, operationId, security }: Operation) =>
        !summary || !operationId || security === undefined
      assert.deepEqual(
        all.flatMap(({ name, operation }) => (!operation || nameless(operation) ? [name] : [])),
        [],
      )
      assert.equal(new Set(all.map(({ operation }) => operation?.operationId)).size, all.length)
    })

    test('describes calls of programs, not pages', () => {
      assert.deepEqual(
        faults(({ responses }) => Object.keys(responses['200']?.content ?? {}).join() === 'text/html'),
        [],
      )
    })

    test('omits no contract route except /v1 aliases', () => {
      const hidden = contractRoutes(apps[service]).filter(({ schema }) => schema.hide)
      assert.deepEqual(hidden.filter(({ url }) => !url.startsWith('/v1/')).map(operationOf), [])
    })

    test('defines the security schemes that it names, and no other', () => {
      const defined = document.components.securitySchemes
      const named = operations.flatMap(({ operation: { security = [] } }) => security.flatMap(Object.keys))
      assert.deepEqual(new Set(named), new Set(Object.keys(defined)))
    })

    test('has a schema for each answer, and a success per operation', () => {
      assert.deepEqual(
        faults(({ responses }) => !Object.keys(responses).some((status) => /^[23]/.test(status))),
        [],
      )
      assert.deepEqual(
        faults(({ responses }) =>
          Object.entries(responses).some(
            ([status, { content }]) =>
              status !== '204' &&
              status !== '304' &&
              !Object.values(content ?? {}).some(({ schema }) => schema),
          ),
        ),
        [],
      )
      assert.deepEqual(
        faults(({ responses }) => !('4XX' in responses && '5XX' in responses)),
        [],
      )
    })

    test('requires every path parameter', () => {
      assert.deepEqual(
        faults(({ parameters = [] }, path) => {
          const inPath = parameters.filter((parameter) => parameter.in === 'path' && parameter.required)
          const named = Array.from(path.matchAll(/\{(\w+)\}/g), ([, name = '']) => name)
          return (
            named.toSorted().join() !==
            inPath
              .map(({ name }) => name)
              .toSorted()
              .join()
          )
        }),
        [],
      )
    })

    test('demands no field of a body that has a default', () => {
      type Fields = { required?: string[]; properties?: Record<string, Schema> }
      assert.deepEqual(
        faults(({ requestBody }) =>
          Object.values(requestBody?.content ?? {}).some(({ schema }) => {
            const { required = [], properties = {} } = (schema ?? {}) as Fields
            return required.some((name) => 'default' in (properties[name] ?? {}))
          }),
        ),
        [],
      )
    })

    test('shows file and fields of every upload', () => {
      const described = new Map(operations.map(({ name, operation }) => [name, operation]))
      const uploads = apps[service].declaredRoutes.filter(
        ({ config, schema }) => config.upload && !schema.hide,
      )
      for (const route of uploads) {
        const body = described.get(operationOf(route).replaceAll(/:(\w+)/g, '{$1}'))?.requestBody
        assert.deepEqual(Object.keys(body?.content ?? {}), ['multipart/form-data'], operationOf(route))
        assert.match(JSON.stringify(body?.content['multipart/form-data']?.schema), /"format":"binary"/)
      }
    })

    test('contains valid JSON Schema 2020-12 only', () => {
      const schemasOf = ({ parameters = [], requestBody, responses }: Operation) => [
        ...parameters.map(({ schema }) => schema),
        ...[requestBody, ...Object.values(responses)].flatMap((part) =>
          Object.values(part?.content ?? {}).map(({ schema }) => schema),
        ),
      ]
      assert.deepEqual(
        faults((operation) => schemasOf(operation).some((schema) => schema && !ajv.validateSchema(schema))),
        [],
      )
    })
  })

describe('the OpenAPI description of sso', () => {
  const ask = (headers: Record<string, string>) => apps.sso.inject({ url: URLS.sso, headers })

  for (const [what, headersOf, status] of [
    ['nobody', async () => ({}), 401],
    ['a bad site key', async () => ({ 'x-sso-site-key': 'sso_live_x' }), 401],
    ['a bad token', async () => ({ authorization: 'Bearer a.b.c' }), 401],
    ['a person who is no ADMIN', async () => (await aUser()).headers, 403],
    ['an ADMIN', async () => (await anAdmin()).headers, 200],
    ['a partner with its site key', async () => (await homeSite()).headers, 200],
    // A site key that is sent is always checked.
    [
      'an ADMIN beside a bad site key',
      async () => ({ ...(await anAdmin()).headers, 'x-sso-site-key': 'sso_live_x' }),
      401,
    ],
  ] as const)
    test(`answers ${what} with ${status}`, async () => {
      const reply = await ask(await headersOf())
      assert.equal(reply.statusCode, status)
      assert.equal(reply.body.includes('"paths"'), status === 200)
      if (status === 401) assert.ok(reply.headers['www-authenticate'])
    })

  test('counts against the limit of site or person', async () => {
    const lyceum = await buildWorld({ env: { SSO_RATE_LIMIT_SITE: '60' } })
    const { headers } = await homeSite(lyceum)
    const reply = await lyceum.sso.inject({ url: URLS.sso, headers })
    assert.equal(reply.headers['ratelimit-policy'], '"site";q=60;w=60')
  })
})
