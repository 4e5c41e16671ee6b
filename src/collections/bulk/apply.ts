import type { Tx } from '#foundation/database/database.ts'
import { type Actor, type Role, ROLES } from '../access.ts'
import type { Layout } from './layout.ts'
import { noTally, type Tally } from './job.ts'
import type { Options } from './options.ts'
import { type RowError, type RowFault, shownValue } from './row-error.ts'
import type { Ended, Landed } from './landed.ts'
import type { SHEETS } from './staged.ts'

/**
 * The context of applying a chunk. All of it belongs to the job, except `tx` and `actor`, which are new for each
 * chunk.
 */
export type Applying = {
  tx: Tx
  /** The sender as the sso reports them now. Undefined if the account may no longer act. */
  actor: Actor | undefined
  /** The sender of the file, recorded as the creator of what is made. */
  author: { tenant_id: string; user_id: string }
  options: Options
  landed: Landed
  /** The type of a new collection whose row names none. */
  default_type: string
  layouts: readonly Layout[]
  /**
   * True if each chunk commits by itself: it then locks the memberships its rights depend on. In one long transaction
   * these locks would block every removal of a member, so `needs` collects the rights to check before the commit.
   */
  holdsMemberships: boolean
  needs: Map<string, Role>
  /** The trees of the previous chunk, which are usually those of this one too. */
  roots: ReadonlySet<string>
}

/** A staged row. `parent_row` is the row of its parent in the same file. */
export type Placed<Data> = { row: number; data: Data; parent_row: number | null }

export type Chunk = {
  tally: Tally
  errors: RowError[]
  ended: Ended[]
  /** Collections that these rows made, changed or filled. */
  touched: string[]
}

/** What a row gets that may not be applied because of who sent it. */
export const accountEnded = (header: string): RowFault => ({
  code: 'forbidden',
  header,
  message: 'cannot be applied: the account that sent the file may not act any more',
})

/** An empty chunk, and the function that records a failed row in it. */
export function openChunk(applying: Applying, sheet: 'collections' | 'items') {
  const chunk: Chunk = { tally: noTally(), errors: [], ended: [], touched: [] }
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

/** Records that the job needed this role on a collection; the highest role is kept. */
export function need({ needs }: Applying, collection_id: string, role: Role) {
  const noted = needs.get(collection_id)
  if (noted === undefined || ROLES.indexOf(noted) < ROLES.indexOf(role)) needs.set(collection_id, role)
}
