import { refused } from './errors.ts'
import { type Attribute, attributeOf, type ResourceType, subAttributeOf } from './schema.ts'

/** A resource with the names of the schema, as it is stored and shown. */
export type Resource = { [name: string]: unknown }

const MAX_TEXT = 256
/** Of the attributes with several values; members of groups are counted apart. */
const MAX_VALUES = 20

/** Whether a value is a JSON object. */
export const isObject = (value: unknown): value is Resource =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * The attributes of a body that a client may set, under the names of the schema. Others are ignored, as RFC 7644
 * (section 3.3) allows. 400 invalidValue for a value of the wrong type.
 */
export function resourceIn(type: ResourceType, body: Resource): Resource {
  const resource: Resource = {}
  for (const [name, value] of Object.entries(body)) {
    const attribute = attributeOf(type, name)
    if (!attribute || attribute.mutability === 'readOnly' || attribute.name === 'members') continue
    set(resource, attribute, valueIn(attribute, value))
  }
  return resource
}

/** Sets or, without a value, removes an attribute. */
export function set(resource: Resource, { name }: Attribute, value: unknown): void {
  if (value === undefined) delete resource[name]
  else resource[name] = value
}

/** A value of the attribute's type; undefined where RFC 7643 (section 2.5) sees no value: null and empty lists. */
export function valueIn(attribute: Attribute, value: unknown): unknown {
  if (value === null || value === undefined) return undefined
  if (!attribute.multiValued) return singleIn(attribute, value)
  const values = [value].flat()
  refuseMany(attribute, values)
  const found = values.flatMap((one) => singleIn(attribute, one) ?? [])
  return found.length === 0 ? undefined : found
}

/** Each further step of a PATCH would look at all of them. */
export function refuseMany(attribute: Attribute, values: readonly unknown[]): void {
  if (values.length > MAX_VALUES) throw wrong(attribute, `has at most ${MAX_VALUES} values`)
}

/** One value, or one element of several. */
export function singleIn(attribute: Attribute, value: unknown): unknown {
  if (value === null) return undefined
  if (attribute.type === 'complex') return complexIn(attribute, value)
  if (attribute.type === 'boolean') return booleanIn(attribute, value)
  if (typeof value !== 'string') throw wrong(attribute, 'must be a text')
  if (value.length > MAX_TEXT) throw wrong(attribute, `has at most ${MAX_TEXT} characters`)
  return value
}

/** A bare text counts as the `value` of an element. */
function complexIn(attribute: Attribute, value: unknown): Resource | undefined {
  const given = typeof value === 'string' && attribute.multiValued ? { value } : value
  if (!isObject(given)) throw wrong(attribute, 'must be an object')
  const made: Resource = {}
  for (const [name, one] of Object.entries(given)) {
    const sub = subAttributeOf(attribute, name)
    if (sub && one !== null) set(made, sub, singleIn(sub, one))
  }
  return Object.keys(made).length === 0 ? undefined : made
}

/** Entra ID sends booleans as "True" and "False". */
function booleanIn(attribute: Attribute, value: unknown): boolean {
  if (typeof value === 'boolean') return value
  const text = typeof value === 'string' ? value.toLowerCase() : ''
  if (text !== 'true' && text !== 'false') throw wrong(attribute, 'must be true or false')
  return text === 'true'
}

const wrong = ({ name }: Attribute, what: string) => refused('invalid_value', `${name}: ${what}`)
