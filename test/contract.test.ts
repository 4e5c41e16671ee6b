import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  additionRows,
  apiDocument,
  contractRoutes,
  documentedRows,
  operationOf,
  type ServiceName,
  withoutNames,
} from '#testing/contract.ts'
import { world } from '#testing/world.ts'

const apps = await world()

/** The `auth` values of a route for each word in the Auth columns. */
const MEANING: Record<string, readonly (string | undefined)[]> = {
  Public: ['public', 'optional'],
  User: ['user'],
  Admin: ['admin'],
  'Site key': ['site'],
  Bearer: ['user'],
  // The role counts at the site of the call, which the route declaration does not know.
  'Bearer, admin': ['admin', 'user'],
}

const ROWS = { sso: 23, learning: 36, collections: 17 }

/** The API document says there are 14 pages but does not list them; docs/learning.md does. */
const PAGES = [
  '/',
  '/channel',
  '/channel/edit',
  '/channels',
  '/episode',
  '/episode/edit',
  '/grades',
  '/grading',
  '/homework',
  '/innovation',
  '/learning',
  '/system',
  '/test',
  '/test/edit',
]
const isPage = (service: ServiceName, url: string) => service === 'learning' && PAGES.includes(url)

for (const service of Object.keys(ROWS) as ServiceName[])
  describe(`the contract of ${service}`, () => {
    const rows = documentedRows(service)
    const documented = new Map(rows.map((row) => [withoutNames(row.operation), row]))
    const routes = contractRoutes(apps[service])
    const registered = new Map(routes.map((route) => [withoutNames(operationOf(route)), route]))

    test(`has ${ROWS[service]} operations, each once`, () => {
      assert.equal(rows.length, ROWS[service])
      assert.equal(documented.size, ROWS[service])
      assert.deepEqual(
        rows.filter(({ operation }) => !/^(GET|POST|PUT|PATCH|DELETE) \//.test(operation)),
        [],
      )
    })

    test('has every operation registered', () => {
      const missing = [...documented.keys()].filter((operation) => !registered.has(operation))
      assert.deepEqual(missing, [])
    })

    test('covers every route that is not operational', () => {
      const spoken = new Set(documented.keys())
      if (service === 'sso')
        for (const operation of documented.keys()) spoken.add(operation.replace('/api/v1/', '/v1/'))
      assert.deepEqual(
        routes
          .filter(({ url }) => !isPage(service, url))
          .map((route) => withoutNames(operationOf(route)))
          .filter((operation) => !spoken.has(operation)),
        [],
      )
    })

    test('names no operational route', () => {
      const operational = apps[service].declaredRoutes.filter(({ config }) => config.operational)
      assert.deepEqual(
        operational
          .map((route) => withoutNames(operationOf(route)))
          .filter((operation) => documented.has(operation)),
        [],
      )
    })

    test('agrees with the routes on who may call', () => {
      const differing = rows.flatMap(({ operation, auth }) => {
        const route = registered.get(withoutNames(operation))
        if (!route || MEANING[auth]?.includes(route.config.auth)) return []
        return [`${operation} is ${auth} in the document and ${route.config.auth} here`]
      })
      assert.deepEqual(differing, [])
    })
  })

/** How docs/api-additions.md writes `auth`. */
const AUTH: Record<string, string> = {
  public: 'Public',
  optional: 'Public',
  site: 'Site key',
  user: 'Bearer',
  admin: 'Bearer, admin',
  connection: 'SCIM token',
}

for (const service of Object.keys(ROWS) as ServiceName[])
  test(`docs/api-additions.md lists what ${service} has beside its contract`, () => {
    const registered = apps[service].declaredRoutes
      .filter(({ url, config, schema }) => config.operational && !schema.hide && !url.startsWith('/v1/'))
      .map((route) => {
        const permissions = [route.config.permission ?? []].flat().map((one) => `\`${one}\``)
        const path = route.url.replaceAll(/:(\w+)/g, '{$1}')
        return `| ${route.method} | ${path} | ${AUTH[route.config.auth ?? '']} | ${permissions.join(', ')} |`
      })
    assert.deepEqual(additionRows(service), registered.toSorted())
  })

describe('the sso', () => {
  test('answers every operation under /v1 as well', () => {
    const urls = new Map(contractRoutes(apps.sso).map((route) => [operationOf(route), route]))
    const versioned = [...urls].filter(([operation]) => operation.includes(' /api/v1/'))
    assert.ok(versioned.length > 0)
    for (const [operation, { config, schema }] of versioned) {
      const alias = urls.get(operation.replace('/api/v1/', '/v1/'))
      assert.ok(alias, `${operation} has no alias`)
      assert.equal(alias.config.auth, config.auth)
      assert.equal(alias.schema.body, schema.body)
    }
  })
})

describe('the learning document', () => {
  test('counts its operations per category correctly', () => {
    const document = apiDocument('learning')
    const counts = /Channel count per category: (.+?); total (\d+)\./.exec(document)
    assert.ok(counts?.[1])
    const named = counts[1].split(', ').map((part) => Number(part.split(' ')[1]))
    assert.equal(
      named.reduce((sum, count) => sum + count, 0),
      Number(counts[2]),
    )
    assert.equal(documentedRows('learning').length, Number(counts[2]))
  })

  test('counts 14 pages and 50 routes in total correctly', () => {
    const document = apiDocument('learning')
    assert.match(
      document,
      /Besides the 36 API routes the application serves 14 static HTML pages .*50 routes in total/,
    )
    const routes = contractRoutes(apps.learning)
    const pages = routes.filter(({ url }) => isPage('learning', url))
    assert.deepEqual(pages.map(operationOf).toSorted(), PAGES.map((url) => `GET ${url}`).toSorted())
    assert.ok(pages.every(({ config }) => config.auth === 'public'))
    assert.equal(routes.length, 50)
  })
})
