import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '../..')

export type SourceFile = { path: string; text: string }
/** A tagged template such as sql`…`. `text` is everything between the backticks, including interpolations. */
type TaggedTemplate = { path: string; line: number; tag: string; text: string }

/** Project files that match the globs, with paths relative to the root; without dependencies. */
export function sourceFiles(...patterns: string[]): SourceFile[] {
  const paths = globSync(patterns, { cwd: root, exclude: ['node_modules'] }).toSorted()
  return paths.map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }))
}

/** The specifiers of all static, dynamic and type imports. */
export const importsOf = ({ text }: SourceFile): string[] =>
  Array.from(text.matchAll(/(?:\bfrom|\bimport)\s*\(?\s*'([^'\n]+)'/g), ([, specifier = '']) => specifier)

/** All tagged templates of a file, including those nested in interpolations. */
export function taggedTemplates({ path, text }: SourceFile): TaggedTemplate[] {
  const found: TaggedTemplate[] = []
  readCode(0)
  return found

  /** Reads code from `at` to the matching closing brace or the end. Returns the position after it. */
  function readCode(at: number): number {
    let place = at
    let depth = 0
    while (place < text.length) {
      const char = text[place]
      if (text.startsWith('//', place)) place = after('\n', place)
      else if (text.startsWith('/*', place)) place = after('*/', place)
      else if (char === "'" || char === '"') place = readString(place, char)
      else if (char === '`') place = readTemplate(place)
      else if (char === '/' && isRegexStart(place)) place = readRegex(place)
      else {
        if (char === '{') depth++
        if (char === '}' && depth-- === 0) return place + 1
        place++
      }
    }
    return place
  }

  function readTemplate(start: number): number {
    const tag = tagBefore(start)
    let place = start + 1
    while (place < text.length && text[place] !== '`') {
      if (text[place] === '\\') place += 2
      else if (text.startsWith('${', place)) place = readCode(place + 2)
      else place++
    }
    const line = text.slice(0, start).split('\n').length
    if (tag !== '') found.push({ path, line, tag, text: text.slice(start + 1, place) })
    return place + 1
  }

  /** `db.fast` for db.fast<Row[]>`…`; '' when the template has no tag. */
  function tagBefore(start: number): string {
    let end = start
    if (text[end - 1] === '>') {
      let open = 0
      do {
        end--
        if (text[end] === '>' && text[end - 1] !== '=') open++
        if (text[end] === '<') open--
      } while (open > 0 && end > 0)
    }
    return /[\w$.)\]]+$/.exec(text.slice(0, end))?.[0] ?? ''
  }

  function readString(start: number, quote: string): number {
    let place = start + 1
    while (place < text.length && text[place] !== quote) place += text[place] === '\\' ? 2 : 1
    return place + 1
  }

  /** After a value a slash is a division; anywhere else it starts a regular expression. */
  function isRegexStart(place: number): boolean {
    const before = text.slice(Math.max(0, place - 20), place).trimEnd()
    return before === '' || /[(,=:[!&|?{};+>]$|\b(?:return|typeof|case)$/.test(before)
  }

  function readRegex(start: number): number {
    let isClass = false
    let place = start + 1
    while (place < text.length && (isClass || text[place] !== '/')) {
      if (text[place] === '\\') place++
      else if (text[place] === '[') isClass = true
      else if (text[place] === ']') isClass = false
      place++
    }
    return place + 1
  }

  function after(mark: string, from: number): number {
    const found = text.indexOf(mark, from)
    return found < 0 ? text.length : found + mark.length
  }
}
