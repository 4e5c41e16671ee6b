import type { App, DeclaredRoute } from '#foundation/http/http.ts'
import { sourceFiles } from './source.ts'

export type ServiceName = 'sso' | 'learning' | 'collections'
/** `path` as the document writes it, `auth` in its words. */
type Row = { operation: string; auth: string }

/** Where the operations of the collections document live, which names no path but the first (docs/collections.md). */
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

/** Part 4 of a document: its tables of endpoints. */
const endpointsOf = (document: string) =>
  document.slice(document.indexOf('\n## 4.'), document.indexOf('\n## 5.'))

/** The rows of the endpoint tables, "DEL" written out. */
export function documentedRows(service: ServiceName): Row[] {
  const part = endpointsOf(apiDocument(service))
  if (service === 'collections')
    return operationNames(part).map((name) => ({
      operation: COLLECTIONS_PATHS[name] ?? `${name} has no path`,
      // Login hands out the token that every other operation needs (docs/choices-collections.md).
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

/** "GET /api/channels/:id" as the documents write it; the name of a parameter is no part of an address. */
export const withoutNames = (operation: string) =>
  operation.replaceAll(/\{\w+\}/g, '{}').replaceAll(/:\w+/g, '{}')

export const operationOf = ({ method, url }: Pick<DeclaredRoute, 'method' | 'url'>) => `${method} ${url}`

/** What the contract speaks about: every declared route but the operational ones. */
export const contractRoutes = (app: App) => app.declaredRoutes.filter(({ config }) => !config.operational)
