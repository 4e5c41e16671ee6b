import { choicesOf, type Schema, typesOf } from './example.ts'

/** A field of a body, by its path: `items[].name`. */
export type Field = { name: string; type: string; is_required: boolean; notes: string }

const MOST_FIELDS = 200
const DEEPEST = 5

/** All fields of a schema, from the outside in. */
export function fieldsOf(schema: Schema): Field[] {
  const found: Field[] = []
  collect(schema, '', 0, found)
  return found
}

function collect(schema: Schema, path: string, depth: number, found: Field[]): void {
  if (depth > DEEPEST) return
  for (const choice of choicesOf(schema)) collect(choice, path, depth + 1, found)
  if (schema.items) collect(schema.items, `${path}[]`, depth + 1, found)
  for (const [name, member] of Object.entries(schema.properties ?? {})) {
    if (found.length >= MOST_FIELDS) return
    const own = path ? `${path}.${name}` : name
    const is_required = schema.required?.includes(name) ?? false
    if (!found.some((one) => one.name === own))
      found.push({ name: own, type: typeName(member), is_required, notes: notesOf(member) })
    collect(member, own, depth + 1, found)
  }
}

/** `string (uuid) or null`. */
export function typeName(schema: Schema): string {
  const choices = choicesOf(schema)
  const isNull = [schema.type ?? []].flat().includes('null') || choices.length < (schema.anyOf ?? []).length
  const own =
    choices.length > 0
      ? [...new Set(choices.map((one) => typeName(one)))]
      : typesOf(schema).map((type) =>
          type === 'array' && schema.items
            ? `array of ${typeName(schema.items)}`
            : schema.format
              ? `${type} (${schema.format})`
              : type,
        )
  const names = own.length > 0 ? own : [schema.const === undefined ? 'any' : typeof schema.const]
  return [...names, ...(isNull ? ['null'] : [])].join(' or ')
}

/** Values, bounds and the default. */
export function notesOf(schema: Schema): string {
  const { minimum, maximum, minLength, maxLength, minItems, maxItems, description } = schema
  const span = (least: number | undefined, most: number | undefined, unit: string) =>
    least === undefined && most === undefined ? [] : [`${least ?? ''}–${most ?? ''}${unit}`]
  const values = schema.enum ?? (schema.const === undefined ? [] : [schema.const])
  return [
    ...(description === undefined ? [] : [description]),
    ...(values.length > 0 ? [values.map(String).join(', ')] : []),
    ...span(minimum, maximum, ''),
    ...span(minLength, maxLength, ' characters'),
    ...span(minItems, maxItems, ' entries'),
    ...(schema.default === undefined ? [] : [`default ${JSON.stringify(schema.default)}`]),
  ].join('; ')
}
