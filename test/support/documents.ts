import { existsSync, globSync } from 'node:fs'
import { join } from 'node:path'
import { withoutNames } from '#testing/contract.ts'

const root = join(import.meta.dirname, '../..')

const METHOD = '(GET|POST|PUT|PATCH|DELETE)'
const PATH = String.raw`(/[\w./{}-]*)`
const ORIGIN = String.raw`http://127\.0\.0\.1:`
const EXAMPLE = /^ *curl (?:.*\\\n)*.*$/gm

const all = (text: string, pattern: RegExp): string[] =>
  Array.from(text.matchAll(pattern), ([, found = '']) => found)

/** Words in capitals are placeholders: USER_ID or $SITE_ID in an example is {user_id} elsewhere. */
const asDeclared = (path: string) => withoutNames(path.replaceAll(/\/\$?[A-Z_]+(?=\/|$)/g, '/{x}'))

/** Operations written as `GET /path` in the text. */
export const spokenOperations = (text: string): string[] =>
  Array.from(
    text.matchAll(new RegExp(`(?:\`|^ +)${METHOD} +${PATH}`, 'gm')),
    ([, method = '', path = '']) => `${method} ${asDeclared(path)}`,
  )

/** The curl examples, each with its method and port. */
export const examples = (text: string): { port: string; operation: string }[] =>
  (text.match(EXAMPLE) ?? []).map((example) => {
    const [, port = '', path = ''] =
      new RegExp(String.raw`${ORIGIN}(\d+)(/[\w./{}$-]*)`).exec(example) ??
      new RegExp(String.raw`localhost:(\d+)(/[\w./{}$-]*)`).exec(example) ??
      []
    const method = /-X (\w+)/.exec(example)?.[1] ?? (/ (?:--json|-d|-F) /.test(example) ? 'POST' : 'GET')
    return { port, operation: `${method} ${asDeclared(path)}` }
  })

/** `/path` without a method, and addresses outside curl examples. File system paths are not routes. */
export const namedPaths = (text: string): string[] =>
  all(text, new RegExp(`(?:\`|^ +${ORIGIN}806[456])${PATH}`, 'gm'))
    .filter((path) => !/^\/(?:etc|var|tmp)\//.test(path))
    .map(asDeclared)

/** `word_like_this` after a status: the values of an error's `code`. */
export const namedCodes = (text: string): string[] =>
  all(text, /\b[45]\d\d(?: from \w+)?:? ((?:`[a-z_]+`(?:, )?)+)/g).flatMap((codes) =>
    all(codes, /([a-z_]+)/g),
  )

/** `word_like_this` anywhere: fields, options, states and codes. */
export const namedWords = (text: string): string[] => all(text, /`([a-z]+(?:_[a-z]+)+)(?=[`{=])/g)

/** `NAME_LIKE_THIS`, except placeholders in the examples. */
export const namedSettings = (text: string): string[] => {
  const shown = new Set((text.match(EXAMPLE) ?? []).flatMap((example) => example.match(/[A-Z_]{2,}/g) ?? []))
  return all(text, /`([A-Z]+(?:_[A-Z]+)+)[`=]/g).filter((name) => !shown.has(name))
}

/** Targets of links within the repository, without the fragment after #. */
export const linkTargets = (text: string): string[] =>
  all(text, /\]\(([^)\s]+)\)/g)
    .filter((target) => !/^[a-z]+:/.test(target))
    .map((target) => target.replace(/#.*/, ''))
    .filter((target) => target !== '')

/** `path/to/file.ts`, `file.ts` and `folder/`; not placeholders such as `<noun>.ts`. */
export const namedFiles = (text: string): string[] =>
  all(text, /`([\w.@+*{},/-]+)`/g).filter(
    (name) =>
      (/\.(?:ts|mts|mjs|sql|md|patch)$/.test(name) ||
        /^(?:src|test|docs|scripts|patches|examples|\.ci)\//.test(name)) &&
      !/NNNN|^\*|^-/.test(name),
  )

/** The words after `npm start --`. */
export const namedWordsOfStart = (text: string): string[] => all(text, /\bnpm start -- ([a-z-]+)/g)

/** The words after `npm run`. */
export const namedScripts = (text: string): string[] => all(text, /\bnpm run ([a-z-]+)/g)

export const unknown = (named: string[], known: { has: (name: string) => boolean }) =>
  named.filter((name) => !known.has(name))

/** The paths of these operations, and their prefixes, such as `/api`. */
export const pathsOf = (operations: Set<string>) => {
  const paths = Array.from(operations, (operation) => operation.replace(/^\w+ /, ''))
  const isBefore = (named: string, path: string) => path.startsWith(`${named.replace(/\/$/, '')}/`)
  return {
    has: (named: string) => paths.some((path) => path === named || (named !== '/' && isBefore(named, path))),
  }
}

const files = globSync('**/*', { cwd: root, exclude: ['node_modules', '.git'] })
/** The end of a path is enough: `batch.ts` or `progress/batch.ts`. */
export const isFile = (name: string) =>
  existsSync(join(root, name)) ||
  files.some((file) => file.endsWith(`/${name}`)) ||
  (/[*{]/.test(name) && globSync(name, { cwd: root }).length > 0)
