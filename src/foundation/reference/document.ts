import purposes from './purposes.json' with { type: 'json' }
import type { ApiDocument, Operation } from './client/description.ts'

type Parameter = NonNullable<Operation['parameters']>[number]

/** That of the program whose interface it is. */
const LICENCE = { name: 'MIT', identifier: 'MIT' }
/** Parts of a path that say nothing about what a route is for. */
const PREFIXES = new Set(['api', 'v1'])

/**
 * Completes the OpenAPI description that the schemas gave: each operation gets an `operationId`, the purpose that the
 * documents state as `summary`, and the first word of its path as tag. A query parameter, or a field of a body, with a
 * default may be left out. Pages for people are no operations, and a scheme that no operation names is not defined.
 */
export function completed<T extends { paths?: object }>(document: T): T {
  const paths = (document.paths ?? {}) as Record<string, Record<string, Operation>>
  const service = (document as unknown as ApiDocument).info.title.replace('Lyceum ', '')
  const known = (purposes as Record<string, Record<string, string>>)[service] ?? {}
  const complete = Object.entries(paths).flatMap(([path, operations]) => {
    const words = path.split('/').filter((word) => word && !PREFIXES.has(word))
    const calls = Object.entries(operations).filter(([, one]) => !isPage(one))
    const own = calls.map(([method, operation]) => {
      const { parameters, requestBody } = operation
      const summary = known[`${method.toUpperCase()} ${withoutNames(path)}`]
      return [
        method,
        {
          ...operation,
          operationId: camelCase([method, ...words]),
          ...(summary !== undefined && { summary }),
          tags: [words[0]?.replace(/^\W+/, '') || service],
          ...(parameters && { parameters: parameters.map(optionalByDefault) }),
          ...(requestBody && {
            requestBody: { ...requestBody, content: optionalFields(requestBody.content) },
          }),
        },
      ]
    })
    return own.length > 0 ? [[path, Object.fromEntries(own) as Record<string, Operation>] as const] : []
  })
  const used = new Set(
    complete.flatMap(([, operations]) =>
      Object.values(operations).flatMap(({ security = [] }) => security.flatMap(Object.keys)),
    ),
  )
  const { info, components } = document as unknown as ApiDocument
  const schemes = Object.entries(components?.securitySchemes ?? {}).filter(([name]) => used.has(name))
  return {
    ...document,
    info: { ...info, license: LICENCE },
    components: { ...components, securitySchemes: Object.fromEntries(schemes) },
    paths: Object.fromEntries(complete),
  }
}

const isPage = ({ responses }: Operation): boolean =>
  Object.keys(responses?.['200']?.content ?? {}).join() === 'text/html'

const optionalByDefault = (one: Parameter): Parameter =>
  one.in === 'query' && one.schema && 'default' in one.schema ? { ...one, required: false } : one

type Schema = { properties?: Record<string, object>; required?: string[] }

/** The parts of a schema, however deep, without demanding what is filled in where it is missing. */
function optionalFields<T>(part: T): T {
  if (Array.isArray(part)) return part.map(optionalFields) as T
  if (typeof part !== 'object' || part === null) return part
  const own = Object.fromEntries(
    Object.entries(part).map(([name, one]) => [name, optionalFields<unknown>(one)]),
  )
  const { properties = {}, required } = part as Schema
  if (!Array.isArray(required)) return own as T
  return { ...own, required: required.filter((name) => !('default' in (properties[name] ?? {}))) } as T
}

/** `GET /api/users/{user_id}` without the name, which is no part of an address. */
const withoutNames = (path: string): string => path.replaceAll(/\{\w+\}/g, '{}')

/** `getUsersByUserId` for `get`, `users`, `{user_id}`. */
function camelCase(words: readonly string[]): string {
  const parts = words.flatMap((word) => {
    const inner = word.split(/\W+|_/).filter(Boolean)
    return word.startsWith('{') ? ['by', ...inner] : inner
  })
  return parts.map((part, i) => (i === 0 ? part : part.charAt(0).toUpperCase() + part.slice(1))).join('')
}
