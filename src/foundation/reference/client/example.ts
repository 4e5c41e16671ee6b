/** JSON Schema, as far as the descriptions of our routes use it. */
export type Schema = {
  type?: string | readonly string[]
  format?: string
  enum?: readonly unknown[]
  const?: unknown
  default?: unknown
  properties?: Readonly<Record<string, Schema>>
  additionalProperties?: boolean | Schema
  required?: readonly string[]
  items?: Schema
  anyOf?: readonly Schema[]
  oneOf?: readonly Schema[]
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  minItems?: number
  maxItems?: number
  description?: string
}

const BY_FORMAT: Readonly<Record<string, string>> = {
  uuid: '01997a3e-52c1-7d4e-9a0b-6f1c2d3e4f50',
  'date-time': '2026-01-31T12:00:00Z',
  date: '2026-01-31',
  uri: 'https://example.org/',
  email: 'ada@example.org',
  binary: '(the file)',
}
/** By the end of a name, the first that fits. */
const BY_NAME: readonly (readonly [string, string])[] = [
  ['email', 'ada@example.org'],
  ['password', 'correct horse battery staple'],
  ['url', 'https://example.org/'],
  ['user_id', '01997a3e-52c1-7d4e-9a0b-6f1c2d3e4f50'],
  ['site_code', 'example-school'],
  ['name', 'Ada Lovelace'],
  ['title', 'Parallax'],
  ['language', 'en'],
  ['locale', 'en'],
  ['time_zone', 'Europe/Vienna'],
  ['phone', '+4930123456'],
  ['code', '123456'],
  ['token', 'eyJhbGciOi…'],
]

/** The types of a value, without `null`. */
export const typesOf = ({ type }: Schema): string[] =>
  [type ?? []].flat().filter((one): one is string => one !== 'null')

/** The alternatives of a schema, without `null`. */
export const choicesOf = ({ anyOf, oneOf }: Schema): Schema[] =>
  (anyOf ?? oneOf ?? []).filter(({ type }) => type !== 'null')

/** A value that fits the schema. `isWhole`: optional members too, as an answer has them. */
export function exampleOf(schema: Schema, isWhole = false, name = ''): unknown {
  if (schema.const !== undefined) return schema.const
  if (schema.default !== undefined) return schema.default
  if (schema.enum) return schema.enum[0]
  const [choice] = choicesOf(schema)
  if (choice) return exampleOf(choice, isWhole, name)
  switch (typesOf(schema)[0] ?? (schema.properties ? 'object' : '')) {
    case 'object':
      return membersOf(schema, isWhole)
    case 'array':
      return schema.items ? [exampleOf(schema.items, isWhole, name.replace(/s$/, ''))] : []
    case 'integer':
    case 'number':
      return Math.max(schema.minimum ?? 1, 1)
    case 'boolean':
      return true
    case 'string':
      return (
        BY_FORMAT[schema.format ?? ''] ??
        BY_NAME.find(([end]) => name.endsWith(end))?.[1] ??
        'text'
      ).slice(0, schema.maxLength)
    default:
      return {}
  }
}

function membersOf({ properties = {}, required = [] }: Schema, isWhole: boolean): Record<string, unknown> {
  const all = Object.entries(properties)
  const needed = all.filter(([name]) => required.includes(name))
  const shown = isWhole || needed.length === 0 ? all : needed
  return Object.fromEntries(shown.map(([name, schema]) => [name, exampleOf(schema, isWhole, name)]))
}
