import { ApiError } from '#foundation/errors.ts'
import { type Parse, parseSheets } from '../../src/collections/workbook/parse-sheets.ts'
import { parserFailed } from '../../src/collections/workbook/reader.ts'

/** What `parseInWorker` does, without a thread: starting one costs more than reading a small workbook. */
export const parseHere: Parse = async (bytes, { sheets, delimiter, onRows, mapper, signal, limits = {} }) => {
  signal?.throwIfAborted()
  let refusal: { error: unknown } | undefined
  const post = async (value: unknown) => {
    try {
      signal?.throwIfAborted()
      await onRows(value as never)
      signal?.throwIfAborted()
    } catch (error) {
      refusal = { error }
      throw error
    }
  }
  try {
    return await parseSheets(
      { bytes: new Uint8Array(bytes), sheets, delimiter, mapper, dataRows: limits.dataRows },
      post,
    )
  } catch (error) {
    if (refusal) throw refusal.error
    throw error instanceof ApiError ? error : parserFailed(error)
  }
}
