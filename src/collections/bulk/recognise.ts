import { type Static, Type } from 'typebox'
import { ApiError } from '#foundation/errors.ts'
import { Nullable, OneOf } from '#foundation/http/schemas.ts'
import { columnName, type HeaderCell, LIMITS, type Precheck } from '../workbook/reader.ts'
import { COLUMNS, type ColumnNames, meaningOf, namesOf, plain, type SheetRole } from './headers.ts'
import { headerNotFound, type HeaderRules, planSheets, readLayout, type SheetPlan } from './layout.ts'
import { nearestHeader } from './nearest-header.ts'
import { shownValue } from './row-error.ts'

const RecognisedColumn = Type.Object({
  column: Type.String({ description: 'Its letters' }),
  header: Type.String(),
  field: Nullable(Type.String(), { description: 'What it is read as; null if it is not' }),
  nearest: Nullable(Type.String(), { description: 'The nearest known name of an unknown header' }),
})

const Fault = Nullable(Type.Object({ code: Type.String(), detail: Type.String() }), {
  description: 'What an upload would be refused with',
})

/** How an upload of this file with these options would be read. */
export type Recognised = Static<typeof Recognised>
export const Recognised = Type.Object({
  sheets: Type.Array(
    Type.Object({
      name: Type.String(),
      hidden: Type.Boolean(),
      role: Nullable(OneOf(['collections', 'items']), { description: 'null for a sheet that is not read' }),
      header_row: Nullable(Type.Integer()),
      columns: Type.Array(RecognisedColumn),
      error: Fault,
    }),
  ),
  error: Fault,
})

export function recognise(checked: Precheck, rules: HeaderRules): Recognised {
  let plans: readonly SheetPlan[] = []
  const error = faultOf(() => void (plans = planSheets(checked, rules.columns)))
  const given = namesOf(rules.columns)
  const sheets = checked.sheets.map(({ name, hidden, header }): Recognised['sheets'][number] => {
    const plan = plans.find(({ sheet }) => sheet === name)
    const unread = { name, hidden, role: plan?.role ?? null, header_row: null, columns: [], error: null }
    if (!plan || header === 'unknown') return unread
    if (header === 'none') return { ...unread, error: faultOf(() => refuse(name)) }
    return {
      ...unread,
      header_row: header.row,
      columns: columnsOf(header.cells, plan.role, given),
      error: faultOf(() => void readLayout(plan, header, rules)),
    }
  })
  return { sheets, error: error ?? sheets.find((one) => one.error !== null)?.error ?? null }
}

const refuse = (name: string) => {
  throw headerNotFound(name)
}

function faultOf(work: () => void): Static<typeof Fault> {
  try {
    work()
    return null
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return { code: error.code, detail: error.detail }
  }
}

function columnsOf(cells: readonly HeaderCell[], role: SheetRole, given: ColumnNames) {
  const known: string[] = [...COLUMNS[role]]
  return cells.flatMap(({ column, text }): Static<typeof RecognisedColumn>[] => {
    const [header, words] = [shownValue(text.trim()), plain(text.slice(0, LIMITS.header))]
    if (header === null || words === '') return []
    const meaning = text.length > LIMITS.header ? undefined : meaningOf(words, role, given)
    const field = typeof meaning === 'object' && meaning !== null ? meaning.header : null
    if (field !== null) known.push(field)
    const nearest = meaning === undefined ? nearestHeader(words, known) : null
    return [{ column: columnName(column), header, field, nearest }]
  })
}
