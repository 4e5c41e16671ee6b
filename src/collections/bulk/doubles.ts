import type { Applying, RowFault } from './apply.ts'

export function doubleOf(
  what: 'collection' | 'item',
  other: number,
  { id, key }: { id?: string; key?: string | null },
): RowFault {
  return {
    code: 'duplicate_key_in_file',
    header: id === undefined ? `${what}_key` : `${what}_id`,
    message: `means the same ${what} as row ${other}`,
    ...((id ?? key) && { value: id ?? key ?? '' }),
  }
}

/** Which rows, of those already applied, became or changed these. */
export async function takenTargets(
  tx: Applying['tx'],
  staging_id: string,
  sheet: number,
  ids: readonly string[],
): Promise<Map<string, number>> {
  if (ids.length === 0) return new Map()
  const rows = await tx<{ target_id: string; row: number }[]>`
    select target_id, row from collections.staged_rows
     where staging_id = ${staging_id} and sheet = ${sheet} and target_id = any(${[...ids]}::uuid[])`
  return new Map(rows.map(({ target_id, row }) => [target_id, row]))
}
