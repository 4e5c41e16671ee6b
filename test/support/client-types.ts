import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const API = new URL('typescript-api.ts', import.meta.url).href
const COMPILER = join(import.meta.dirname, '../../node_modules/typescript/bin/tsc')

type Operation = { responses?: Record<string, unknown> }
export type Description = { info: object; paths: Record<string, Record<string, Operation>> }

/** The types of @lyceum/client for the routes of one service, with what a call that succeeds answers. */
export async function typesOf(description: Description, major: string): Promise<string> {
  const hooks = registerHooks({
    resolve: (name, context, next) =>
      name === 'typescript' ? { url: API, shortCircuit: true } : next(name, context),
  })
  const { default: openapiTS, astToString } = await import('openapi-typescript')
  hooks.deregister()
  const paths = Object.fromEntries(
    Object.entries(description.paths).map(([path, operations]) => [
      path,
      Object.fromEntries(Object.entries(operations).map(([method, one]) => [method, withoutErrors(one)])),
    ]),
  )
  // The version of the program changes with every release, the shape need not.
  const document = { openapi: '3.1.0', info: { title: 'Lyceum', version: '1' }, paths }
  const tree = await openapiTS(JSON.stringify(document), { alphabetize: true, defaultNonNullable: false })
  return `${headOf(major)}\n\n${astToString(tree)}`
}

const headOf = (major: string) =>
  `// Made by test/client-types.test.ts from the descriptions of the routes, for version ${major} of the package.`
/** The major version that types were written for. */
export const majorOf = (types: string): string | undefined => /for version (\d+) of/.exec(types)?.[1]

/** Errors are thrown by the client as one class. */
function withoutErrors(operation: Operation): Operation {
  const kept = Object.entries(operation.responses ?? {}).filter(([status]) => !/^[45]/.test(status))
  return { ...operation, responses: Object.fromEntries(kept) }
}

const COMPARISON = `
import type { paths as Old } from './old.js'
import type { paths as New } from './new.js'
type Verb = 'get' | 'put' | 'post' | 'patch' | 'delete'
type Asked<O> = O extends { parameters: infer P } ? { parameters: P; body: O extends { requestBody?: infer B } ? B : 0 } : 0
type Wide<T> = T extends string ? string : T extends object ? { [K in keyof T]: Wide<T[K]> } : T
type IsWhole<O, N> = [O] extends [undefined] ? true
  : [N] extends [{ responses: infer Now }]
    ? O extends { responses: infer Was } ? [Wide<Now>] extends [Wide<Was>] ? [Asked<O>] extends [Asked<N>] ? true : false : false : false
    : false
type Breaks<O, N> = { [P in keyof O & string]: P extends keyof N
  ? { [M in Verb & keyof O[P]]: IsWhole<O[P][M], M extends keyof N[P] ? N[P][M] : undefined> extends true ? never : \`\${M} \${P}\` }[Verb & keyof O[P]]
  : \`all \${P}\` }[keyof O & string]
// The compiler names every one that is missing.
export const judged: { [Broken in Breaks<Old, New>]: true } = {}
`

/**
 * The calls that a program written against `old` types may make or understand no longer: something it reads is gone or
 * of another type, something it sends is refused. What is new and optional breaks nothing, nor does a new word in a list
 * of words that is answered: partners are told to expect some.
 */
export async function breaksBetween(old: string, fresh: string): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'lyceum-types-'))
  try {
    writeFileSync(join(folder, 'package.json'), '{"type": "module"}')
    writeFileSync(join(folder, 'old.d.ts'), old)
    writeFileSync(join(folder, 'new.d.ts'), fresh)
    writeFileSync(join(folder, 'judge.ts'), COMPARISON)
    const flags = ['--noEmit', '--strict', '--skipLibCheck', '--noErrorTruncation', '--module', 'nodenext']
    const { stdout } = await run(process.execPath, [COMPILER, ...flags, 'judge.ts'], { cwd: folder }).catch(
      (error: { stdout: string }) => error,
    )
    const broken = [...stdout.matchAll(/"((?:get|put|post|patch|delete|all) \/[^"]*)"/g)].map(
      ([, one = '']) => one,
    )
    if (stdout !== '' && broken.length === 0) throw new Error(stdout)
    return [...new Set(broken)]
  } finally {
    rmSync(folder, { recursive: true })
  }
}
