import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Migration, MigrationSource } from './migrations.ts'

/** What the migrations of a source make of an empty database (docs/decisions/schema-snapshot.md). */
export type Snapshot = { text: string; migrations: Migration[] }

/** Below the folder of the migrations. It begins with a line `-- NNNN_what.sql sha256` for each file that it stands for. */
export const SNAPSHOT = join('snapshot', 'schema.sql')
const STANDS_FOR = /^-- (\d{4}_[a-z0-9_]+\.sql) ([0-9a-f]{64})$/gm

/** Undefined if there is none for exactly these files: one was edited, or is left out. Newer ones do not matter. */
export function readSnapshot(
  { name, folder }: MigrationSource,
  migrations: readonly Migration[],
): Snapshot | undefined {
  const file = join(folder, SNAPSHOT)
  if (!existsSync(file)) return undefined
  const text = readFileSync(file, 'utf8')
  const own = new Map(
    migrations.filter(({ source }) => source === name).map((one) => [`${one.name} ${one.sha256}`, one]),
  )
  const listed = [...text.matchAll(STANDS_FOR)].map(([, file_name, sha256]) =>
    own.get(`${file_name} ${sha256}`),
  )
  const found = listed.filter((one) => one !== undefined)
  return found.length > 0 && found.length === listed.length ? { text, migrations: found } : undefined
}
