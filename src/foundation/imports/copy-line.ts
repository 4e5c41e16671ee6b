type Value = string | number | boolean | null

/** One line of COPY text format. */
export const copyLine = (values: readonly Value[]) =>
  `${values
    .map((value) =>
      value === null ? '\\N' : String(value).replace(/[\\\t\n\r]/g, (letter) => ESCAPES[letter] ?? letter),
    )
    .join('\t')}\n`

const ESCAPES: Record<string, string> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' }
