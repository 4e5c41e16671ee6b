import type { FileHandle } from 'node:fs/promises'
import Type from 'typebox'
import { Value } from 'typebox/value'
import { type MigrationSource, readMigrations } from '../database/migrations.ts'
import { StartError } from '../start-error.ts'
import type { Meta } from './dump.ts'
import { type PartSize, readParts, sizeOf, textOf } from './parts.ts'
import { damaged } from './sealed-file.ts'
import type { Sequence } from './tables.ts'

const Row = <T extends Type.TProperties>(properties: T) => Type.Object(properties)
const MetaShape = Row({
  version: Type.String(),
  created_at: Type.String(),
  migrations: Type.Array(Row({ source: Type.String(), number: Type.Integer(), sha256: Type.String() })),
  tables: Type.Array(Row({ name: Type.String(), columns: Type.String() })),
})
const SequencesShape = Type.Array(Row({ name: Type.String(), last_value: Type.String() }))

type Part = AsyncGenerator<Buffer, PartSize>
/** What to do with the parts. Whoever takes a part reads it to its end. */
export type Takers = {
  table?: (name: string, bytes: Part) => Promise<unknown>
  sequences?: (sequences: Sequence[]) => Promise<unknown>
  /** The files of DATA_DIR that go along. */
  file?: (name: string, bytes: Part) => Promise<unknown>
}

type Given = {
  path: string
  passphrase: string
  sources: readonly MigrationSource[]
  files: readonly string[]
}

/**
 * Reads a backup from the beginning to the end, with exactly the parts that it must have. StartError: damaged,
 * incomplete, foreign, of a newer version, or sealed with another passphrase.
 */
export async function readBackup(file: FileHandle, given: Given, take: Takers = {}): Promise<Meta> {
  const { path, files } = given
  let meta: Meta | undefined
  let expected = ['meta']
  await readParts(file, given, async (name, bytes) => {
    if (name !== expected.shift()) throw damaged(path)
    if (meta === undefined) {
      meta = judge(parse(await textOf(bytes, path), MetaShape, path) as Meta, given)
      expected = [...meta.tables.map((table) => table.name), 'sequences', ...files]
    } else if (name === 'sequences') {
      const sequences = parse(await textOf(bytes, path), SequencesShape, path) as Sequence[]
      await take.sequences?.(sequences)
    } else {
      const taker = files.includes(name) ? take.file : take.table
      await (taker?.(name, bytes) ?? sizeOf(bytes))
    }
  })
  if (meta === undefined || expected.length > 0) throw damaged(path)
  return meta
}

function parse(text: string, shape: Type.TSchema, path: string): unknown {
  const value: unknown = JSON.parse(text)
  if (!Value.Check(shape, value)) throw damaged(path)
  return value
}

/** Only the migrations that this version knows can make the schema of the backup. */
function judge(meta: Meta, { path, sources }: Given): Meta {
  const ours = new Map(readMigrations(sources).map((one) => [`${one.source}/${one.number}`, one.sha256]))
  for (const { source, number, sha256 } of meta.migrations) {
    const known = ours.get(`${source}/${number}`)
    if (known === undefined)
      throw new StartError(
        `${path} was made by a newer version of Lyceum (${meta.version}), whose migration ${source}/${number} this one does not have: use that version`,
      )
    if (known !== sha256)
      throw new StartError(
        `${path} was made with another migration ${source}/${number} than this version has: use the version that made it (${meta.version})`,
      )
  }
  return meta
}
