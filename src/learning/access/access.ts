import type { Database, Lane } from '#foundation/database/database.ts'

/** Who looks or changes, as far as the rules of learning ask. */
export type Viewer = {
  tenant_id: string
  user_id: string
  /** Copied onto enrollments and submissions, where only editors of the channel see it: there is no list of people. */
  email: string
  is_admin: boolean
  /** An editor of every channel of the tenant: an ADMIN, or everybody under LEARNING_AUTHORING=any_user. */
  edits_all: boolean
}

/** Who asks, as values, or as SQL such as the columns of a list of people who are answered together. */
export type Asker = {
  [Name in 'tenant_id' | 'user_id' | 'edits_all']: Viewer[Name] | ReturnType<typeof isOpenToJoin>
}

/** What a slice that changes channels works with. */
export type Store = { db: Database }

/**
 * Stands behind the channel `c` in a from list. `editor.may_edit`: the caller is its owner, one of its instructors, or
 * an editor of all (docs/learning.md).
 */
export const editorOf = (sql: Lane, { user_id, edits_all }: Asker) => sql`
  lateral (select ${edits_all} or c.owner_id = ${user_id} or ${user_id} = any(c.instructor_ids) as may_edit) as editor`

/** Whether the caller is enrolled in the channel `c`. */
export const isEnrolled = (sql: Lane, { tenant_id, user_id }: Asker) =>
  sql`learning.is_enrolled(${tenant_id}, ${user_id}, c.id)`

/**
 * The one rule of who sees the channel `c` at all, beside its `editor`; what is not visible is 404 on every route. Who is
 * enrolled keeps what has become private or archived, and waits while it is a draft (docs/choices-learning.md).
 */
export const isVisible = (sql: Lane, viewer: Asker) => sql`
  c.tenant_id = ${viewer.tenant_id} and c.deleted_at is null
  and (c.is_listed or editor.may_edit or (c.status <> 'draft' and ${isEnrolled(sql, viewer)}))`

/** The same for those who are enrolled in the channel `c`. */
export const isVisibleToEnrolled = (sql: Lane) =>
  sql`(c.deleted_at is null and (c.status <> 'draft' or editor.may_edit))`

/** Whether somebody who is neither enrolled nor an editor may join the channel `c`. */
export const isOpenToJoin = (sql: Lane) =>
  sql`(c.status = 'published' and c.visibility <> 'private' and c.enrollment = 'open')`
