import { LIMITS } from './workbook.ts'

/** Parts of a paragraph that are not its text: comments, notes and readings. */
const ASIDE: ReadonlySet<string> = new Set(['annotation', 'note', 'ruby-text'])

/**
 * Collects the text of one cell after another, with paragraphs as lines. Spaces count as they stand there, because Calc
 * writes them so; a line end with what follows it is the layout of the XML.
 */
export function createCellText() {
  let [text, paragraphs, isInParagraph] = ['', 0, false]
  let skippedFrom = -1
  const add = (more: string) => {
    // Longer text is never shown in full, so the rest is dropped.
    if (text.length <= LIMITS.cellText) text += more
  }
  return {
    begin: () => {
      text = ''
      paragraphs = 0
    },
    /** `depth` is 0 for the children of the cell. */
    open: (name: string, attributes: Record<string, string>, depth: number) => {
      if (skippedFrom >= 0) return
      if (depth === 0 ? name !== 'p' : ASIDE.has(name)) skippedFrom = depth
      else if (depth === 0) {
        if (paragraphs++ > 0) add('\n')
        isInParagraph = true
      } else if (name === 's') add(' '.repeat(spacesOf(attributes['text:c'])))
      else if (name === 'tab') add('\t')
      else if (name === 'line-break') add('\n')
    },
    text: (piece: string) => {
      if (isInParagraph && skippedFrom < 0) add(piece.replaceAll(/\n[\t\n\r ]*/g, ' '))
    },
    close: (depth: number) => {
      if (skippedFrom >= 0) {
        if (depth === skippedFrom) skippedFrom = -1
        return
      }
      if (depth === 0) isInParagraph = false
    },
    taken: () => text,
  }
}

const spacesOf = (count = '1') => (/^\d{1,9}$/.test(count) ? Math.min(Number(count), LIMITS.cellText + 1) : 1)
