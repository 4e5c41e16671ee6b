import type { Tx } from '#foundation/database.ts'
import type { Actor, Role } from '../access.ts'
import { ROLES } from '../access.ts'
import type { Layout } from './layout.ts'
import { noTally, type Tally } from './job.ts'
import type { Options } from './options.ts'
import { type ErrorCode, type RowError, shownValue } from './row-error.ts'
import type { SHEETS, SheetNumber } from './staged.ts'

/** What a chunk is applied with. Everything here is of the job, except `tx` and `actor`, which are of this moment. */
export type Applying = {
  tx: Tx
  /** As the sso knows the person now. Undefined: the account may not act any more. */
  actor: Actor | undefined
  /** Who sent the file: whose name stands at what is made. */
  author: { tenant_id: string; user_id: string }
  options: Options
  staging_id: string
  /** What a new collection is that does not say. */
  default_type: string
  layouts: readonly Layout[]
  idOf: (sheet: SheetNumber, row: number) => string
  /**
   * A chunk that is committed by itself holds the memberships that its rights come from. One of many in a transaction must
   * not, or a removal would wait for all of them: `needs` collects what is looked at once more before the commit.
   */
  holdsMemberships: boolean
  needs: Map<string, Role>
}

/** A row as it was staged; `parent_row` is the row of the same file that it stands below. */
export type Placed<Data> = { row: number; data: Data; parent_row: number | null }

export type Chunk = {
  tally: Tally
  errors: RowError[]
  /** What has become of each row. */
  ended: { row: number; state: 'done' | 'failed'; target_id: string | null }[]
}

/** Why a row cannot be applied, and which of its cells says so. */
export type RowFault = { code: ErrorCode; header: string; message: string; value?: string }

export const isRowFault = (plan: object): plan is RowFault => 'code' in plan && 'header' in plan

/** What a row gets that may not be applied because of who sent it. */
export const accountEnded = (header: string): RowFault => ({
  code: 'forbidden',
  header,
  message: 'cannot be applied: the account that sent the file may not act any more',
})

/** So often may what is planned change under the plan before it is given up; the job then tries again. */
export const ROUNDS = 5
export const tooManyRounds = () => new Error('the collections kept changing during the import')

/** A chunk of nothing yet, and how a row of it fails. */
export function openChunk(applying: Applying, sheet: 'collections' | 'items') {
  const chunk: Chunk = { tally: noTally(), errors: [], ended: [] }
  const fail = (row: number, fault: RowFault) => {
    chunk.errors.push(rowError(applying, sheet, row, fault))
    chunk.tally.errors++
    chunk.tally[`${sheet}_failed`]++
    chunk.ended.push({ row, state: 'failed', target_id: null })
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

/** Holds the memberships through which the actor has rights on these collections until the end of the transaction. */
export async function holdMemberships({ tx, author }: Applying, collection_ids: readonly string[]) {
  await tx`
    select membership.role from collections.members as membership
     where membership.user_id = ${author.user_id}
       and membership.collection_id in (
         select line.ancestor_id from collections.collection_ancestors as line
           join collections.collections as node on node.id = line.descendant_id and node.tenant_id = ${author.tenant_id}
          where line.descendant_id = any(${[...collection_ids]}::uuid[]))
     order by membership.collection_id for share of membership`
}
