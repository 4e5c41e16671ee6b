import type { Archive, Part } from './archive.ts'
import { type DigitPattern, patternOf } from './digit-patterns.ts'
import { readXml } from './xml.ts'

/** How a cell format shows a number: as a date, as a duration, as a pattern of digits, or plain. */
export type NumberFormat = 'date' | 'duration' | 'general' | DigitPattern

/** By the index in a cell's `s`. The rest of the styles is dropped. */
export type CellFormats = readonly NumberFormat[]

export async function readCellFormats(archive: Archive, styles: Part | undefined): Promise<CellFormats> {
  const codes = new Map<string, NumberFormat>()
  const formats: NumberFormat[] = []
  if (!styles) return formats
  let isInCellFormats = false
  await readXml(archive, styles, {
    open: (name, attributes, depth) => {
      if (depth === 1) isInCellFormats = name === 'cellXfs'
      if (name === 'numFmt' && depth === 2)
        codes.set(attributes['numFmtId'] ?? '', formatOf(attributes['formatCode'] ?? ''))
      if (name !== 'xf' || depth !== 2 || !isInCellFormats) return
      const id = attributes['numFmtId'] ?? '0'
      formats.push(codes.get(id) ?? builtIn(Number(id)))
    },
  })
  return formats
}

/**
 * A format code is a date if it has d, m, y, h or s outside quotes, brackets and escapes, and a duration if its hours,
 * minutes or seconds are in brackets, which count on past a day.
 */
export function formatOf(code: string): NumberFormat {
  const bare = code.replaceAll(/"[^"]*"?|\[[^\]]*\]?|[\\_*]./gs, '')
  const isElapsed = /\[(?:h+|m+|s+)\]/i.test(code.replaceAll(/"[^"]*"?|[\\_*]./gs, ''))
  if (isElapsed && !/[dy]/i.test(bare)) return 'duration'
  return /[dmyhs]/i.test(bare) ? 'date' : (patternOf(code) ?? 'general')
}

/** 46 is `[h]:mm:ss`. */
const builtIn = (id: number): NumberFormat =>
  id === 46 ? 'duration' : isBuiltInDate(id) ? 'date' : 'general'

/** Built-in ids whose codes are in no file; 27-36 and 50-58 are dates of East Asian versions. */
const isBuiltInDate = (id: number) =>
  (id >= 14 && id <= 22) || (id >= 27 && id <= 36) || (id >= 45 && id <= 47) || (id >= 50 && id <= 58)
