import assert from 'node:assert/strict'
import { test } from 'node:test'
import { purposesOf, type ServiceName } from '#testing/contract.ts'
import { world } from '#testing/world.ts'
import purposes from '../src/foundation/reference/purposes.json' with { type: 'json' }

const apps = await world()
const SERVICES: ServiceName[] = ['sso', 'learning', 'collections']
type Operation = { operationId: string; summary?: string; responses: Record<string, { content?: object }> }
type Document = { paths: Record<string, Record<string, Operation>> }

const documentOf = async (service: ServiceName) =>
  (await apps[service].inject({ url: '/docs/openapi.json' })).json<Document>()

test('the purposes of routes are those that the documents state (npm run purposes)', () => {
  assert.deepEqual(purposes, purposesOf())
})

for (const service of SERVICES) {
  test(`every operation of ${service} has an id of its own, and says what it is for`, async () => {
    const { paths } = await documentOf(service)
    const operations = Object.entries(paths).flatMap(([path, own]) =>
      Object.entries(own).map(([method, operation]) => ({ name: `${method} ${path}`, ...operation })),
    )
    const ids = operations.map(({ operationId }) => operationId)
    assert.equal(new Set(ids).size, ids.length)
    for (const id of ids) assert.match(id, /^[a-z][A-Za-z0-9]*$/)
    // Pages, and what load balancers ask, are for no program of a partner.
    const silent = operations.filter(
      ({ name, summary, responses }) =>
        summary === undefined &&
        !Object.hasOwn(responses['200']?.content ?? {}, 'text/html') &&
        !/\/(?:livez|readyz|health|status)$/.test(name),
    )
    assert.deepEqual(
      silent.map(({ name }) => name),
      [],
    )
  })

  test(`the Postman collection of ${service} has every operation once`, async () => {
    const reply = await apps[service].inject({ url: '/docs/postman.json', headers: { host: 'localhost' } })
    assert.match(String(reply.headers['content-disposition']), /^attachment; filename="lyceum-/)
    type Item = { name: string; request: { method: string; url: { raw: string } } }
    const { info, item } = reply.json<{ info: { schema: string }; item: { item: Item[] }[] }>()
    assert.match(info.schema, /v2\.1\.0/)
    const { paths } = await documentOf(service)
    const expected = Object.entries(paths).flatMap(([path, own]) =>
      Object.keys(own).map(
        (method) => `${method.toUpperCase()} {{base_url}}${path.replaceAll(/\{(\w+)\}/g, ':$1')}`,
      ),
    )
    const found = item.flatMap((folder) =>
      folder.item.map(({ request }) => `${request.method} ${request.url.raw}`),
    )
    assert.deepEqual(found.toSorted(), expected.toSorted())
  })

  test(`the reference of ${service} needs nothing of another origin`, async () => {
    const reply = await apps[service].inject({ url: '/docs', headers: { host: 'localhost' } })
    assert.equal(reply.statusCode, 200)
    assert.match(String(reply.headers['content-security-policy']), /default-src 'none'; script-src 'self'/)
    assert.doesNotMatch(reply.body, /(?:src|href)="https?:/)
  })
}
