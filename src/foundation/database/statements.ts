/** What ends a mark inside which a semicolon ends nothing; a dollar quote ends with itself. */
const CLOSING: Record<string, string> = { '--': '\n', '/*': '*/', "'": "'", '"': '"' }

/**
 * The statements of a file of SQL, without comments. A quote behind a backslash (E'\\'') is not known here; PostgreSQL
 * refuses what then comes out.
 */
export function splitStatements(text: string): string[] {
  const marks = /--|\/\*|'|"|\$\w*\$|;/g
  const statements: string[] = []
  let statement = ''
  for (let at = 0; ;) {
    marks.lastIndex = at
    const mark = marks.exec(text)
    statement += text.slice(at, mark?.index)
    if (mark?.[0] === ';' && isInsideBody(statement)) {
      statement += ';'
      at = marks.lastIndex
      continue
    }
    if (mark === null || mark[0] === ';') {
      if (statement.trim() !== '') statements.push(statement.trim())
      if (mark === null) return statements
      statement = ''
      at = marks.lastIndex
      continue
    }
    const closing = CLOSING[mark[0]] ?? mark[0]
    const end = text.indexOf(closing, marks.lastIndex)
    at = end < 0 ? text.length : end + closing.length
    statement += mark[0] === '--' || mark[0] === '/*' ? '\n' : text.slice(mark.index, at)
  }
}

/** `begin atomic … ; end` is the body of a function. */
const isInsideBody = (statement: string) =>
  /\bbegin atomic\b/i.test(statement) && !/;\s*end$/i.test(statement.trimEnd())
