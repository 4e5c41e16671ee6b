import type { Tx } from '#foundation/database/database.ts'
import type { Actor, Role } from '../access.ts'
import { ROLES } from '../access.ts'
import type { Layout } from './layout.ts'
import { noTally, type Tally } from './job.ts'
import type { Options } from './options.ts'
import { type RowError, type RowFault, shownValue } from './row-error.ts'
import type { Ended, Landed } from './landed.ts'
import type { SHEETS } from './staged.ts'

/** What a chunk is applied with. Everything here is of the job, except `tx` and `actor`, which are of this moment. */
export type Applying = {
  tx: Tx
  /** As the sso knows the person now. Undefined: the account may not act any more. */
  actor: Actor | undefined
  /** Who sent the file: whose name stands at what is made. */
  author: { tenant_id: string; user_id: string }
  options: Options
  landed: Landed
  /** What a new collection is that does not say. */
  default_type: string
  layouts: readonly Layout[]
  /**
   * A chunk that is committed by itself holds the memberships that its rights come from. One of many in a transaction must
   * not, or a removal would wait for all of them: `needs` collects what is looked at once more before the commit.
   */
  holdsMemberships: boolean
  needs: Map<string, Role>
  /** The trees of the chunk before: most often those of this one. */
  roots: ReadonlySet<string>
}

/** A row as it was staged; `parent_row` is the row of the same file that it stands below. */
export type Placed<Data> = { row: number; data: Data; parent_row: number | null }

export type Chunk = {
  tally: Tally
  errors: RowError[]
  ended: Ended[]
}

/** What a row gets that may not be applied because of who sent it. */
export const accountEnded = (header: string): RowFault => ({
  code: 'forbidden',
  header,
  message: 'cannot be applied: the account that sent the file may not act any more',
})

/** A chunk of nothing yet, and how a row of it fails. */
export function openChunk(applying: Applying, sheet: 'collections' | 'items') {
  const chunk: Chunk = { tally: noTally(), errors: [], ended: [] }
  const fail = (row: number, fault: RowFault) => {
    chunk.errors.push(rowError(applying, sheet, row, fault))
    chunk.tally.errors++
    chunk.tally[`${sheet}_failed`]++
    chunk.ended.push({ row, target_id: null })
  }
  return { chunk, fail }
}

export function rowError(
  { layouts }: Applying,
  role: keyof typeof SHEETS,
  row: number,
  { code, header, message, value }: RowFault,
): RowError {
  const layout = layouts.find((one) => one.role === role)
  const column = Object.values(layout?.columns ?? {}).find((one) => one.header === header)
  return {
    level: 'error',
    sheet: layout?.sheet ?? '',
    row,
    column: column?.letter ?? null,
    header,
    code,
    message: `${header} ${message}`,
    value: shownValue(value),
  }
}

/** Notes that this role was needed on a collection. */
export function need({ needs }: Applying, collection_id: string, role: Role) {
  const noted = needs.get(collection_id)
  if (noted === undefined || ROLES.indexOf(noted) < ROLES.indexOf(role)) needs.set(collection_id, role)
}
