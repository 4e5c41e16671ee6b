import type { App, DeclaredRoute } from '#foundation/http/http.ts'
import { sourceFiles } from './source.ts'

export type ServiceName = 'sso' | 'learning' | 'collections'
/** `path` and `auth` as the API document writes them. */
type Row = { operation: string; auth: string }

/** Paths of the collections operations. The API document names only the first one (docs/collections.md). */
const COLLECTIONS_PATHS: Record<string, string> = {
  'List collections': 'GET /api/collections',
  'Create collection': 'POST /api/collections',
  'Get collection': 'GET /api/collections/{id}',
  'Update collection': 'PATCH /api/collections/{id}',
  'Delete collection': 'DELETE /api/collections/{id}',
  'List items': 'GET /api/collections/{id}/items',
  'Add item': 'POST /api/collections/{id}/items',
  'Remove item': 'DELETE /api/collections/{id}/items/{item_id}',
  'List members': 'GET /api/collections/{id}/members',
  'Invite member': 'POST /api/collections/{id}/members',
  'Update member role': 'PATCH /api/collections/{id}/members/{user_id}',
  'Remove member': 'DELETE /api/collections/{id}/members/{user_id}',
  'Bulk upload': 'POST /api/bulk/upload',
  'Download template': 'GET /api/bulk/template',
  Login: 'POST /api/auth/login',
  Logout: 'POST /api/auth/logout',
  'Current user': 'GET /api/auth/me',
}

export function apiDocument(service: ServiceName): string {
  const [file] = sourceFiles(`docs/api/${service}.md`)
  if (!file) throw new Error(`docs/api/${service}.md is not there`)
  return file.text
}

/** Part 4 of an API document: the endpoint tables. */
const endpointsOf = (document: string) =>
  document.slice(document.indexOf('\n## 4.'), document.indexOf('\n## 5.'))

/** The rows of the endpoint tables; "DEL" becomes "DELETE". */
export function documentedRows(service: ServiceName): Row[] {
  const part = endpointsOf(apiDocument(service))
  if (service === 'collections')
    return operationNames(part).map((name) => ({
      operation: COLLECTIONS_PATHS[name] ?? `${name} has no path`,
      // Login returns the token that every other operation needs (docs/choices-collections.md).
      auth: name === 'Login' ? 'Public' : 'Bearer',
    }))
  const rows = part.matchAll(/^\| (GET|POST|PUT|PATCH|DEL|DELETE) \| (\/\S*) \| ([^|]+?) \|/gm)
  return Array.from(rows, ([, method, path = '', auth = '']) => ({
    operation: `${method === 'DEL' ? 'DELETE' : method} ${path}`,
    auth,
  }))
}

const operationNames = (part: string) =>
  Array.from(part.matchAll(/^\| ([A-Z][a-z ]+) \|/gm), ([, name = '']) => name).filter(
    (name) => name !== 'Operation',
  )

/** "GET /api/channels/:id" as the documents write it, without parameter names: they are not part of the address. */
export const withoutNames = (operation: string) =>
  operation.replaceAll(/\{\w+\}/g, '{}').replaceAll(/:\w+/g, '{}')

export const operationOf = ({ method, url }: Pick<DeclaredRoute, 'method' | 'url'>) => `${method} ${url}`

/** The routes that the contract covers: all declared routes except operational ones. */
export const contractRoutes = (app: App) => app.declaredRoutes.filter(({ config }) => !config.operational)

function additionsOf(service: ServiceName): string {
  const [file] = sourceFiles('docs/api-additions.md')
  return file?.text.split(/^## /m).find((one) => one.startsWith(`${service}\n`)) ?? ''
}

/** The rows of docs/api-additions.md about a service, in order, without their purpose. */
export function additionRows(service: ServiceName): string[] {
  return Array.from(
    additionsOf(service).matchAll(/^(\| [A-Z]+ \| \S+ \| [^|]+ \| [^|]*\|) [^|]+ \|$/gm),
    ([, row = '']) => row,
  ).toSorted()
}

/** What the API documents and docs/api-additions.md say each route is for, by service and operation without names. */
export function purposesOf(): Record<string, Record<string, string>> {
  const services: ServiceName[] = ['sso', 'learning', 'collections']
  return Object.fromEntries(services.map((service) => [service, purposesIn(service)]))
}

function purposesIn(service: ServiceName): Record<string, string> {
  const rows = [...endpointsOf(apiDocument(service)).split('\n'), ...additionsOf(service).split('\n')]
  const found = rows.flatMap((row): [string, string][] => {
    const cells = row.split('|').map((cell) => cell.trim())
    const [, first = '', second = ''] = cells
    const purpose = (cells.at(-2) ?? '').replaceAll('`', '')
    const named = service === 'collections' ? COLLECTIONS_PATHS[first] : undefined
    if (named !== undefined) return [[withoutNames(named), `${first}: ${purpose}`]]
    if (!second.startsWith('/')) return []
    return [[withoutNames(`${first === 'DEL' ? 'DELETE' : first} ${second}`), purpose]]
  })
  return Object.fromEntries(found.toSorted(([a], [b]) => (a < b ? -1 : 1)))
}
