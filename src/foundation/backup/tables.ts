import postgres from 'postgres'
import { splitSocketHost } from '../database/url.ts'

/** `name` and `columns` are quoted for SQL. Generated columns are left out: PostgreSQL computes them anew. */
export type Table = { name: string; columns: string }
export type Sequence = { name: string; last_value: string }

/** One connection for a whole backup or restore, without the time limits of requests. */
export function openLong(url: string): postgres.Sql {
  const { url: address, ...socket } = splitSocketHost(url)
  return postgres(address, {
    ...socket,
    max: 1,
    prepare: false,
    connect_timeout: 10,
    max_lifetime: null,
    onnotice: () => {},
    connection: {
      application_name: 'lyceum backup',
      TimeZone: 'UTC',
      statement_timeout: 0,
      lock_timeout: 60_000,
      idle_in_transaction_session_timeout: 0,
    },
  })
}

/**
 * All tables that outlive a crash of the database. Unlogged ones are left out: the program fills them again after a crash.
 */
export const listTables = (sql: postgres.ISql, schemas: readonly string[]) => sql<Table[]>`
  select format('%I.%I', nspname, relname) as name,
         (select string_agg(quote_ident(attname), ', ' order by attname collate "C") from pg_attribute
           where attrelid = c.oid and attnum > 0 and not attisdropped and attgenerated = '') as columns
    from pg_class c join pg_namespace n on n.oid = relnamespace
   where nspname = any(${schemas as string[]}) and relkind = any('{r,p}') and not relispartition and relpersistence = 'p'
   order by nspname collate "C", relname collate "C"`

export const listSequences = (sql: postgres.ISql, schemas: readonly string[]) => sql<Sequence[]>`
  select format('%I.%I', schemaname, sequencename) as name, last_value::text
    from pg_sequences where schemaname = any(${schemas as string[]}) and last_value is not null
   order by schemaname, sequencename`
