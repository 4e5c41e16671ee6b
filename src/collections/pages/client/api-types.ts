/* What the API of collections answers, as far as the pages use it. */

export type Role = 'viewer' | 'editor' | 'admin'
export type Page<T> = { items: T[]; total: number; page: number; pages: number; next_cursor: string | null }
export type Me = { user_id: string; is_site_admin: boolean }

export type Hierarchy = {
  parent_id: string | null
  depth: number
  path: { id: string; name: string }[]
  path_truncated: boolean
  children_count: number
}
export type TreeNode = {
  id: string
  name: string
  type: string
  item_count: number
  my_role: Role | null
  hierarchy: Hierarchy
}
export type Collection = TreeNode & {
  description: string | null
  external_key: string | null
  inherit_members: boolean
  member_count: number
  created_at: string
  updated_at: string
  version: number
}

export type Value = string | number | boolean | string[]
export type Item = {
  id: string
  name: string
  description: string | null
  external_key: string | null
  metadata: Record<string, Value>
  collection_ids: string[]
  created_at: string
  updated_at: string
  version: number
}

/** `before` and `after` hold only what differs. */
export type Change = {
  id: string
  kind: 'created' | 'updated' | 'added' | 'removed'
  before: Partial<Item> | null
  after: Partial<Item> | null
  changed_at: string
  changed_by: string | null
  display_name: string | null
}
export type FoundItem = Item & { collections: { id: string; name: string }[] }

export type Member = {
  user_id: string
  display_name: string | null
  email: string | null
  role: Role
  direct_role: Role | null
  source: 'direct' | 'inherited'
  source_collection_id: string | null
  joined_at: string
}

export type Counts = {
  collections: Record<'created' | 'updated' | 'unchanged' | 'failed', number>
  items: Record<'created' | 'updated' | 'unchanged' | 'failed', number>
  links: Record<'added' | 'existing' | 'removed', number>
  deleted: Record<'collections' | 'items', number>
}
export type RowError = {
  level: 'error' | 'warning'
  sheet: string | null
  row: number | null
  column: string | null
  header: string | null
  code: string
  message: string
  value: string | null
}
/** With `cells`, at the first error of a row: what the row holds, cut to 100 characters a cell. */
export type ErrorInRow = RowError & { cells?: { column: string; header: string; text: string }[] | null }
export type JobState =
  | 'queued'
  | 'validating'
  | 'processing'
  | 'completed'
  | 'completed_with_errors'
  | 'failed'
  | 'cancelled'
export type Job = {
  job_id: string
  state: JobState
  created_at: string
  started_at: string | null
  finished_at: string | null
  dry_run: boolean
  file: { name: string; size: number }
  progress: { rows_read: number; rows_total: number | null; percent: number | null }
  options: Record<string, unknown> & { parent_id: string | null }
  counts: Counts
  error_count: number
  warning_count: number
  errors: RowError[]
  error: { code: string; detail: string } | null
  /** Only of one job, not in the list of them. */
  collections?: { id: string; name: string }[]
}

/** How an upload would be read. */
export type Recognised = {
  sheets: {
    name: string
    role: 'collections' | 'items' | null
    columns: { column: string; header: string; field: string | null; nearest: string | null }[]
    error: { code: string; detail: string } | null
  }[]
  error: { code: string; detail: string } | null
}
