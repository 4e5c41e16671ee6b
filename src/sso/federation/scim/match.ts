import type { Filter, Operator, Value } from './filter.ts'
import type { Resource } from './values.ts'

/** Whether an element of a multi-valued attribute passes the filter in its brackets. */
export function matches(filter: Filter, element: Resource): boolean {
  switch (filter.kind) {
    case 'and':
      return filter.parts.every((part) => matches(part, element))
    case 'or':
      return filter.parts.some((part) => matches(part, element))
    case 'not':
      return !matches(filter.inner, element)
    case 'present':
      return isPresent(element[filter.path.attribute.name])
    case 'compare': {
      const { name, caseExact = false } = filter.path.attribute
      const folded = (value: unknown) =>
        typeof value === 'string' && !caseExact ? value.toLowerCase() : value
      return compares(folded(element[name]), filter.operator, folded(filter.value) as Value)
    }
    case 'element':
      return false
  }
}

const isPresent = (value: unknown) => value !== undefined && value !== null && value !== ''

const textOf = (value: unknown) => JSON.stringify(value ?? false).replaceAll('"', '')

function compares(actual: unknown, operator: Operator, wanted: Value): boolean {
  // Absent booleans are false, and a directory may ask for either as text.
  if (typeof wanted === 'boolean' || typeof actual === 'boolean') {
    const isSame = textOf(actual) === textOf(wanted)
    return operator === 'eq' ? isSame : operator === 'ne' && !isSame
  }
  if (operator === 'eq') return (actual ?? null) === wanted
  if (operator === 'ne') return (actual ?? null) !== wanted
  if (typeof actual !== 'string' || typeof wanted !== 'string') return false
  switch (operator) {
    case 'co':
      return actual.includes(wanted)
    case 'sw':
      return actual.startsWith(wanted)
    case 'ew':
      return actual.endsWith(wanted)
    case 'gt':
      return actual > wanted
    case 'ge':
      return actual >= wanted
    case 'lt':
      return actual < wanted
    case 'le':
      return actual <= wanted
  }
}
