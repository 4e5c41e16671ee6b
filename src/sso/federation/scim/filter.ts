import { refused } from './errors.ts'
import { type Attribute, attributeOf, type ResourceType, subAttributeOf } from './schema.ts'
import { scan, type Token } from './scan.ts'

/* The filters of RFC 7644, section 3.4.2.2. Why not a library: docs/decisions/scim.md. */

const OPERATORS = ['eq', 'ne', 'co', 'sw', 'ew', 'gt', 'ge', 'lt', 'le'] as const
export type Operator = (typeof OPERATORS)[number]
export type Path = { attribute: Attribute; sub?: Attribute | undefined }
export type Value = string | number | boolean | null
export type Filter =
  | { kind: 'and' | 'or'; parts: Filter[] }
  | { kind: 'not'; inner: Filter }
  | { kind: 'present'; path: Path }
  | { kind: 'compare'; path: Path; operator: Operator; value: Value }
  | { kind: 'element'; attribute: Attribute; inner: Filter }

/** Finds an attribute where the filter stands: in a resource, or inside the brackets of a complex attribute. */
type Resolve = (name: string) => Path | undefined

const MAX_DEPTH = 16
const MAX_COMPARISONS = 50

/** 400 invalidFilter for anything but one whole filter over known attributes. */
export function parseFilter(type: ResourceType, text: string): Filter {
  const reader = new FilterReader(scan(text))
  const filter = reader.filter((name) => pathNamed(type, name))
  reader.end()
  return filter
}

/** `userName`, `name.givenName`, or the same behind the URN of the schema. */
export function pathNamed(type: ResourceType, text: string): Path | undefined {
  const prefix = `${type.urn.toLowerCase()}:`
  const name = text.toLowerCase().startsWith(prefix) ? text.slice(prefix.length) : text
  const [first = '', second, ...rest] = name.split('.', 3)
  const attribute = attributeOf(type, first)
  if (!attribute || rest.length > 0) return undefined
  if (second === undefined) return { attribute }
  const sub = subAttributeOf(attribute, second)
  return sub && { attribute, sub }
}

/** Reads tokens one by one; each is looked at once, so time grows with the length of the text only. */
export class FilterReader {
  readonly #tokens: readonly Token[]
  #at = 0
  #comparisons = 0

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens
  }

  filter(resolve: Resolve, depth = 0): Filter {
    if (depth > MAX_DEPTH) throw invalid('is nested too deeply')
    return this.#joined('or', () => this.#joined('and', () => this.#term(resolve, depth)))
  }

  #joined(kind: 'and' | 'or', next: () => Filter): Filter {
    const first = next()
    const parts = [first]
    while (this.takeWord(kind)) parts.push(next())
    return parts.length === 1 ? first : { kind, parts }
  }

  #term(resolve: Resolve, depth: number): Filter {
    if (this.takeMark('(')) return this.#until(')', resolve, depth)
    const word = this.word()
    if (word.toLowerCase() === 'not' && this.takeMark('('))
      return { kind: 'not', inner: this.#until(')', resolve, depth) }
    const path = resolve(word)
    if (!path) throw invalid(`knows no attribute ${word.slice(0, 100)}`)
    if (this.takeMark('[')) return { kind: 'element', ...path, inner: this.within(path.attribute, depth) }
    return this.#comparison(path)
  }

  /** The filter inside brackets, up to and with the closing one. */
  within(attribute: Attribute, depth = 0): Filter {
    return this.#until(']', (name) => subOf(attribute, name), depth)
  }

  #until(mark: ')' | ']', resolve: Resolve, depth: number): Filter {
    const inner = this.filter(resolve, depth + 1)
    if (!this.takeMark(mark)) throw invalid(`lacks a ${mark}`)
    return inner
  }

  #comparison(path: Path): Filter {
    if (++this.#comparisons > MAX_COMPARISONS) throw invalid(`has more than ${MAX_COMPARISONS} comparisons`)
    const word = this.word().toLowerCase()
    if (word === 'pr') return { kind: 'present', path }
    const operator = OPERATORS.find((one) => one === word)
    if (!operator) throw invalid(`knows no operator ${word.slice(0, 100)}`)
    return { kind: 'compare', path, operator, value: this.#value() }
  }

  #value(): Value {
    const token = this.#tokens[this.#at++]
    if (token?.kind === 'text') return token.text
    const word = token?.kind === 'word' ? token.text.toLowerCase() : ''
    if (word === 'true' || word === 'false') return word === 'true'
    if (word === 'null') return null
    if (word !== '' && Number.isFinite(Number(word))) return Number(word)
    throw invalid('needs a value behind the operator, texts in double quotes')
  }

  word(): string {
    const token = this.#tokens[this.#at++]
    if (token?.kind !== 'word') throw invalid('is not complete')
    return token.text
  }

  takeWord(text: string): boolean {
    const token = this.#tokens[this.#at]
    return this.#take(token?.kind === 'word' && token.text.toLowerCase() === text)
  }

  takeMark(text: string): boolean {
    const token = this.#tokens[this.#at]
    return this.#take(token?.kind === 'mark' && token.text === text)
  }

  #take(isThere: boolean): boolean {
    if (isThere) this.#at++
    return isThere
  }

  isAtEnd = (): boolean => this.#at === this.#tokens.length

  end(): void {
    if (!this.isAtEnd()) throw invalid('goes on behind its end')
  }
}

function subOf(attribute: Attribute, name: string): Path | undefined {
  const sub = subAttributeOf(attribute, name)
  return sub && { attribute: sub }
}

const invalid = (what: string) => refused('invalid_filter', `The filter ${what}`)
