import { normalized } from '#foundation/text.ts'
import type { Sql } from '../access.ts'

/** A subquery, because a generic plan would otherwise run the function for each row. */
export const wordsOf = (sql: Sql, q: string) => sql`(select foundation.search_query(${normalized(q, 'NFC')}))`
