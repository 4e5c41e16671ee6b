import type { Readable } from 'node:stream'
import { isConnectionLoss } from '../database/database.ts'
import type { MigrationRecord } from '../database/migrations.ts'
import { StartError } from '../start-error.ts'
import type { PartWriter } from './parts.ts'
import { listSequences, listTables, openLong, type Table } from './tables.ts'

/** The first part of a backup. */
export type Meta = {
  version: string
  /** Everything that was committed before is in it. */
  created_at: string
  migrations: MigrationRecord[]
  tables: Table[]
}

type Dump = {
  url: string
  /** The schemas, which are those of the migrations. */
  schemas: readonly string[]
  version: string
  to: PartWriter
}

/**
 * Writes the parts `meta`, one for each table, and `sequences`, all as of one snapshot, while the program runs.
 * Holds ACCESS SHARE on the tables, which only a migration waits for.
 */
export async function dumpDatabase({ url, schemas, version, to }: Dump): Promise<Meta & { rows: number }> {
  const sql = openLong(url)
  try {
    const expected = await listTables(sql, schemas)
    if (!expected.some(({ name }) => name === 'foundation.migrations'))
      throw new StartError('The database holds nothing of Lyceum: there is nothing to back up')
    return await sql.begin('isolation level repeatable read read only', async (tx) => {
      // The locks come before the snapshot, which the first select takes: no migration can come between.
      await tx.unsafe(`lock table ${expected.map(({ name }) => name).join(', ')} in access share mode`)
      const [{ created_at }] = (await tx`
        select to_char(clock_timestamp() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at`) as unknown as [
        { created_at: string },
      ]
      const tables = [...(await listTables(tx, schemas))]
      if (JSON.stringify(tables) !== JSON.stringify(expected))
        throw new StartError('A migration ran at the same time: repeat the backup')
      const migrations = [
        ...(await tx<MigrationRecord[]>`
          select source, number, sha256 from foundation.migrations order by source, number`),
      ]
      const meta = { version, created_at, migrations, tables }
      await to.add('meta', [Buffer.from(JSON.stringify(meta))])
      let rows = 0
      for (const { name, columns } of tables) {
        const copy = await tx.unsafe(`copy (select ${columns} from ${name}) to stdout`).readable()
        rows += (await to.add(name, readCopy(copy))).lines
      }
      await to.add('sequences', [Buffer.from(JSON.stringify(await listSequences(tx, schemas)))])
      return { ...meta, rows }
    })
  } catch (error) {
    if (isConnectionLoss(error))
      throw new StartError(
        `The database does not answer (${(error as Error).message}): nothing was backed up`,
      )
    throw error
  } finally {
    await sql.end({ timeout: 5 })
  }
}

/** A standby, an account that may only read, and a database from before this table. */
const CANNOT_NOTE = new Set(['25006', '42501', '42P01'])

/** Notes that a backup was written whole. It is one without the note, too. */
export async function noteBackup(url: string, created_at: string): Promise<void> {
  const sql = openLong(url)
  try {
    await sql`insert into foundation.backups (created_at) values (${created_at}) on conflict do nothing`
  } catch (error) {
    if (!CANNOT_NOTE.has((error as { code?: string }).code ?? '')) throw error
  } finally {
    await sql.end({ timeout: 5 })
  }
}

/**
 * The driver pauses its socket while the stream is full, and the stream asks for more only until it has seen its end. If
 * both come together the socket stays paused, and the next statement would wait for ever; so it is asked once more.
 */
async function* readCopy(copy: Readable): AsyncGenerator<Buffer> {
  for await (const chunk of copy) yield chunk as Buffer
  copy._read(0)
}
