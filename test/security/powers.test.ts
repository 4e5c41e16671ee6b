import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { App } from '#foundation/http/http.ts'
import { collectionsMatrix } from './powers/collections.ts'
import { learningMatrix } from './powers/learning.ts'
import { type Matrix, strayOf, testMatrix } from './powers/matrix.ts'
import { ssoMatrix } from './powers/sso.ts'

/** Tests the permission tables. SECURITY.md has the rules, docs/decisions/powers-by-token-site.md the reasons. */
function testService<Scene>(service: string, matrix: Matrix<Scene>) {
  describe(`the powers at ${service}`, () => {
    test('every route that names an object has one row', () =>
      assert.deepEqual(strayOf(matrix), { without_row: [], without_route: [] }))
    testMatrix(matrix)
  })
}

testService('the sso', ssoMatrix)
testService('learning', learningMatrix)
testService('collections', collectionsMatrix)

describe('the matrix reports', () => {
  const route = { method: 'GET', url: '/api/things/:id', config: { auth: 'user' }, schema: {} } as const
  const named = { ...route, url: '/api/things', schema: { querystring: { properties: { site_code: {} } } } }
  const found = (declaredRoutes: object[], operations: string[]) =>
    strayOf({
      app: { declaredRoutes } as unknown as App,
      rows: operations.map((operation) => [operation, '404', async () => ({})] as const),
    })

  test('a new route that names an object', () => {
    const posted = {
      ...route,
      method: 'POST',
      url: '/api/all',
      schema: { body: { properties: { user_ids: {} } } },
    }
    assert.deepEqual(found([route, named, posted], []).without_row, [
      'GET /api/things/:id',
      'GET /api/things',
      'POST /api/all',
    ])
    assert.deepEqual(found([route, named], ['GET    /api/things/:id', 'GET    /api/things?site_code']), {
      without_row: [],
      without_route: [],
    })
  })

  test('a row without route or with another method', () =>
    assert.deepEqual(found([route], ['GET    /api/things/:id', 'DELETE /api/things/:id']).without_route, [
      'DELETE /api/things/:id',
    ]))

  test('an alias under /v1 only without its original route', () => {
    const [real, alias] = [
      { ...route, url: '/api/v1/x/:id' },
      { ...route, url: '/v1/x/:id' },
    ]
    assert.deepEqual(found([real, alias], ['GET    /api/v1/x/:id']).without_row, [])
    assert.deepEqual(found([alias], []).without_row, ['GET /v1/x/:id'])
  })
})
