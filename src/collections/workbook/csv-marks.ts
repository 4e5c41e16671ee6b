import { withFormulas, withoutFormulas } from '#foundation/web/client/csv.ts'
import { isErrorText } from './ods-cell.ts'

/** A text as an export as .csv writes it: an apostrophe marks what a spreadsheet program would take for a formula or an error. */
export const marked = (text: string): string => (isErrorText(text) ? `'${text}` : withoutFormulas(text))

/** The text that was marked. */
export const unmarked = (text: string): string =>
  text.startsWith("'") && isErrorText(text.slice(1)) ? text.slice(1) : withFormulas(text)
