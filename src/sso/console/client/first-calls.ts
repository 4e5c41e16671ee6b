import type { Place } from './places.ts'

/* What each live page asks the API for first, by the query of its address, for server and browser. */

const PER_PAGE = 25

/** The filters of the list of deliveries. */
const FILTERS = ['status', 'event_type', 'webhook_id'] as const

/** `?site_code=…` of the address, if it names a site. */
export const siteOf = (search: URLSearchParams): string => {
  const site_code = search.get('site_code')
  return site_code ? `?${new URLSearchParams({ site_code }).toString()}` : ''
}

export function deliveriesOf(search: URLSearchParams, cursor?: string): string {
  const asked = new URLSearchParams({ per_page: String(PER_PAGE) })
  for (const name of ['site_code', ...FILTERS]) {
    const value = search.get(name)
    if (value) asked.set(name, value)
  }
  if (cursor) asked.set('cursor', cursor)
  return `/api/v1/webhooks/events?${asked.toString()}`
}

export const endpointsOf = (search: URLSearchParams): string => `/api/v1/webhooks${siteOf(search)}`
export const figuresOf = (search: URLSearchParams): string => `/api/v1/webhooks/figures${siteOf(search)}`

/** The imports of the site in the address; a page without one takes the first site it finds. */
export const importsOf = (search: URLSearchParams, site_code: string, cursor?: string): string =>
  listOf('/api/v1/bulk/jobs', { site_code, status: search.get('status'), cursor })
export const importOf = (job_id: string): string => `/api/v1/bulk/jobs/${encodeURIComponent(job_id)}`

export const ordersOf = (search: URLSearchParams, cursor?: string, per_page = PER_PAGE): string => {
  const [site_code, status, kind] = ['site_code', 'status', 'kind'].map((name) => search.get(name))
  return listOf('/api/v1/payments/orders', { site_code, status, kind, cursor }, per_page)
}

export const AUDIT_FILTERS = [
  'site_code',
  'environment',
  'action',
  'subject',
  'actor',
  'since',
  'until',
] as const
const auditFilters = (search: URLSearchParams) =>
  Object.fromEntries(AUDIT_FILTERS.map((name) => [name, search.get(name)]))
export const auditOf = (search: URLSearchParams, cursor?: string): string =>
  listOf('/api/v1/audit', { ...auditFilters(search), cursor })
export const auditEntryOf = (search: URLSearchParams, audit_id: string): string => {
  const [site_code, environment] = [search.get('site_code'), search.get('environment')]
  return listOf('/api/v1/audit', { site_code, environment, audit_id }, 1)
}
export const auditExportOf = (search: URLSearchParams, format: 'csv' | 'jsonl'): string =>
  pathOf('/api/v1/audit/export', { ...auditFilters(search), format })

export const messagesOf = (search: URLSearchParams, cursor?: string): string => {
  const [site_code, status, kind, recipient] = ['site_code', 'status', 'kind', 'recipient'].map((name) =>
    search.get(name),
  )
  return listOf('/api/v1/admin/messages', { site_code, status, kind, recipient, cursor })
}
export const messageOf = (message_id: string): string => listOf('/api/v1/admin/messages', { message_id }, 1)

export const connectionsOf = (site_id: string): string =>
  listOf(`/api/v1/sites/${encodeURIComponent(site_id)}/connections`, {}, 100)
export const signInPathOf = (site_id: string, connection_id: string, what: 'sign-ins' | 'claims'): string =>
  `/api/v1/sites/${encodeURIComponent(site_id)}/connections/${encodeURIComponent(connection_id)}/${what}`

export const SETTINGS = '/api/v1/admin/settings'
export const BRANDING = '/api/v1/admin/branding'
export const keysOf = (cursor?: string): string => listOf('/api/v1/signing-keys', { cursor })

function listOf(
  path: string,
  filters: Record<string, string | null | undefined>,
  per_page = PER_PAGE,
): string {
  return pathOf(path, { per_page: String(per_page), ...filters })
}

function pathOf(path: string, filters: Record<string, string | null | undefined>): string {
  const asked = new URLSearchParams()
  for (const [name, value] of Object.entries(filters)) if (value) asked.set(name, value)
  return `${path}?${asked.toString()}`
}

/** What the overview shows. */
export const OWN_SITES = '/api/v1/console/sites'
export const CHECKLIST = '/api/v1/console/checklist'
export const STATUS = '/status'
export const overviewOf = (search: URLSearchParams): string => `/api/v1/console/figures${siteOf(search)}`

const DAY_MS = 86_400_000
/** `last_login_after` and `last_login_before` for what a filter says; whole days, so that the server asks the same. */
const SEEN: Record<string, (today: number) => Record<string, string>> = {
  day: (today) => ({ last_login_after: new Date(today - DAY_MS).toISOString() }),
  week: (today) => ({ last_login_after: new Date(today - 7 * DAY_MS).toISOString() }),
  month: (today) => ({ last_login_after: new Date(today - 30 * DAY_MS).toISOString() }),
  long_ago: (today) => ({ last_login_before: new Date(today - 90 * DAY_MS).toISOString() }),
  never: () => ({ last_login_before: new Date(0).toISOString() }),
}
export const SEEN_VALUES = Object.keys(SEEN)

type At = { cursor?: string | undefined; sort?: string | null | undefined }
export const peopleOf = (
  search: URLSearchParams,
  site_code: string | null,
  { cursor, sort }: At = { sort: search.get('sort') },
): string => {
  const [q, role, status, mfa_enabled] = ['q', 'role', 'status', 'mfa_enabled'].map((name) =>
    search.get(name),
  )
  const seen = SEEN[search.get('seen') ?? '']?.(Math.floor(Date.now() / DAY_MS) * DAY_MS)
  return listOf('/api/v1/users', { q, site_code, role, status, mfa_enabled, ...seen, sort, cursor })
}
export const findOf = (id: string): string => `/api/v1/console/find?${new URLSearchParams({ id }).toString()}`
export const personOf = (user_id: string): string => `/api/v1/users/${user_id}`
export const standingOf = (user_id: string): string => `/api/v1/console/people/${user_id}`

/** The list of sites, with what the address asks for. */
export const sitesOf = (search: URLSearchParams, cursor?: string): string => {
  const [q, environment, status] = ['q', 'environment', 'status'].map((name) => search.get(name))
  return listOf(MANAGED, { q, environment, status, cursor })
}
const MANAGED = '/api/v1/sites/managed'
/** How many sites wait for an operator. */
export const WAITING = listOf(MANAGED, { status: 'pending' }, 1)
export const managedOf = (site_id: string): string => listOf(MANAGED, { site_id }, 1)
export const sitePath = (site_id: string): string => `/api/v1/sites/${encodeURIComponent(site_id)}`
export const siteKeysOf = (site_id: string): string => `${sitePath(site_id)}/keys`
export const proofOf = (site_id: string): string => `${sitePath(site_id)}/domain-proof`

export const historyOf = (subject: string, site_code: string | undefined, cursor?: string): string =>
  listOf('/api/v1/audit', { subject, site_code, cursor })

export type Module = Place | 'person' | 'site' | 'site-wizard'
/** `id` is that of the thing which a page is about. */
type FirstCalls = (search: URLSearchParams, is_operator: boolean, id?: string) => string[]
export const firstCalls: Partial<Record<Module, FirstCalls>> = {
  people: (search, is_operator) => {
    const site_code = search.get('site_code')
    return [OWN_SITES, ...(is_operator || site_code ? [peopleOf(search, site_code)] : [])]
  },
  person: (_, _is_operator, user_id = '') => [personOf(user_id), standingOf(user_id)],
  sites: (search, is_operator) => [sitesOf(search), ...(is_operator ? [WAITING] : [])],
  site: (_, _is_operator, site_id = '') => [
    sitePath(site_id),
    managedOf(site_id),
    siteKeysOf(site_id),
    proofOf(site_id),
  ],
  overview: (search, is_operator) => [
    OWN_SITES,
    overviewOf(search),
    ...(is_operator ? [CHECKLIST, STATUS] : []),
  ],
  webhooks: (search) => [OWN_SITES, endpointsOf(search), figuresOf(search), deliveriesOf(search)],
  imports: (search) => {
    const [site_code, job_id] = [search.get('site_code'), search.get('open')]
    return [
      OWN_SITES,
      ...(site_code ? [importsOf(search, site_code)] : []),
      ...(job_id ? [importOf(job_id)] : []),
    ]
  },
  settings: (search) => {
    const show = search.has('mail') ? 'mail' : (search.get('show') ?? 'keys')
    return [show === 'keys' ? keysOf() : show === 'branding' ? BRANDING : SETTINGS]
  },
  enterprise: (search) => {
    const site_id = search.get('site_id')
    return [OWN_SITES, ...(site_id ? [connectionsOf(site_id)] : [])]
  },
  orders: (search) => [OWN_SITES, ordersOf(search)],
  audit: (search) => {
    const audit_id = search.get('open')
    return [OWN_SITES, auditOf(search), ...(audit_id ? [auditEntryOf(search, audit_id)] : [])]
  },
  messages: (search) => {
    const message_id = search.get('open')
    return [OWN_SITES, messagesOf(search), ...(message_id ? [messageOf(message_id)] : [])]
  },
}
