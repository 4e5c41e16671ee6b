import { ApiError } from '#foundation/errors.ts'
import { refused } from './errors.ts'
import { type Filter, FilterReader, type Path, pathNamed } from './filter.ts'
import { scan } from './scan.ts'
import { type ResourceType, subAttributeOf } from './schema.ts'

/** Where an operation of a PATCH acts: `emails`, `name.givenName`, `emails[type eq "work"].value`. */
export type Target = Path & { filter?: Filter }

const FIRST_NAME = /^[A-Za-z]+/

/**
 * The target of a path, or of a member of a value without path; undefined for what is not kept, such as the enterprise
 * extension. 400 invalidPath for what RFC 7643 does not know.
 */
export function parsePath(type: ResourceType, text: string): Target | undefined {
  const own = `${type.urn.toLowerCase()}:`
  const lower = text.trim().toLowerCase()
  const name = lower.startsWith(own) ? lower.slice(own.length) : lower
  if (name.startsWith('urn:') || name === 'schemas' || type.unkept.has(FIRST_NAME.exec(name)?.[0] ?? ''))
    return undefined
  try {
    return read(type, text)
  } catch (error) {
    // Where the text is a path, its faults are faults of a path.
    if (error instanceof ApiError && error.code === 'invalid_filter')
      throw refused('invalid_path', error.detail.replace('filter', 'path'))
    throw error
  }
}

function read(type: ResourceType, text: string): Target {
  const reader = new FilterReader(scan(text))
  const word = reader.word()
  const path = pathNamed(type, word)
  if (!path) throw refused('invalid_path', `There is no attribute ${word.slice(0, 100)}`)
  if (reader.isAtEnd()) return path
  const { attribute } = path
  if (path.sub || !attribute.multiValued || !reader.takeMark('['))
    throw refused('invalid_path', 'The path goes on behind its end')
  const filter = reader.within(attribute)
  if (reader.isAtEnd()) return { attribute, filter }
  const rest = reader.word()
  const sub = rest.startsWith('.') ? subAttributeOf(attribute, rest.slice(1)) : undefined
  if (!sub || !reader.isAtEnd()) throw refused('invalid_path', 'The path goes on behind its brackets')
  return { attribute, filter, sub }
}
