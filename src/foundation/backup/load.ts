import { pipeline } from 'node:stream/promises'
import type postgres from 'postgres'
import { isConnectionLoss } from '../database/database.ts'
import { migrate, type MigrationSource, RESTORING } from '../database/migrations.ts'
import { StartError } from '../start-error.ts'
import type { Meta } from './dump.ts'
import { listTables, openLong, type Sequence } from './tables.ts'

/** An arbitrary number that must be the same in every version of Lyceum. */
const LOCK = 7_206_553_242

/** Fills the tables; called inside the transaction, which commits when `read` has read the backup to its end. */
export type Load = {
  fill: (table: string, bytes: AsyncIterable<Buffer>) => Promise<void>
  setSequences: (sequences: readonly Sequence[]) => Promise<void>
}

type Given = {
  url: string
  sources: MigrationSource[]
  meta: Meta
  read: (load: Load) => Promise<void>
}

/**
 * Restores a backup into a database without Lyceum's schemas: makes the schema as it was, fills it in one transaction,
 * and migrates it onwards. Until that transaction commits the schema `lyceum_restore` keeps the program from starting.
 */
export async function loadDatabase({ url, sources, meta, read }: Given): Promise<void> {
  const schemas = sources.map(({ name }) => name)
  const sql = openLong(url)
  try {
    const [lock] = await sql<{ is_free: boolean }[]>`select pg_try_advisory_lock(${LOCK}::bigint) as is_free`
    if (!lock?.is_free) throw new StartError('Another restore into this database is under way')
    await clearPlace(sql, schemas)
    const wasThere = new Set(meta.migrations.map(({ source, number }) => `${source} ${number}`))
    await migrate(url, sources, {
      isRestore: true,
      isWanted: ({ source, number }) => wasThere.has(`${source} ${number}`),
    })
    await sql.begin((tx) => fillTables(tx, schemas, { meta, read }))
    await migrate(url, sources)
    for (const { name } of await listTables(sql, schemas)) await sql.unsafe(`analyze ${name}`)
  } catch (error) {
    if (isConnectionLoss(error))
      throw new StartError(`The database does not answer (${(error as Error).message}): nothing was restored`)
    throw error
  } finally {
    await sql.end({ timeout: 5 })
  }
}

/** Refuses a database in use. What an unfinished restore left is removed; nothing else ever is. */
async function clearPlace(sql: postgres.Sql, schemas: readonly string[]) {
  await sql.begin(async (tx) => {
    const found = await tx<{ name: string }[]>`
      select nspname as name from pg_namespace where nspname = any(${[...schemas, RESTORING]})`
    const names = found.map(({ name }) => name)
    if (!names.includes(RESTORING)) {
      if (names.length > 0)
        throw new StartError(
          `The database is not empty: it has the schema "${names[0]}". Restore into an empty database only`,
        )
      await tx`create schema ${tx(RESTORING)}`
      return
    }
    for (const name of names) if (name !== RESTORING) await tx`drop schema ${tx(name)} cascade`
  })
}

async function fillTables(
  tx: postgres.TransactionSql,
  schemas: readonly string[],
  { meta, read }: Pick<Given, 'meta' | 'read'>,
) {
  // Two restores at once would otherwise fill the same tables.
  await tx`drop schema ${tx(RESTORING)}`
  const tables = [...(await listTables(tx, schemas))]
  if (JSON.stringify(tables) !== JSON.stringify(meta.tables))
    throw new StartError(
      'The tables of the backup are not those of its migrations: it was not made by Lyceum',
    )
  const foreign = await tx<{ owner: string; name: string; definition: string }[]>`
    select conrelid::regclass::text as owner, quote_ident(conname) as name, pg_get_constraintdef(oid) as definition
      from pg_constraint where contype = 'f' and conparentid = 0 and connamespace = any(${schemas as string[]}::regnamespace[])
     order by conrelid::regclass::text, conname`
  const names = tables.map(({ name }) => name)
  // Triggers have done their work on these rows. Foreign keys are checked once, over whole tables, at the end.
  for (const { owner, name } of foreign) await tx.unsafe(`alter table ${owner} drop constraint ${name}`)
  for (const name of names) await tx.unsafe(`alter table ${name} disable trigger user`)
  await tx.unsafe(`truncate ${names.join(', ')}`)
  await read({
    async fill(table, bytes) {
      const columns = tables.find(({ name }) => name === table)?.columns
      if (columns === undefined) throw new Error(`there is no table ${table}`)
      const copy = await tx.unsafe(`copy ${table} (${columns}) from stdin`).writable()
      await pipeline(bytes, copy)
    },
    async setSequences(sequences) {
      for (const { name, last_value } of sequences)
        await tx`select setval(${name}::regclass, ${last_value}::bigint)`
    },
  })
  for (const { owner, name, definition } of foreign)
    await tx.unsafe(`alter table ${owner} add constraint ${name} ${definition}`)
  for (const name of names) await tx.unsafe(`alter table ${name} enable trigger user`)
}
