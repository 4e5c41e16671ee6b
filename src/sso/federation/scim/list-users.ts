import type { SsoParts } from '../../core/parts.ts'
import type { ByDirectory } from './hold.ts'
import { type ListQuery, listResources } from './list.ts'
import { TYPES } from './schema.ts'
import { userColumns, userFilterColumns, type UserRow, usersOf } from './user-rows.ts'

/** The people of a directory, in order of arrival unless the query names another. */
export const listUsers = (parts: SsoParts, { directory }: ByDirectory, query: ListQuery) => {
  const { connection_id, site } = directory
  return listResources<UserRow>(
    parts,
    connection_id,
    {
      type: TYPES.User,
      columns: userFilterColumns,
      rows: (sql) => usersOf(sql, { connection_id, site_id: site.site_id }),
      select: userColumns,
      last: (sql) => sql`s.created_at, s.user_id`,
    },
    query,
  )
}
