import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { tellBackfills } from '#foundation/database/backfills.ts'
import {
  connectAlone,
  isWithoutTransaction,
  migrate,
  type Migration,
  type MigrationRecord,
  type MigrationSource,
  pendingMigrations,
  readMigrations,
  readRecord,
} from '#foundation/database/migrations.ts'
import { blockedBy, type Effect, rehearse, type Step } from '#foundation/database/rehearsal.ts'
import { startEmbeddedPostgres } from '#foundation/embedded-postgres/server.ts'
import type { Logger } from '#foundation/log.ts'
import type { Config } from '#foundation/settings/config.ts'
import { atExit } from '#foundation/processes/exit.ts'
import { reachServer, sourcesOf, urlsOf } from './database.ts'

/** A table with so many rows is large. */
const LARGE = 1_000_000

type Found = { record: MigrationRecord[]; rows: Map<string, number>; backfills: string[] }

/**
 * What `migrate` would run, as lines of text; none if nothing. The database is only read. The statements run in an empty
 * PostgreSQL of a temporary folder, which has the same schema.
 */
export async function checkMigrations(config: Config, log: Logger): Promise<string[]> {
  const server = await reachServer(config, log)
  try {
    const lines: string[] = []
    const databases = sourcesOf(urlsOf(config, server.url))
    for (const [url, sources] of databases) {
      const found = await checkDatabase(url, sources, log)
      if (found.length > 0 && databases.length > 1)
        lines.push(`The database of ${sources.map(({ name }) => name).join(', ')}:`)
      lines.push(...found)
    }
    return lines
  } finally {
    await server.stop()
  }
}

async function checkDatabase(url: string, sources: MigrationSource[], log: Logger): Promise<string[]> {
  const { record, rows, backfills } = await readDatabase(url)
  const pending = pendingMigrations(readMigrations(sources), record)
  if (pending.length === 0) return backfills
  const isDone = ({ source, number }: MigrationRecord) =>
    record.some((row) => row.source === source && row.number === number)
  const steps = await inScratch(log, async (scratch) => {
    await migrate(scratch, sources, { isWanted: isDone })
    return rehearse(scratch, pending)
  })
  return [
    ...backfills,
    `${pending.length} to run. A lock is held to the end of its migration; rows are estimates, ${grouped(LARGE)} are a large table.`,
    ...steps.flatMap(({ migration, steps: some }) => ['', titleOf(migration), ...some.flatMap(tell)]),
  ]

  function tell({ statement, effects }: Step): string[] {
    return [`  ${shortened(statement)}`, ...effects.map((effect) => `    ${sentence(effect, rows)}`)]
  }
}

async function readDatabase(url: string): Promise<Found> {
  const sql = connectAlone(url, { default_transaction_read_only: true })
  try {
    const tables = await sql<{ name: string; rows: number }[]>`
      select c.oid::regclass::text as name,
             greatest(c.reltuples, pg_stat_get_live_tuples(c.oid), (
               select sum(greatest(leaf.reltuples, pg_stat_get_live_tuples(leaf.oid)))
                 from pg_partition_tree(c.oid) as t join pg_class as leaf on leaf.oid = t.relid and t.isleaf), 0) as rows
        from pg_class as c where c.relkind in ('r', 'p', 'm')`
    return {
      record: [...(await readRecord(sql))],
      rows: new Map(tables.map((t) => [t.name, t.rows])),
      backfills: await tellBackfills(sql),
    }
  } finally {
    await sql.end({ timeout: 5 })
  }
}

async function inScratch<T>(log: Logger, work: (url: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'lyceum-check-'))
  const remove = () => rm(folder, { recursive: true, force: true })
  const forget = atExit(remove)
  try {
    const scratch = await startEmbeddedPostgres({ dataDir: folder, log })
    try {
      return await work(scratch.url())
    } finally {
      await scratch.stop()
    }
  } finally {
    await remove()
    forget()
  }
}

const titleOf = ({ source, name, text }: Migration) =>
  `${source}/${name}${isWithoutTransaction(text) ? ', each statement by itself' : ', in one transaction'}`

/** One line of at most a hundred characters. */
function shortened(statement: string): string {
  const line = statement.replaceAll(/\s+/g, ' ')
  return line.length > 100 ? `${line.slice(0, 99)}…` : line
}

function sentence({ table, lock, isReadWhole, isRewritten }: Effect, rows: Map<string, number>): string {
  const blocked = blockedBy(lock)
  const count = Math.round(rows.get(table) ?? 0)
  const work = isRewritten ? 'writes it anew' : isReadWhole ? 'reads all of it' : ''
  return [
    `${lock} on ${table}`,
    blocked === 'nothing' ? 'blocks nothing' : `blocks ${blocked}`,
    ...(work === '' ? [] : [work]),
    count >= LARGE ? `${grouped(count)} rows: LARGE` : `${grouped(count)} rows`,
  ].join('; ')
}

const grouped = (count: number) => count.toLocaleString('en-US')
