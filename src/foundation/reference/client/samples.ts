/** A call, ready to be sent or shown as a program. `path` with its query. `body` as JSON text. */
export type Call = {
  origin: string
  method: string
  path: string
  headers: Readonly<Record<string, string>>
  body?: string
  /** The field of a form that takes a file. */
  file?: string
}

/** The same call in three languages. */
export const samplesOf = (call: Call): { name: string; code: string }[] => [
  { name: 'curl', code: curl(call) },
  { name: 'TypeScript', code: typeScript(call) },
  { name: 'Python', code: python(call) },
]

const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`
const literal = (text: string): string => JSON.stringify(text)

function curl({ origin, method, path, headers, body, file }: Call): string {
  return [
    `curl ${method === 'GET' ? '' : `-X ${method} `}${quoted(origin + path)}`,
    ...Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...(file === undefined ? [] : [`-F ${quoted(`${file}=@file.xlsx`)}`]),
    ...(body === undefined ? [] : [`-H 'Content-Type: application/json'`, `-d ${quoted(body)}`]),
  ].join(' \\\n  ')
}

function typeScript({ origin, method, path, headers, body, file }: Call): string {
  const all = { ...headers, ...(body !== undefined && { 'Content-Type': 'application/json' }) }
  const lines = [
    ...(method === 'GET' ? [] : [`  method: ${literal(method)},`]),
    ...(Object.keys(all).length > 0 ? [`  headers: ${indent(JSON.stringify(all, null, 2))},`] : []),
    ...(body === undefined ? [] : [`  body: JSON.stringify(${indent(body)}),`]),
    ...(file === undefined ? [] : ['  body: form,']),
  ]
  return [
    ...(file === undefined ? [] : ['const form = new FormData()', `form.set(${literal(file)}, file)`]),
    `const reply = await fetch(${literal(origin + path)}${lines.length > 0 ? `, {\n${lines.join('\n')}\n}` : ''})`,
    'if (!reply.ok) throw new Error(await reply.text())',
    'console.log(await reply.text())',
  ].join('\n')
}

function python({ origin, method, path, headers, body, file }: Call): string {
  const given = [
    literal(method),
    literal(origin + path),
    ...(Object.keys(headers).length > 0 ? [`headers=${indent(JSON.stringify(headers, null, 2))}`] : []),
    ...(body === undefined ? [] : [`json=json.loads(${literal(body)})`]),
    ...(file === undefined ? [] : [`files={${literal(file)}: open("file.xlsx", "rb")}`]),
  ]
  return [
    ...(body === undefined ? [] : ['import json']),
    'import requests',
    '',
    `reply = requests.request(\n  ${given.join(',\n  ')},\n)`,
    'reply.raise_for_status()',
    'print(reply.text)',
  ].join('\n')
}

const indent = (text: string): string => text.replaceAll('\n', '\n  ')
