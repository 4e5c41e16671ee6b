import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { parseSync, Visitor } from 'oxc-parser'

// The Java and native back ends of recheck are not needed here: the pure one reaches the same verdict.
process.env['RECHECK_BACKEND'] = 'pure'
const { check } = await import('recheck')

/**
 * Every regular expression of the product runs in linear time, so that the sender of a text cannot decide how long the
 * program computes. The expressions come from the syntax tree. An automaton judges them or, if it cannot decide, attacks.
 */

const root = join(import.meta.dirname, '../../..')
const files = globSync('src/**/*.{ts,mjs,js}', { cwd: root })
  .filter((file) => !file.endsWith('.test.ts'))
  .toSorted()

/** What recheck cannot decide in time, with the text bound that makes it harmless. Never anything it finds vulnerable. */
const UNDECIDED: Record<string, string> = {}

type Found = { place: string; source: string; flags: string }
type Tree = { found: Found[]; unreadable: string[] }

/** The expressions of a file: literals, `RegExp` with constant text, and schema patterns. */
function expressionsIn(file: string, text: string): Tree {
  const { program, errors } = parseSync(file, text)
  assert.deepEqual(errors, [], file)
  const tree: Tree = { found: [], unreadable: [] }
  const placeOf = (start: number) => `${file}:${text.slice(0, start).split('\n').length}`
  const made = (node: { start: number; callee: object; arguments: { type: string }[] }) => {
    if (!('name' in node.callee) || node.callee.name !== 'RegExp') return
    const [source, flags = ''] = node.arguments.map(textOf)
    const place = placeOf(node.start)
    if (source === undefined || flags === undefined) tree.unreadable.push(place)
    else tree.found.push({ place, source, flags })
  }
  new Visitor({
    Literal(node) {
      if (!('regex' in node)) return
      const { pattern: source, flags } = node.regex
      tree.found.push({ place: placeOf(node.start), source, flags })
    },
    NewExpression: made,
    CallExpression: made,
    Property(node) {
      const name = 'name' in node.key ? node.key.name : 'value' in node.key ? node.key.value : undefined
      if (name !== 'pattern' || node.value.type === 'AssignmentPattern' || isNamed(node.value)) return
      // A function is not a schema pattern; expressions inside it are found like any others.
      if (node.value.type === 'ArrowFunctionExpression') return
      const source = textOf(node.value)
      if (source === undefined) tree.unreadable.push(placeOf(node.start))
      // A schema pattern matches anywhere in the text, with the flag that Ajv sets.
      else tree.found.push({ place: placeOf(node.start), source, flags: 'u' })
    },
  }).visit(program)
  return tree
}

/** Constant text; undefined if it is known only at run time. */
function textOf(node: { type: string }): string | undefined {
  if (node.type === 'Literal' && 'value' in node && typeof node.value === 'string') return node.value
  if (node.type !== 'TemplateLiteral' || !('quasis' in node)) return undefined
  const parts = node.quasis as { value: { cooked: string | null } }[]
  return parts.length === 1 ? (parts[0]?.value.cooked ?? undefined) : undefined
}

/** `{ pattern }` refers to a variable, whose value is checked where it is created. */
const isNamed = ({ type }: { type: string }) => type === 'Identifier'

/** `safe`, or a description of the problem. The fixed seed makes the attacks reproducible. */
async function judge({ source, flags }: Pick<Found, 'source' | 'flags'>): Promise<string> {
  const { status, ...more } = await check(source, flags, { timeout: 30_000, randomSeed: 1 })
  if (status === 'safe') return status
  return 'complexity' in more && more.complexity
    ? `${status}: ${more.complexity.summary}`
    : `${status}: ${'error' in more ? more.error.kind : ''}`
}

describe('every regular expression of the product', () => {
  const trees = files.map((file) => expressionsIn(file, readFileSync(join(root, file), 'utf8')))
  const all = trees.flatMap(({ found }) => found)

  test('is known statically', () => {
    assert.ok(all.length > 200, `only ${all.length} were found`)
    assert.deepEqual(
      trees.flatMap(({ unreadable }) => unreadable),
      [],
    )
  })

  test('is linear in its input', { timeout: 600_000 }, async () => {
    const places = Map.groupBy(all, ({ source, flags }) => `/${source}/${flags}`)
    const wrong: string[] = []
    for (const [written, [first, ...others]] of places) {
      if (!first || Object.hasOwn(UNDECIDED, written)) continue
      const verdict = await judge(first)
      if (verdict !== 'safe')
        wrong.push(`${[first, ...others].map(({ place }) => place).join(', ')} ${written} is ${verdict}`)
    }
    assert.deepEqual(wrong, [])
  })

  test('is used, undecidable and bounded when exempt', async () => {
    for (const [written, bound] of Object.entries(UNDECIDED)) {
      const used = all.find(({ source, flags }) => `/${source}/${flags}` === written)
      assert.ok(used, `${written} is used nowhere`)
      assert.match(bound, /\d/)
      assert.doesNotMatch(await judge(used), /^vulnerable/, written)
    }
  })

  test('leaves Unicode normalization to the linear function', () => {
    const others = files.filter((file) => /\.normalize\(/.test(readFileSync(join(root, file), 'utf8')))
    // The second one also runs in browsers, and takes at most 1,000 characters.
    assert.deepEqual(others, ['src/foundation/text.ts', 'src/learning/exams/kinds/numeric.ts'])
  })
})

describe('a planted expression', () => {
  const planted: [name: string, code: string][] = [
    ['a literal', 'export const a = (b: string) => /\\s*\\*$/.test(b)'],
    ['a literal within a template', 'export const a = (b: string) => `${b.replace(/(a+)+$/, "")}`'],
    ['a constant text', "export const a = new RegExp('^(\\\\d+)*x$', 'u')"],
    ['a template without parts', 'export const a = RegExp(`(a|a)*$`)'],
    ['the pattern of a schema', "export const a = Type.String({ pattern: '^(a|b|ab)*c$' })"],
    ['a script of a page', 'const a = /-+$/'],
  ]
  for (const [name, code] of planted)
    test(`in ${name} is reported as vulnerable`, async () => {
      const { found } = expressionsIn(name.endsWith('page') ? 'a.js' : 'a.ts', code)
      assert.equal(found.length, 1)
      const [expression] = found
      assert.ok(expression)
      assert.match(await judge(expression), /^vulnerable/)
    })

  test('is reported as unreadable when built at run time', () => {
    for (const code of ['new RegExp(given)', 'RegExp(`${given}+`)', "Type.String({ pattern: given + '$' })"])
      assert.deepEqual(expressionsIn('a.ts', `const given = 'a'\n${code}`).unreadable, ['a.ts:2'])
  })
})
