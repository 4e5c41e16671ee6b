import { writeSync } from 'node:fs'
import { pino } from 'pino'
import postgres from 'postgres'
import { startEmbeddedPostgres } from '#foundation/embedded-postgres/server.ts'
import { StartError } from '#foundation/start-error.ts'

/**
 * A stand-in for the product with an embedded server, to be killed: `node embedded-process.ts DATA_DIR [insert]`.
 * Writes events as JSON lines. With `insert` it also inserts rows and reports each one after its commit.
 */
const [dataDir = '', task] = process.argv.slice(2)
/** Synchronous, because buffered output is lost when the process is killed. */
const tell = (line: object) => writeSync(1, `${JSON.stringify(line)}\n`)

try {
  const began = performance.now()
  const server = await startEmbeddedPostgres({
    dataDir,
    log: pino({ level: 'silent' }),
    onLost: ({ message }) => {
      tell({ lost: message })
      process.exit(1)
    },
  })
  const ms = performance.now() - began
  const { connection, admin } = server
  const sql = postgres({ ...connection, max: 1, onnotice: () => {} })
  let inserting: Promise<void> | undefined
  const leave = async () => {
    await Promise.all([inserting, sql.end({ timeout: 1 })])
    await server.stop()
    tell({ stopped: true })
    process.exit(0)
  }
  process.once('SIGTERM', () => void leave())
  tell({ ready: true, ms, connection, admin })
  if (task === 'insert') inserting = insert(sql)
  setInterval(() => {}, 60_000) // alive until told otherwise
} catch (error) {
  if (!(error instanceof StartError)) throw error
  tell({ refused: error.message })
  process.exit(1)
}

async function insert(sql: postgres.Sql): Promise<void> {
  try {
    await sql`create table if not exists public.facts (fact_id bigint generated always as identity, note text)`
    for (;;) {
      const [row] = await sql<
        { fact_id: string }[]
      >`insert into public.facts (note) values ('kept') returning fact_id`
      tell({ fact_id: Number(row?.fact_id) })
    }
  } catch {
    // The server ended first.
  }
}
