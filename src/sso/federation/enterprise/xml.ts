import { SaxesParser, type SaxesTagNS } from 'saxes'

const MAX_DEPTH = 20
const MAX_ELEMENTS = 2_000
/** A tree builder copies the namespaces in scope for each element. */
const MAX_ATTRIBUTES = 32
const ATTRIBUTES_PER_ELEMENT = 4

export type Handlers = {
  open?: (tag: SaxesTagNS, path: readonly string[]) => void
  /** Called at the end of an element, with all text directly in it. */
  close?: (tag: SaxesTagNS, text: string) => void
}

/**
 * Reads untrusted XML in one pass, before anything builds a tree. Throws for a document type (entities, external
 * subsets), processing instructions, malformed XML, and extreme depth or size. A comment counts as an element.
 * `max_elements`: a tree built later costs the event loop about 100 µs per element.
 */
export function scanXml(text: string, { open, close }: Handlers = {}, max_elements = MAX_ELEMENTS): void {
  const parser = new SaxesParser({ xmlns: true })
  const path: string[] = []
  const texts: string[] = []
  let elements = 0
  let attributes = 0
  let ofThisElement = 0
  const refuse = (what: string) => {
    throw new Error(`XML: ${what}`)
  }
  parser.on('doctype', () => refuse('a document type is not allowed'))
  parser.on('processinginstruction', () => refuse('processing instructions are not allowed'))
  parser.on('error', (error) => {
    throw error
  })
  const countElement = () => {
    if (++elements > max_elements) refuse('too many elements')
  }
  parser.on('comment', countElement)
  // Counted as they come: an element with ten thousand attributes must not be read to its end.
  parser.on('attribute', () => {
    if (++ofThisElement > MAX_ATTRIBUTES || ++attributes > max_elements * ATTRIBUTES_PER_ELEMENT)
      refuse('too many attributes')
  })
  parser.on('opentag', (tag) => {
    ofThisElement = 0
    path.push(tag.local)
    texts.push('')
    if (path.length > MAX_DEPTH) refuse('too deep')
    countElement()
    open?.(tag, path)
  })
  const addText = (part: string) => {
    const last = texts.length - 1
    if (last >= 0) texts[last] += part
  }
  parser.on('text', addText)
  parser.on('cdata', addText)
  parser.on('closetag', (tag) => {
    path.pop()
    close?.(tag, texts.pop() ?? '')
  })
  parser.write(text).close()
}
