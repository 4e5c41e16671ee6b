import { exampleOf, type Schema } from './client/example.ts'
import type { ApiDocument, Operation } from './client/description.ts'

const SCHEMA = 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json'
/** The variables that a user of the collection fills in. */
const CREDENTIALS = {
  bearer: ['Authorization', 'Bearer {{access_token}}'],
  site_key: ['X-SSO-Site-Key', '{{site_key}}'],
} as const

/** The description as a Postman collection (format 2.1), one folder per tag. `base_url` is a variable. */
export function postmanCollection({ info, paths }: ApiDocument, base_url: string) {
  const requests = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({
      tag: operation.tags[0] ?? '',
      title: operation.summary ?? `${method.toUpperCase()} ${path}`,
      request: requestOf(method, path, operation),
    })),
  )
  const folders = Map.groupBy(requests, ({ tag }) => tag)
  return {
    info: { name: info.title, version: info.version, schema: SCHEMA },
    variable: [
      { key: 'base_url', value: base_url },
      { key: 'access_token', value: '' },
      { key: 'site_key', value: '' },
    ],
    item: Array.from(folders, ([name, items]) => ({
      name,
      item: items.map(({ title, request }) => ({ name: title, request })),
    })),
  }
}

function requestOf(method: string, path: string, { parameters = [], requestBody, security = [] }: Operation) {
  const scheme = security.flatMap((one) => Object.keys(one)).find((name) => name in CREDENTIALS)
  const credential = scheme === undefined ? undefined : CREDENTIALS[scheme as keyof typeof CREDENTIALS]
  const query = parameters.filter((one) => one.in === 'query')
  const named = path.replaceAll(/\{(\w+)\}/g, ':$1')
  const json = requestBody?.content['application/json']?.schema
  const form = requestBody?.content['multipart/form-data']?.schema as Schema | undefined
  const header = credential ? [{ key: credential[0], value: credential[1] }] : []
  return {
    method: method.toUpperCase(),
    header: json ? [...header, { key: 'Content-Type', value: 'application/json' }] : header,
    url: {
      raw: `{{base_url}}${named}`,
      host: ['{{base_url}}'],
      path: named.split('/').slice(1),
      query: query.map(({ name, required, schema }) => ({
        key: name,
        value: textOf(exampleOf((schema ?? {}) as Schema, false, name)),
        disabled: required !== true,
      })),
      variable: parameters.flatMap((one) => (one.in === 'path' ? [{ key: one.name, value: '' }] : [])),
    },
    ...(json && { body: { mode: 'raw', raw: JSON.stringify(exampleOf(json as Schema), null, 2) } }),
    ...(form && { body: { mode: 'formdata', formdata: fieldsOf(form) } }),
  }
}

const fieldsOf = ({ properties = {} }: Schema) =>
  Object.entries(properties).map(([key, { format }]) =>
    format === 'binary' ? { key, type: 'file', src: [] } : { key, type: 'text', value: '', disabled: true },
  )

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))
