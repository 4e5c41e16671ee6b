import { refused } from './errors.ts'
import { type Path, pathNamed } from './filter.ts'
import { attributeOf, type ResourceType } from './schema.ts'
import type { Resource } from './values.ts'

/** `attributes` and `excludedAttributes` of a request (RFC 7644, section 3.9). */
export type Asked = { attributes?: string | undefined; excludedAttributes?: string | undefined }

const MAX_NAMES = 50

/** Whether an attribute is asked for, so that what costs a query is read only then. */
export function isAsked(type: ResourceType, asked: Asked, name: string): boolean {
  const { wanted, unwanted } = pathsOf(type, asked)
  if (wanted) return wanted.some(({ attribute }) => attribute.name === name)
  return !unwanted.some(({ attribute, sub }) => attribute.name === name && !sub)
}

/** Leaves of a resource what is asked for; `id` and `schemas` always stay. */
export function projected(type: ResourceType, asked: Asked, resource: Resource): Resource {
  const { wanted, unwanted } = pathsOf(type, asked)
  if (!wanted && unwanted.length === 0) return resource
  const shown: Resource = {}
  for (const [name, value] of Object.entries(resource)) {
    const isAlways = name === 'schemas' || attributeOf(type, name)?.returned === 'always'
    const kept = isAlways
      ? value
      : wanted
        ? included(value, of(wanted, name))
        : left(value, of(unwanted, name))
    if (kept !== undefined) shown[name] = kept
  }
  return shown
}

const of = (paths: readonly Path[], name: string) => paths.filter(({ attribute }) => attribute.name === name)

function included(value: unknown, paths: readonly Path[]): unknown {
  if (paths.length === 0) return undefined
  if (paths.some(({ sub }) => !sub)) return value
  const names = new Set(paths.map(({ sub }) => sub?.name))
  return each(value, (name) => names.has(name))
}

function left(value: unknown, paths: readonly Path[]): unknown {
  if (paths.some(({ sub }) => !sub)) return undefined
  const names = new Set(paths.map(({ sub }) => sub?.name))
  return names.size === 0 ? value : each(value, (name) => !names.has(name))
}

function each(value: unknown, isKept: (name: string) => boolean): unknown {
  if (Array.isArray(value)) return value.map((one) => each(one, isKept))
  return Object.fromEntries(Object.entries(value as object).filter(([name]) => isKept(name)))
}

/** Names that we do not keep are passed over: clients ask for everything they could know. */
function pathsOf(type: ResourceType, { attributes, excludedAttributes }: Asked) {
  const read = (text: string) => {
    const names = text.split(',', MAX_NAMES + 1)
    if (names.length > MAX_NAMES)
      throw refused('invalid_value', `At most ${MAX_NAMES} attributes can be named`)
    return names.flatMap((name) => pathNamed(type, name.trim()) ?? [])
  }
  return {
    wanted: attributes === undefined || attributes === '' ? undefined : read(attributes),
    unwanted: read(excludedAttributes ?? ''),
  }
}
