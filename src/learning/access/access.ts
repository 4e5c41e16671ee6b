import type { Database, Lane } from '#foundation/database/database.ts'

/** The caller, with what the access rules of learning need. */
export type Viewer = {
  tenant_id: string
  user_id: string
  /**
   * Copied onto enrollments and submissions, because the service has no table of people. Only editors of the channel
   * see it.
   */
  email: string
  is_admin: boolean
  /** An editor of every channel of the tenant: an ADMIN, or everybody under LEARNING_AUTHORING=any_user. */
  edits_all: boolean
}

/** The caller as values, or as SQL columns when one statement answers for many people. */
export type Asker = {
  [Name in 'tenant_id' | 'user_id' | 'edits_all']: Viewer[Name] | ReturnType<typeof isOpenToJoin>
}

/** What the functions that change channels depend on. */
export type Store = { db: Database }

/**
 * A lateral join for the channel `c` in a from list. `editor.may_edit` is true for its owner, its instructors and a
 * viewer with `edits_all` (docs/learning.md).
 */
export const editorOf = (sql: Lane, { user_id, edits_all }: Asker) => sql`
  lateral (select ${edits_all} or c.owner_id = ${user_id} or ${user_id} = any(c.instructor_ids) as may_edit) as editor`

/** Whether the caller is enrolled in the channel `c`. */
export const isEnrolled = (sql: Lane, { tenant_id, user_id }: Asker) =>
  sql`learning.is_enrolled(${tenant_id}, ${user_id}, c.id)`

/**
 * The one rule of who sees the channel `c`; join `editor` first. Every route answers 404 for a channel that is not
 * visible. An enrolled learner keeps a channel that becomes private or archived, but not while it is a draft
 * (docs/choices-learning.md).
 */
export const isVisible = (sql: Lane, viewer: Asker) => sql`
  c.tenant_id = ${viewer.tenant_id} and c.deleted_at is null
  and (c.is_listed or editor.may_edit or (c.status <> 'draft' and ${isEnrolled(sql, viewer)}))`

/** The same where the viewer is known to be enrolled in the channel `c`. */
export const isVisibleToEnrolled = (sql: Lane) =>
  sql`(c.deleted_at is null and (c.status <> 'draft' or editor.may_edit))`

/** Whether a person who is neither enrolled nor an editor may join the channel `c`. */
export const isOpenToJoin = (sql: Lane) =>
  sql`(c.status = 'published' and c.visibility <> 'private' and c.enrollment = 'open')`
