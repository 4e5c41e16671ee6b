import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { Database } from '#foundation/database/database.ts'

/** A table with rows of tenants: its columns, and the condition for the rows of one. */
export type Step = { table: string; columns: string; rows: string }

/** What the SQL of docs/scaling.md answers for this tenant. */
export async function stepsOf({ pool }: Database, tenant_id: string): Promise<Step[]> {
  const text = readFileSync(join(import.meta.dirname, '../../docs/scaling.md'), 'utf8')
  const [, sql = ''] = /```sql\n([^`]+)```/.exec(text) ?? []
  return await pool.unsafe<Step[]>(sql.replaceAll(":'tenant'", `'${tenant_id}'`))
}

/** Moves the rows as the shell commands of docs/scaling.md do. */
export async function moveTenant(from: Database, to: Database, steps: readonly Step[]): Promise<void> {
  await to.transaction(async (tx) => {
    await tx`set local session_replication_role = replica`
    for (const { table, columns, rows } of steps) {
      const given = await from.pool
        .unsafe(`copy (select ${columns} from ${table} where ${rows}) to stdout`)
        .readable()
      await pipeline(given, await tx.unsafe(`copy ${table} (${columns}) from stdin`).writable())
    }
  })
}

export async function removeTenant(db: Database, steps: readonly Step[]): Promise<void> {
  await db.transaction(async (tx) => {
    await tx`set local session_replication_role = replica`
    for (const { table, rows } of steps) await tx.unsafe(`delete from ${table} where ${rows}`)
  })
}

/** The number of rows under a condition, and a digest of all their columns. */
export async function digestOf({ pool }: Database, { table, columns, rows }: Step): Promise<string> {
  const [found] = await pool.unsafe<{ digest: string }[]>(
    `select count(*) || ' ' || coalesce(md5(string_agg(t::text, '|' order by t::text)), '') as digest
       from (select ${columns} from ${table} where ${rows}) as t`,
  )
  return found?.digest ?? ''
}
