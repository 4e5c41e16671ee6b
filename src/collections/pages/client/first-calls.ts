import type { Catalogue } from '#foundation/web/client/texts.ts'

/* What the pages ask the API for first, and what their shell says: for server and browser. */

export type Module = 'collections' | 'uploads'

export const SHELL_TEXTS: Catalogue<Module | 'navigation' | 'account' | 'signed_out' | 'sign_in'> = {
  en: {
    collections: 'Collections',
    uploads: 'Uploads',
    navigation: 'Collections',
    account: 'Your account',
    signed_out: 'Sign in to see your collections.',
    sign_in: 'Sign in',
  },
  de: {
    collections: 'Sammlungen',
    uploads: 'Uploads',
    navigation: 'Sammlungen',
    account: 'Mein Konto',
    signed_out: 'Melden Sie sich an, um Ihre Sammlungen zu sehen.',
    sign_in: 'Anmelden',
  },
  es: {
    collections: 'Colecciones',
    uploads: 'Cargas',
    navigation: 'Colecciones',
    account: 'Mi cuenta',
    signed_out: 'Inicie sesión para ver sus colecciones.',
    sign_in: 'Iniciar sesión',
  },
}

/** Rows that one call brings; no list gives more. */
export const PER_PAGE = 100
/** What the tree shows of a collection. */
const IN_TREE = 'name,type,item_count,my_role,hierarchy'

function pathOf(path: string, given: Record<string, string | null | undefined>): string {
  const asked = new URLSearchParams()
  for (const [name, value] of Object.entries(given)) if (value) asked.set(name, value)
  const query = asked.toString()
  return query ? `${path}?${query}` : path
}

/** `parent` is `root` for those at the top. */
export const childrenOf = (parent: string, cursor?: string): string =>
  pathOf('/api/collections', { parent_id: parent, sort: 'name', per_page: '100', fields: IN_TREE, cursor })
export const foundByName = (text: string): string =>
  pathOf('/api/collections', {
    'filter[name][contains]': text,
    sort: 'name',
    per_page: '50',
    fields: IN_TREE,
  })
export const collectionPath = (id: string): string => `/api/collections/${encodeURIComponent(id)}`

/** The part of the address that the list of items understands. */
export function listQuery(search: URLSearchParams): Record<string, string> {
  return Object.fromEntries([...search].filter(([name, value]) => value !== '' && isOfList(name)))
}
export const isOfList = (name: string): boolean =>
  ['q', 'sort', 'include_subtree'].includes(name) || name.startsWith('filter[')
/** One page of items, by its number or by the cursor of the page before. */
export const itemsOf = (id: string, search: URLSearchParams, page: number, cursor?: string): string =>
  pathOf(`${collectionPath(id)}/items`, {
    ...listQuery(search),
    ...(cursor === undefined ? { page: String(page) } : { cursor }),
    per_page: String(PER_PAGE),
  })
/** Only the ids, by cursor, in an order that goes on where it was: relevance would rank all of them for each page. */
export const idsOf = (id: string, search: URLSearchParams, cursor?: string): string =>
  pathOf(`${collectionPath(id)}/items`, {
    sort: '-added_at',
    ...listQuery(search),
    fields: 'id',
    per_page: String(PER_PAGE),
    cursor,
  })
export const itemPath = (item_id: string): string => `/api/items/${encodeURIComponent(item_id)}`
export const historyOf = (item_id: string, cursor?: string): string =>
  pathOf(`${itemPath(item_id)}/history`, { per_page: '10', cursor })
/** Items of all collections, by words or by their key. */
export const foundItems = (q: string, cursor?: string): string =>
  pathOf('/api/items', { q, per_page: '25', cursor })
export const keyedItems = (external_key: string): string =>
  pathOf('/api/items', { external_key, per_page: '10' })
export const viewsOf = (id: string): string => `${collectionPath(id)}/views`
export const membersOf = (id: string, cursor?: string): string =>
  pathOf(`${collectionPath(id)}/members`, { per_page: '50', cursor })

export const jobsOf = (cursor?: string): string => pathOf('/api/bulk/jobs', { per_page: '25', cursor })
export const jobPath = (job_id: string): string => `/api/bulk/jobs/${encodeURIComponent(job_id)}`

export const errorsOf = (job_id: string, cursor?: string): string =>
  pathOf(`${jobPath(job_id)}/errors`, { per_page: '50', cursor })

/** Errors with the rows that they stand in. */
export const refusedOf = (job_id: string, cursor?: string): string =>
  pathOf(`${jobPath(job_id)}/errors`, { per_page: '100', level: 'error', include: 'row', cursor })

export const FIRST_CALLS: Record<Module, (search: URLSearchParams) => string[]> = {
  collections: (search) => {
    const [id, item_id] = [search.get('collection'), search.get('item')]
    const isItems = (search.get('tab') ?? 'items') === 'items'
    return [
      childrenOf('root'),
      ...(id ? [collectionPath(id)] : []),
      ...(id && isItems ? [itemsOf(id, search, 1), viewsOf(id)] : []),
      ...(id && !isItems ? [membersOf(id)] : []),
      ...(item_id ? [itemPath(item_id)] : []),
    ]
  },
  uploads: (search) => {
    const [open, into] = [search.get('open'), search.get('collection')]
    return [
      jobsOf(),
      ...(open ? [jobPath(open), errorsOf(open), refusedOf(open)] : []),
      ...(into ? [collectionPath(into)] : []),
    ]
  },
}
