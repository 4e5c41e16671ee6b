import { readWorkbook } from './read-workbook.ts'
import type { Mapper, ParseOptions, WorkerInput } from './parse-in-worker.ts'
import type { Facts, RowBatch } from './workbook.ts'

/** Reads sheets and hands over what the mapper makes of them. `parseInWorker` is the one that holds nobody up. */
export type Parse = <Batch = RowBatch>(bytes: Uint8Array, options: ParseOptions<Batch>) => Promise<Facts>

/** Reads and maps sheets in this thread; the next batch is read when `post` is done with the last one. */
export async function parseSheets(
  { bytes, sheets, delimiter, mapper: wanted, dataRows }: WorkerInput,
  post: (value: unknown, transfer?: readonly ArrayBuffer[]) => Promise<void>,
): Promise<Facts> {
  const mapper = wanted && createMapperOf(await import(wanted.module), wanted.options)
  const facts = await readWorkbook(Buffer.from(bytes.buffer), sheets, {
    dataRows,
    delimiter,
    onRows: async (sheet, rows) => {
      if (!mapper) return post({ sheet, rows })
      const mapped = mapper.rows({ sheet, rows })
      if (mapped) await post(mapped.value, mapped.transfer)
    },
  })
  const last = mapper?.end(facts)
  if (last) await post(last.value, last.transfer)
  return facts
}

function createMapperOf(module: { createMapper?: (options: unknown) => Mapper }, options: unknown): Mapper {
  if (!module.createMapper) throw new Error('the module exports no createMapper')
  return module.createMapper(options)
}
