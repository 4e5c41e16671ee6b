import assert from 'node:assert/strict'
import { test } from 'node:test'
import XLSX from '@e965/xlsx'
import { readXlsx } from 'hucre/xlsx'
import { type SheetXml, workbookOf } from '#testing/workbooks.ts'
import { readWorkbook } from './read-workbook.ts'
import type { Cell, Row } from './reader.ts'
import { type Value, writeWorkbookInWorker } from './writer.ts'

/** Seeded random numbers, so that a failure can be reproduced. */
function numbersFrom(seed: number) {
  let state = seed
  return (below: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}
type Numbers = ReturnType<typeof numbersFrom>

const TEXTS = [
  'plain',
  ' spaces ',
  'a\nb\tc',
  '=1+1',
  '007',
  '1E5',
  '#N/A',
  'é😀',
  '<&">',
  '_x000D_',
  'TRUE',
  '31/02/1967',
  '-',
  '\u00A0',
  '_x',
]

function aValue(next: Numbers): Value {
  switch (next(8)) {
    case 0:
      return null
    case 1:
      return next(2) === 1
    case 2:
      return next(1_000_000) - 500_000
    case 3:
      return (next(1_000_000) - 500_000) / 1_000
    case 4:
      return next(2 ** 31) * 1e9
    default:
      return `${TEXTS[next(TEXTS.length)] ?? ''}${next(3) === 0 ? '' : next(50)}`
  }
}

async function cellsOf(bytes: Buffer, sheet: string): Promise<Map<string, Cell>> {
  const rows: Row[] = []
  await readWorkbook(bytes, [sheet], { onRows: (_, some) => void rows.push(...some) })
  return new Map(
    rows.flatMap(({ row, cells }) => cells.map((cell) => [`${row},${cell.column}`, cell] as const)),
  )
}

test('what we write reads back equal here, in @e965/xlsx and hucre', async () => {
  for (let seed = 1; seed <= 6; seed++) {
    const next = numbersFrom(seed)
    const width = 1 + next(8)
    const columns = Array.from({ length: width }, (_, index) => ({
      header: `h${index}`,
      width: 10,
      is_text: next(2) === 1,
    }))
    const rows = Array.from({ length: 120 }, () => columns.map(() => aValue(next)))
    const bytes = Buffer.from(
      await writeWorkbookInWorker([{ design: { name: 'Items', columns, empty_rows: 3 }, rows }]),
    )
    const ours = await cellsOf(bytes, 'Items')
    const sheet = XLSX.read(bytes, { dense: true }).Sheets['Items'] ?? assert.fail()
    const other = (await readXlsx(bytes)).sheets[0]?.rows ?? []
    for (const [row, values] of rows.entries()) {
      const isShown = values.some((value) => value !== null && String(value).trim() !== '')
      for (const [column, value] of values.entries()) {
        const place = `seed ${seed}, row ${row + 2}, column ${column + 1}`
        const cell = ours.get(`${row + 2},${column + 1}`)
        if (isShown) assert.equal(cell?.value ?? null, value === '' ? null : value, place)
        const theirs = (sheet['!data']?.[row + 1]?.[column] as XLSX.CellObject | undefined)?.v ?? null
        assert.equal(theirs === '' ? null : theirs, value === '' ? null : value, `${place} in @e965/xlsx`)
        // This reader does not decode escapes and does not treat rich text as plain text.
        if (typeof value !== 'string' || !/_x|#/.test(value))
          assert.equal(other[row + 1]?.[column] ?? null, value, `${place} in hucre`)
      }
    }
  }
})

const CODES = [
  0,
  1,
  2,
  14,
  22,
  'yyyy-mm-dd',
  '"d"0',
  '00000',
  '[h]:mm',
  '0.00E+00',
  49,
  '#,##0.0',
  'd/m/yy h:mm',
  10,
  46,
] as const

/** A sheet as spreadsheet programs write it, with every kind of cell. */
function aSheet(next: Numbers): SheetXml {
  let rows = ''
  for (let row = 1; row <= 80; row++) {
    if (next(9) === 0) continue
    let cells = ''
    for (let column = 0; column < 8; column++) {
      const style = next(CODES.length + 1)
      const at =
        next(4) === 0 && cells === '' && column === 0 ? '' : ` r="${String.fromCharCode(65 + column)}${row}"`
      const text = `t${next(30)}`
      cells += [
        '',
        `<c${at} s="${style}"/>`,
        `<c${at} s="${style}"><v>${next(80_000) + 61}</v></c>`,
        `<c${at} s="${style}"><v>${(next(800_000) + 6_100) / 100}</v></c>`,
        `<c${at} t="s"><v>${next(4)}</v></c>`,
        `<c${at} t="inlineStr"><is><r><t>${text}</t></r><r><t xml:space="preserve"> &amp; </t></r></is></c>`,
        `<c${at} t="b"><v>${next(2)}</v></c>`,
        `<c${at} t="e"><v>#DIV/0!</v></c>`,
        `<c${at} t="str"><f>"x"</f><v>${text}</v></c>`,
      ][next(9)]
    }
    rows += `<row r="${row}"${next(6) === 0 ? ' hidden="1"' : ''}>${cells}</row>`
  }
  return { name: 'Items', rows }
}

/** The date of a serial number by the other reader, in our format. */
function theirDate(serial: number, format: string): string {
  if (format.includes('[h]')) return XLSX.SSF.format('[hh]:mm:ss', serial)
  const { y, m, d, H, M, S } = XLSX.SSF.parse_date_code(serial) as Record<
    'y' | 'm' | 'd' | 'H' | 'M' | 'S',
    number
  >
  const two = (number: number) => String(number).padStart(2, '0')
  const time = `${two(H)}:${two(M)}:${two(S)}`
  return `${y}-${two(m)}-${two(d)}${time === '00:00:00' ? '' : `T${time}`}`
}

test('what other programs write reads as in @e965/xlsx', async () => {
  let compared = 0
  for (let seed = 1; seed <= 8; seed++) {
    const bytes = workbookOf({
      sheets: [aSheet(numbersFrom(seed))],
      strings:
        '<si><t>zero</t></si><si><r><t>o</t></r><r><t>ne</t></r></si><si><t>t_x0077_o</t></si><si><t/></si>',
      formats: CODES,
    })
    const ours = await cellsOf(bytes, 'Items')
    const sheet = XLSX.read(bytes, { cellNF: true, cellText: false }).Sheets['Items'] ?? assert.fail()
    const places = Object.keys(sheet).filter((place) => !place.startsWith('!'))
    const theirs = new Map<string, XLSX.CellObject>()
    for (const place of places) {
      const { r, c } = XLSX.utils.decode_cell(place)
      const cell = sheet[place] as XLSX.CellObject
      if (cell.t !== 'z' && cell.v !== '' && cell.v !== undefined) theirs.set(`${r + 1},${c + 1}`, cell)
    }
    assert.deepEqual([...ours.keys()].toSorted(), [...theirs.keys()].toSorted(), `seed ${seed}`)
    for (const [place, cell] of ours) {
      const their = theirs.get(place) ?? assert.fail()
      const isDate = their.t === 'n' && typeof their.z === 'string' && XLSX.SSF.is_date(their.z)
      const expected =
        their.t === 'e'
          ? ['cell_error', '#DIV/0!']
          : isDate
            ? ['date', theirDate(Number(their.v), String(their.z))]
            : [{ s: 'text', b: 'boolean', n: 'number' }[their.t as 's'], their.v]
      const got = [cell.kind, cell.kind === 'number' || cell.kind === 'boolean' ? cell.value : cell.text]
      assert.deepEqual(got, expected, `seed ${seed}, row and column ${place}, format ${String(their.z)}`)
      compared++
    }
  }
  assert.ok(compared > 3_000, `only ${compared} cells were compared`)
})
