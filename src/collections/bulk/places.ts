import { MAX_DEPTH } from '../tree/refusal.ts'

type Placed = {
  row: number
  /** The key of the parent row, if that row is in this file. */
  parent_key: string | undefined
  /** The number of levels in the row's path. Rows that name a path come after the rows that create its levels. */
  path_levels: number
  is_failed: boolean
}

export type Misplaced = {
  row: number
  key: string
  code: 'cycle' | 'parent_failed' | 'too_deep'
  message: string
}

/**
 * The hierarchy among the rows of sheet Collections. Parents may come after their children, so `settle` runs only
 * once all rows are read.
 */
export function createPlaces() {
  const rowsByKey = new Map<string, number>()
  const rows = new Map<number, Placed>()
  return {
    /** Claims a key for a row. Returns the row that already has it, if any. */
    claim(key: string, row: number): number | undefined {
      const holder = rowsByKey.get(key)
      if (holder === undefined) rowsByKey.set(key, row)
      return holder
    },
    rowOf: (key: string) => rowsByKey.get(key),
    add: (placed: Placed) => void rows.set(placed.row, placed),
    settle: () => settle(rows, rowsByKey),
  }
}
export type Places = ReturnType<typeof createPlaces>

type Order = { row: number; parent_row: number | null; level: number }

function settle(rows: ReadonlyMap<number, Placed>, rowsByKey: ReadonlyMap<string, number>) {
  const levels = new Map<number, number | Misplaced['code']>()
  const parentOf = ({ parent_key }: Placed) => {
    const parent = parent_key === undefined ? undefined : rowsByKey.get(parent_key)
    return parent === undefined ? undefined : rows.get(parent)
  }
  for (const start of rows.values()) {
    const line: Placed[] = []
    const inLine = new Set<number>()
    let next: Placed | undefined = start
    while (next && !levels.has(next.row) && !inLine.has(next.row)) {
      line.push(next)
      inLine.add(next.row)
      next = parentOf(next)
    }
    // The chain met itself: rows from that point on form the cycle, and earlier rows hang below it.
    if (next && inLine.has(next.row))
      for (let last = line.pop(); last; last = last.row === next.row ? undefined : line.pop())
        levels.set(last.row, 'cycle')
    for (const placed of line.toReversed()) levels.set(placed.row, levelOf(placed, parentOf(placed), levels))
  }
  const order: Order[] = []
  const misplaced: Misplaced[] = []
  for (const placed of rows.values()) {
    const level = levels.get(placed.row) ?? 0
    const { row, is_failed, parent_key: key = '' } = placed
    if (typeof level === 'number') order.push({ row, parent_row: parentOf(placed)?.row ?? null, level })
    else if (!is_failed) misplaced.push({ row, key, code: level, message: MESSAGES[level] })
  }
  return { order, misplaced }
}

const MESSAGES: Record<Misplaced['code'], string> = {
  cycle: 'parent_key leads back to the row itself',
  parent_failed: 'the row of the parent was refused',
  too_deep: `collections can stand at most ${MAX_DEPTH + 1} levels deep`,
}

function levelOf(
  { path_levels }: Placed,
  parent: Placed | undefined,
  levels: ReadonlyMap<number, number | Misplaced['code']>,
): number | Misplaced['code'] {
  if (!parent) return path_levels
  const above = levels.get(parent.row) ?? 0
  if (typeof above !== 'number') return 'parent_failed'
  return above + 1 > MAX_DEPTH ? 'too_deep' : above + 1
}
