import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { App, DeclaredRoute } from '#foundation/http/http.ts'
import { operationOf } from '#testing/contract.ts'
import type { Headers } from '#testing/people.ts'

/** The ids of an object, by their names in the path and query. */
export type Ids = Record<string, string>

type Sent = { payload: object | Buffer; headers?: Headers }

/**
 * One row of a matrix: the operation, where `?name` is a query parameter that is sent; one status per column; a function
 * that creates the object; the request body. `none` is a 200 that does not contain the object.
 */
export type Row<Scene> = readonly [
  operation: string,
  statuses: string,
  on: (scene: Scene) => Promise<Ids>,
  more?: {
    body?: object | ((ids: Ids) => object)
    /** For requests that are not JSON. */
    send?: (ids: Ids) => Sent
    /** The name of the id that the reply contains exactly when the status is 200. */
    shows?: string
    /** The request may destroy what the scene depends on, so every object gets its own scene. */
    isAlone?: true
  },
]

/** The callers, in column order: their name in a test title and their headers. */
export type Columns<Scene> = readonly (readonly [name: string, headers: (scene: Scene) => Headers])[]

export type Matrix<Scene> = {
  app: App
  columns: Columns<Scene>
  open: () => Promise<Scene>
  rows: readonly Row<Scene>[]
}

/** Splits `GET    /api/things/:id?q` into the method, the URL and the names of query parameters. */
function read(operation: string) {
  const [method = '', rest = ''] = operation.split(/ +/)
  const [url = '', query = ''] = rest.split('?')
  return { method, url, query: query.split('&').filter(Boolean) }
}

const isId = (name: string) => name === 'site_code' || (/_ids?$/.test(name) && !NO_OBJECT.has(name))
/** Ids that a client chooses itself. They name no object. */
const NO_OBJECT = new Set(['external_id', 'client_id'])
const namesOf = (schema: unknown) =>
  Object.keys((schema as { properties?: object } | undefined)?.properties ?? {})

/** True if the path names an object, or if the route takes a token and its query or body names one. */
export const namesObject = ({ url, config, schema }: DeclaredRoute) =>
  url.includes(':') ||
  (['user', 'admin'].includes(config.auth ?? '') &&
    [...namesOf(schema.querystring), ...namesOf(schema.body)].some(isId))

/** The operations that need a row. A /v1 alias counts as the route it stands for. */
export function guardedOperations({ declaredRoutes }: App): string[] {
  const urls = new Set(declaredRoutes.map(({ url }) => url))
  return declaredRoutes
    .filter((route) => namesObject(route) && !(route.url.startsWith('/v1/') && urls.has(`/api${route.url}`)))
    .map(operationOf)
}

/** Operations without a row, and rows without an operation. */
export function strayOf<Scene>({ app, rows }: Pick<Matrix<Scene>, 'app' | 'rows'>) {
  const written = new Set(
    rows.map(([operation]) => read(operation)).map(({ method, url }) => `${method} ${url}`),
  )
  const declared = new Set(app.declaredRoutes.map(operationOf))
  return {
    without_row: guardedOperations(app).filter((operation) => !written.has(operation)),
    without_route: [...written].filter((operation) => !declared.has(operation)),
  }
}

/** One test per cell. Cells share an object until a request changes it; then the next cell gets a new one. */
export function testMatrix<Scene>({ app, columns, open, rows }: Matrix<Scene>) {
  let shared: Promise<Scene> | undefined
  for (const row of rows) {
    const [operation, statuses, on, more = {}] = row
    const { method, url } = read(operation)
    const cells = statuses.split(' ')
    describe(`${method} ${url}`, () => {
      let place: { scene: Scene; ids: Ids } | undefined
      const enter = async () => {
        const scene = await (more.isAlone ? open() : (shared ??= open()))
        return { scene, ids: await on(scene) }
      }
      test('has a status for every column', () => assert.equal(cells.length, columns.length))
      for (const [column, [name, headersOf]] of columns.entries()) {
        const cell = cells[column] ?? ''
        test(`${operation.replace(/ +/, ' ')} with ${name} is ${cell}`, async () => {
          place ??= await enter()
          const { scene, ids } = place
          const reply = await app.inject(requestOf(row, ids, headersOf(scene)))
          if (reply.statusCode < 300 && method !== 'GET') place = undefined
          assert.equal(reply.statusCode, cell === 'none' ? 200 : Number(cell), reply.body.slice(0, 500))
          const shown = more.shows === undefined ? undefined : ids[more.shows]
          if (shown !== undefined && reply.statusCode === 200)
            assert.equal(reply.body.includes(shown), cell === '200', reply.body.slice(0, 500))
        })
      }
    })
  }
}

export function requestOf<Scene>([operation, , , more = {}]: Row<Scene>, ids: Ids, headers: Headers) {
  const { method, url, query } = read(operation)
  const idOf = (name: string) => {
    assert.ok(ids[name] !== undefined, `${operation}: nothing is made that is called ${name}`)
    return encodeURIComponent(ids[name])
  }
  const path = url.replaceAll(/:(\w+)/g, (_, name: string) => idOf(name))
  const search = query.map((name) => `${name}=${idOf(name)}`).join('&')
  const body = typeof more.body === 'function' ? (more.body as (ids: Ids) => object)(ids) : more.body
  const { payload = body, headers: sent } = more.send?.(ids) ?? {}
  return {
    method: method as 'GET',
    url: search === '' ? path : `${path}?${search}`,
    headers: { ...headers, ...sent },
    ...(payload !== undefined && { payload }),
  }
}
