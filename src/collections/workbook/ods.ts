import type { Archive, Part } from './archive.ts'
import { holdsSomething, tooManyColumns } from './cell-values.ts'
import { odsCellReader } from './ods-cell.ts'
import { createCellText } from './ods-text.ts'
import { MAX_ROW } from './sheet.ts'
import { type Cell, fileFault, LIMITS, type Merge, refuseLongName, type Row, unreadable } from './workbook.ts'
import { readXml, type XmlHandler } from './xml.ts'

type OdsHandler = Pick<XmlHandler, 'afterSlice' | 'pieceSize'> & {
  /** Called where a sheet begins, in tab order; its rows are read if the answer is true. */
  sheet: (name: string, hidden: boolean) => boolean
  /** Called for each row that is not blank; 'enough' passes over the rest of the sheet. */
  row: (row: Row) => 'enough' | undefined
  merge?: ((merge: Merge) => void) | undefined
  /** Called where a sheet ends whose rows were read to the end. */
  end?: () => void
}

/**
 * Reads content.xml of an OpenDocument spreadsheet. Repeated blank cells and rows only count on; others are as many as
 * they say, within the limits of a sheet, and share their cells.
 */
export async function readOds(
  archive: Archive,
  content: Part,
  spend: (characters: number) => void,
  { sheet: takeSheet, row: takeRow, merge: takeMerge, end, ...pieces }: OdsHandler,
) {
  const [toCell, text, styles] = [odsCellReader(spend), createCellText(), createHiddenStyles()]
  let [name, isWanted, isInTable, sheets] = ['', false, false, 0]
  // The depth of the element whose children may be rows, that of the open row, and whether a cell is open in it.
  let [holder, rowDepth, isInCell] = [TABLE, 0, false]
  let [number, rowsRepeated, column, cellsRepeated] = [1, 1, 1, 1]
  let [row, cell, merges]: [Row, Record<string, string>, Merge[]] = [blankRow(), {}, []]

  const openTable = (attributes: Record<string, string>) => {
    name = attributes['table:name'] ?? ''
    if (name === '') throw unreadable(new Error('a sheet without name'))
    // What Calc keeps of other files it refers to is no sheet.
    const isForeign = name.startsWith("'") && name.includes("'#")
    if (!isForeign) refuseLongName(name, ++sheets)
    isWanted = !isForeign && takeSheet(name, styles.isHidden(attributes['table:style-name']))
    isInTable = true
    holder = TABLE
    number = 1
  }
  const openRow = (attributes: Record<string, string>, depth: number) => {
    rowDepth = depth
    rowsRepeated = repeats(attributes['table:number-rows-repeated'])
    row = { row: number, hidden: HIDDEN.has(attributes['table:visibility'] ?? ''), cells: [] }
    merges = []
    column = 1
  }
  const openCell = (element: string, attributes: Record<string, string>) => {
    isInCell = true
    // A cell below a merge shows nothing, whatever it holds.
    cell = element === 'covered-table-cell' ? {} : attributes
    cellsRepeated = repeats(attributes['table:number-columns-repeated'])
    text.begin()
    const columns = repeats(attributes['table:number-columns-spanned'])
    const rows = repeats(attributes['table:number-rows-spanned'])
    if (columns * rows > 1 && column <= LIMITS.columns)
      merges.push({ top: number, left: column, bottom: number + rows - 1, right: column + columns - 1 })
  }
  const closeCell = (element: string) => {
    isInCell = false
    const made = element === 'table-cell' ? toCell(column, cell, text.taken()) : undefined
    const after = column + cellsRepeated
    if (made && after - 1 > LIMITS.columns) throw tooManyColumns(name, Math.min(after - 1, MAX_SHOWN))
    if (made) for (let at = column; at < after; at++) row.cells.push(copyAt(made, at, spend))
    column = after
  }
  const closeRow = () => {
    rowDepth = 0
    const copies = row.cells.some(holdsSomething) ? rowsRepeated : 0
    for (let times = 0; isWanted && times < copies; times++) {
      if (number + times > MAX_ROW)
        throw fileFault('bad_row_numbers', `Sheet ${name} has more than ${MAX_ROW} rows`)
      if (times > 0) for (const one of row.cells) spend(one.text.length)
      if (takeRow({ ...row, row: number + times }) === 'enough') isWanted = false
    }
    if (isWanted && takeMerge) merges.forEach(takeMerge)
    number += rowsRepeated
  }

  await readXml(archive, content, {
    open: (element, attributes, depth) => {
      if (depth === 0) refuseOtherNames(attributes)
      if (depth <= TABLE) styles.see(element, attributes, depth)
      if (depth === TABLE && element === 'table') openTable(attributes)
      else if (!isInTable || !isWanted) return
      else if (isInCell) text.open(element, attributes, depth - rowDepth - 2)
      else if (rowDepth > 0) {
        if (depth === rowDepth + 1 && CELLS.has(element)) openCell(element, attributes)
      } else if (depth !== holder + 1) return
      else if (element === 'table-row') openRow(attributes, depth)
      else if (HOLDERS.has(element)) holder = depth
    },
    text: (piece) => {
      if (isInCell) text.text(piece)
    },
    close: (element, depth) => {
      if (!isInTable) return
      if (depth === TABLE) {
        isInTable = false
        if (isWanted) end?.()
      } else if (isInCell) {
        if (depth === rowDepth + 1) closeCell(element)
        else text.close(depth - rowDepth - 2)
      } else if (rowDepth > 0) {
        if (depth === rowDepth) closeRow()
      } else if (depth === holder) holder--
    },
    ...pieces,
  })
}

/** The depth of a sheet in document-content, body, spreadsheet. */
const TABLE = 3
const HOLDERS: ReadonlySet<string> = new Set(['table-row-group', 'table-header-rows', 'table-rows'])
const CELLS: ReadonlySet<string> = new Set(['table-cell', 'covered-table-cell'])
const HIDDEN: ReadonlySet<string> = new Set(['collapse', 'filter'])
const MAX_SHOWN = 16_384

const blankRow = (): Row => ({ row: 0, hidden: false, cells: [] })

function copyAt(cell: Cell, column: number, spend: (characters: number) => void): Cell {
  if (column === cell.column) return cell
  spend(cell.text.length)
  return { ...cell, column }
}

function repeats(count = '1'): number {
  if (!/^[1-9]\d{0,8}$/.test(count)) throw unreadable(new Error('a wrong number of repetitions'))
  return Number(count)
}

/** Every program writes these prefixes, so attributes are known by them. */
function refuseOtherNames(attributes: Record<string, string>) {
  for (const name of ['office', 'table'])
    if (attributes[`xmlns:${name}`] !== `urn:oasis:names:tc:opendocument:xmlns:${name}:1.0`)
      throw unreadable(new Error(`the prefix ${name} means something else`))
}

const MOST_STYLES = 1000

/** The styles that hide a sheet stand in front of the sheets. */
function createHiddenStyles() {
  const hidden = new Set<string>()
  let style = ''
  return {
    see: (element: string, attributes: Record<string, string>, depth: number) => {
      if (depth === 2 && element === 'style') style = attributes['style:name'] ?? ''
      const hides = element === 'table-properties' && attributes['table:display'] === 'false'
      if (depth === 3 && hides && hidden.size < MOST_STYLES && style.length < LIMITS.header) hidden.add(style)
    },
    isHidden: (name: string | undefined) => name !== undefined && hidden.has(name),
  }
}
