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

/** Words in capitals stand for values: USER_ID or $SITE_ID in an example is what {user_id} is elsewhere. */
const asDeclared = (path: string) => withoutNames(path.replaceAll(/\/\$?[A-Z_]+(?=\/|$)/g, '/{x}'))

/** `GET /path` in the text. */
export const spokenOperations = (text: string): string[] =>
  Array.from(
    text.matchAll(new RegExp(`(?:\`|^ +)${METHOD} +${PATH}`, 'gm')),
    ([, method = '', path = '']) => `${method} ${asDeclared(path)}`,
  )

/** The examples of curl with the method they use and the port they name. */
export const examples = (text: string): { port: string; operation: string }[] =>
  (text.match(EXAMPLE) ?? []).map((example) => {
    const [, port = '', path = ''] =
      new RegExp(String.raw`${ORIGIN}(\d+)(/[\w./{}$-]*)`).exec(example) ??
      new RegExp(String.raw`localhost:(\d+)(/[\w./{}$-]*)`).exec(example) ??
      []
    const method = /-X (\w+)/.exec(example)?.[1] ?? (/ (?:--json|-d|-F) /.test(example) ? 'POST' : 'GET')
    return { port, operation: `${method} ${asDeclared(path)}` }
  })

/** `/path` without a method, and addresses that are no example of curl. Paths of the system are no routes. */
export const namedPaths = (text: string): string[] =>
  all(text, new RegExp(`(?:\`|^ +${ORIGIN}806[456])${PATH}`, 'gm'))
    .filter((path) => !/^\/(?:etc|var|tmp)\//.test(path))
    .map(asDeclared)

/** `word_like_this` after a status: what `code` of an error may say. */
export const namedCodes = (text: string): string[] =>
  all(text, /\b[45]\d\d(?: from \w+)?:? ((?:`[a-z_]+`(?:, )?)+)/g).flatMap((codes) =>
    all(codes, /([a-z_]+)/g),
  )

/** `word_like_this` wherever it stands: fields, options, states and codes. */
export const namedWords = (text: string): string[] => all(text, /`([a-z]+(?:_[a-z]+)+)(?=[`{=])/g)

/** `NAME_LIKE_THIS`, but for what stands for a value in the examples. */
export const namedSettings = (text: string): string[] => {
  const shown = new Set((text.match(EXAMPLE) ?? []).flatMap((example) => example.match(/[A-Z_]{2,}/g) ?? []))
  return all(text, /`([A-Z]+(?:_[A-Z]+)+)[`=]/g).filter((name) => !shown.has(name))
}

/** Where links lead that stay in the repository, without the part behind #. */
export const linkTargets = (text: string): string[] =>
  all(text, /\]\(([^)\s]+)\)/g)
    .filter((target) => !/^[a-z]+:/.test(target))
    .map((target) => target.replace(/#.*/, ''))
    .filter((target) => target !== '')

/** `path/to/file.ts`, `file.ts` and `folder/`; nothing that stands for a name, such as `<noun>.ts`. */
export const namedFiles = (text: string): string[] =>
  all(text, /`([\w.@+*{},/-]+)`/g).filter(
    (name) =>
      (/\.(?:ts|mts|mjs|sql|md|patch)$/.test(name) ||
        /^(?:src|test|docs|scripts|patches|examples|\.ci)\//.test(name)) &&
      !/NNNN|^\*|^-/.test(name),
  )

/** What stands behind `npm start --`. */
export const namedWordsOfStart = (text: string): string[] => all(text, /\bnpm start -- ([a-z-]+)/g)

/** What stands behind `npm run`. */
export const namedScripts = (text: string): string[] => all(text, /\bnpm run ([a-z-]+)/g)

export const unknown = (named: string[], known: { has: (name: string) => boolean }) =>
  named.filter((name) => !known.has(name))

/** Paths of these operations, and what stands before them, such as `/api`. */
export const pathsOf = (operations: Set<string>) => {
  const paths = Array.from(operations, (operation) => operation.replace(/^\w+ /, ''))
  const isBefore = (named: string, path: string) => path.startsWith(`${named.replace(/\/$/, '')}/`)
  return {
    has: (named: string) => paths.some((path) => path === named || (named !== '/' && isBefore(named, path))),
  }
}

const files = globSync('**/*', { cwd: root, exclude: ['node_modules', '.git'] })
/** The end of a path is enough: `batch.ts`, `progress/batch.ts`. */
export const isFile = (name: string) =>
  existsSync(join(root, name)) ||
  files.some((file) => file.endsWith(`/${name}`)) ||
  (/[*{]/.test(name) && globSync(name, { cwd: root }).length > 0)
